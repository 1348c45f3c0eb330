-- The greatest loss from buying and selling once within the last four days, in units and in percent of the price paid.
SELECT day, price, max_drawdown(price) OVER four AS loss,
  round(100 * (1 - exp(-max_drawdown(ln(price)) OVER four)), 1) AS percent
FROM VALUES (1, 20.00), (2, 25.00), (3, 21.00), (4, 22.00), (5, 18.00), (6, 19.00), (7, 24.00) AS t(day, price)
WINDOW four AS (ORDER BY day ROWS 3 PRECEDING) ORDER BY day;
