-- The mean growth factor of the last three years: growth by this factor each year gives the same total growth.
SELECT year, growth, round(geomean(growth) OVER (ORDER BY year ROWS 2 PRECEDING), 4) AS mean_growth
FROM VALUES (2021, 1.10), (2022, 0.95), (2023, 1.20), (2024, 1.05) AS t(year, growth)
ORDER BY year;

-- In GROUP BY: a zero makes the mean 0, a negative value makes it NaN, and nulls are skipped.
SELECT kind, geomean(x) AS mean
FROM VALUES ('of powers', 2), ('of powers', 8), ('with zero', 0), ('with zero', 5), ('with negative', -1), ('of nothing', NULL) AS t(kind, x)
GROUP BY kind
ORDER BY kind;
