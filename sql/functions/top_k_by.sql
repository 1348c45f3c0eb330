-- The shops with the two highest sales of the last three days; of equal sales, the earlier.
SELECT day, top_k_by(shop, sales, 2) OVER (ORDER BY day ROWS 2 PRECEDING) AS best
FROM VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 10), (4, NULL, 50), (5, 'e', NULL) AS t(day, shop, sales) ORDER BY day;
