-- The longest run of weeks, among the last four, in which stocks did not rise.
SELECT week, stock, longest_decreasing_run(stock, false) OVER (ORDER BY week ROWS 3 PRECEDING) AS run
FROM VALUES (1, 50), (2, 40), (3, 40), (4, 45), (5, 30) AS t(week, stock) ORDER BY week;
