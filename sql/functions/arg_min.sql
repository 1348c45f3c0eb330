-- The shop with the lower price of the last two offers; of equal prices, the newer offer.
SELECT day, shop, price, arg_min(shop, price, 'last') OVER (ORDER BY day ROWS 1 PRECEDING) AS cheapest
FROM VALUES (1, 'a', 9.99), (2, 'b', 8.99), (3, 'c', 8.99), (4, 'd', 10.00) AS t(day, shop, price) ORDER BY day;
