-- The hour of the highest load among the last three hours; of hours with equal load, the first and the last.
SELECT hour, load, arg_max(hour, load, 'first') OVER w AS first_peak, arg_max(hour, load, 'last') OVER w AS last_peak
FROM VALUES (1, 10), (2, 30), (3, 30), (4, 20), (5, NULL) AS t(hour, load)
WINDOW w AS (ORDER BY hour ROWS 2 PRECEDING) ORDER BY hour;

-- In GROUP BY.
SELECT site, arg_max(hour, load) AS peak
FROM VALUES ('a', 1, 10), ('a', 2, 30), ('b', 1, 5), ('b', 2, NULL) AS t(site, hour, load)
GROUP BY site ORDER BY site;
