-- A model of the last three messages at each message.
SELECT i, naive_bayes_agg(label, struct(word, length)) OVER (ORDER BY i ROWS 2 PRECEDING) AS model
FROM VALUES (1, 'ham', 'tea', 10), (2, 'spam', 'win', 4), (3, 'spam', 'win', 6), (4, NULL, 'tea', 1) AS t(i, label, word, length) ORDER BY i;
