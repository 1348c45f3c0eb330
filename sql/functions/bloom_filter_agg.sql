-- Whether a visitor was probably here on one of the two days before.
SELECT day, visitor, coalesce(might_contain(seen, visitor), false) AS back
FROM (SELECT day, visitor, bloom_filter_agg(visitor, 1000) OVER (ORDER BY day ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS seen
      FROM VALUES (1, 'ada'), (2, 'bob'), (3, 'ada'), (4, 'ada'), (5, 'bob') AS t(day, visitor))
ORDER BY day;
