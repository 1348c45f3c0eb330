-- Ben Basat, Einziger, Friedman and Kassner: a trader samples the price of gold each millisecond and acts on its mean over a long
-- window. The price is about 1500 and always below 5000; an error of 0.1 % of 5000 is enough. Here the window is the last 5000 samples.
CREATE OR REPLACE TEMPORARY VIEW prices AS
SELECT id AS ms, 1500 + CAST(round(150 * sin(id / 700)) AS INT) + pmod(xxhash64(id), 41) - 20 AS price FROM range(0, 20000, 1, 1);

-- Basic-Summing, Algorithm 2: the error of the mean is at most 5 for any prices.
SELECT count(*) AS samples, max(abs(about - truth)) <= 5 AS holds
FROM (SELECT ms, approx_sum(price, 5000, 0.001) OVER w / 5000 AS about, sum(price) OVER w / 5000 AS truth
      FROM prices WINDOW w AS (ORDER BY ms ROWS BETWEEN 4999 PRECEDING AND CURRENT ROW)) WHERE ms >= 4999;

-- Basic-Counting, Algorithm 1: the number of the last 5000 samples above 1500, with an error of at most 1 % of 5000.
SELECT count(*) AS samples, max(abs(about - truth)) <= 50 AS holds
FROM (SELECT approx_count_if(price > 1500, 0.01) OVER w AS about, count_if(price > 1500) OVER w AS truth
      FROM prices WINDOW w AS (ORDER BY ms ROWS BETWEEN 4999 PRECEDING AND CURRENT ROW));

-- With a small error, Algorithm 3 keeps a few bits for each sample: 0.00001 * 5000 * 5000 is 250 in the sum, 0.05 in the mean.
SELECT count(*) AS samples, max(abs(about - truth)) <= 0.05 AS holds
FROM (SELECT ms, approx_sum(price, 5000, 0.00001) OVER w / 5000 AS about, sum(price) OVER w / 5000 AS truth
      FROM prices WINDOW w AS (ORDER BY ms ROWS BETWEEN 4999 PRECEDING AND CURRENT ROW)) WHERE ms >= 4999;

-- Prices with cents: real numbers up to the bound.
SELECT max(abs(about - truth)) <= 5 AS holds
FROM (SELECT ms, approx_sum(price + 0.25D, 5000, 0.001) OVER w / 5000 AS about, sum(price + 0.25D) OVER w / 5000 AS truth
      FROM prices WINDOW w AS (ORDER BY ms ROWS BETWEEN 4999 PRECEDING AND CURRENT ROW)) WHERE ms >= 4999;
