-- Tangwongsan, Hirzel and Schneider: the trace of section 2.3, and the operators of Table 1 over the same window as it slides. Only
-- sums, means and counts can subtract the elements that leave.
CREATE OR REPLACE TEMPORARY VIEW trace AS SELECT * FROM VALUES (1, 4), (2, 5), (3, 3), (4, 4), (5, 0), (6, 4), (7, 4), (8, 2), (9, 6) AS t(i, x);

-- Evict 4, evict 5, insert 2, insert 6: the frames that the trace goes through.
SELECT i, collect_list(x) OVER w AS contents, max(x) OVER w AS max, max_count(x) OVER w AS maxcount
FROM trace WINDOW w AS (ORDER BY i ROWS 6 PRECEDING) ORDER BY i;

-- Sum-like and collect-like.
SELECT i, sum(x) OVER w AS sum, round(avg(x) OVER w, 3) AS mean, round(stddev(x) OVER w, 3) AS stddev,
       round(geomean(x + 1) OVER w, 3) AS geomean, listagg(string(x)) OVER w AS concatenated, count(*) OVER w AS count
FROM trace WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;

-- Max-like.
SELECT i, arg_max(i, x, 'first') OVER w AS first_best, arg_max(i, x, 'last') OVER w AS last_best, min_count(x) OVER w AS mincount,
       m4(i, x) OVER w AS m4
FROM trace WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;

-- Sketches: membership and frequency.
SELECT i, might_contain(f, 4) AS four, might_contain(f, 9) AS nine, count_min_sketch_estimate(s, 4) AS fours
FROM (SELECT i, bloom_filter_agg(x, 100) OVER w AS f, count_min_sketch(x, 0.01d, 0.99d, 1) OVER w AS s
      FROM trace WINDOW w AS (ORDER BY i ROWS 2 PRECEDING)) ORDER BY i;

-- Algebraic classifiers: a model of the last four rows.
SELECT i, naive_bayes_predict(model, named_struct('odd', i % 2 = 1)) AS predicted
FROM (SELECT i, naive_bayes_agg(if(x < 4, 'small', 'large'), named_struct('odd', i % 2 = 1)) OVER (ORDER BY i ROWS 3 PRECEDING) AS model FROM trace)
ORDER BY i;
