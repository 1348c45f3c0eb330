-- The top 3 products by revenue of the last 7 days: `top_k_by` ranks single rows, so the sums come first.
CREATE OR REPLACE TEMPORARY VIEW sales AS
SELECT * FROM VALUES (DATE'2026-01-01', 'apple', 9.00), (DATE'2026-01-01', 'pear', 4.00), (DATE'2026-01-02', 'fig', 5.00),
  (DATE'2026-01-02', 'pear', 4.00), (DATE'2026-01-03', 'plum', 6.00), (DATE'2026-01-08', 'fig', 2.00),
  (DATE'2026-01-08', 'pear', 1.00), (DATE'2026-01-09', 'plum', 1.00) AS t(day, product, amount);

WITH daily AS (SELECT day, product, sum(amount) AS amount FROM sales GROUP BY day, product),
  days AS (SELECT explode(sequence(min(day), max(day))) AS day FROM daily),
  products AS (SELECT DISTINCT product FROM daily),
  weekly AS (
    SELECT day, product,
           sum(amount) OVER (PARTITION BY product ORDER BY day RANGE BETWEEN INTERVAL '6' DAY PRECEDING AND CURRENT ROW) AS revenue
    FROM days CROSS JOIN products LEFT JOIN daily USING (day, product)
  )
SELECT day, top_k_by(struct(product, revenue), revenue, 3) WITHIN GROUP (ORDER BY product) AS top FROM weekly GROUP BY day ORDER BY day;
