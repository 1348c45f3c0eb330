-- Filters of dates, decimals and structs; a null filter and a null value give null.
SELECT might_contain(f, d) AS same, might_contain(f, d + INTERVAL 1 DAY) AS next, might_contain(f, CAST(NULL AS DATE)) AS of_null
FROM (SELECT bloom_filter_agg(d) AS f FROM VALUES (DATE'2026-01-01'), (DATE'2026-01-05') AS t(d)), VALUES (DATE'2026-01-05') AS u(d);

SELECT might_contain(f, struct(1, 'a')) AS known, might_contain(f, struct(1, 'b')) AS unknown
FROM (SELECT bloom_filter_agg(struct(i, s)) AS f FROM VALUES (1, 'a'), (2, 'b') AS t(i, s));
