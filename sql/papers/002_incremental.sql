-- Dani and Getta: operators that are maintained incrementally as the window slides. Temperatures by the hour.
CREATE OR REPLACE TEMPORARY VIEW readings AS SELECT * FROM VALUES
  (1, 12.5), (2, 13.0), (3, 13.5), (4, 13.5), (5, 14.0), (6, 11.0), (7, 11.5), (8, 12.0), (9, 12.5), (10, 10.0) AS t(hour, celsius);

-- Max, min and top-k, sections 5 to 7.
SELECT hour, celsius, max(celsius) OVER w AS max, min(celsius) OVER w AS min, top_k(celsius, 3) OVER w AS top_three,
       bottom_k(celsius, 2) OVER w AS bottom_two, top_k_by(hour, celsius, 2) OVER w AS hottest_hours
FROM readings WINDOW w AS (ORDER BY hour ROWS 4 PRECEDING) ORDER BY hour;

-- The longest increasing run, section 8.2: a run loses its oldest reading when that leaves the window, and may continue with readings that enter.
SELECT hour, run.length, run.start_value, run.end_value, run.first_position, run.last_position, longer.length AS if_equal_goes_on
FROM (SELECT hour, longest_increasing_run(celsius) OVER w AS run, longest_increasing_run(celsius, false) OVER w AS longer
      FROM readings WINDOW w AS (ORDER BY hour ROWS 5 PRECEDING)) ORDER BY hour;

-- In GROUP BY, with an order of its own.
SELECT longest_increasing_run(celsius) WITHIN GROUP (ORDER BY hour) AS rise, longest_decreasing_run(celsius) WITHIN GROUP (ORDER BY hour) AS fall
FROM readings;
