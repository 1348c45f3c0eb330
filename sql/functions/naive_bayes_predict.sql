-- Each message classified by a model of the four before it.
SELECT i, label, naive_bayes_predict(model, struct(word)) AS guess
FROM (SELECT *, naive_bayes_agg(label, struct(word)) OVER (ORDER BY i ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS model
      FROM VALUES (1, 'ham', 'tea'), (2, 'spam', 'win'), (3, 'spam', 'win'), (4, 'ham', 'tea'), (5, 'ham', 'tea') AS t(i, label, word))
ORDER BY i;
