-- The greatest profit from buying and selling once within the last four days.
SELECT day, change, max_subarray_sum(change) OVER (ORDER BY day ROWS 3 PRECEDING) AS best
FROM VALUES (1, 2.50), (2, -1.00), (3, 4.00), (4, -6.00), (5, -0.50) AS t(day, change) ORDER BY day;
