-- The probabilities for a colour that the model knows, for an unknown colour, and for null.
SELECT round(s[0].probability, 4) AS red, round(naive_bayes_score(m, named_struct('c', 'green'))[0].probability, 4) AS green, naive_bayes_score(m, named_struct('c', CAST(NULL AS STRING))) AS nothing
FROM (SELECT m, naive_bayes_score(m, named_struct('c', 'red')) AS s
      FROM (SELECT naive_bayes_agg(label, struct(c), 0.5) AS m FROM VALUES ('a', 'red'), ('a', 'red'), ('b', 'blue'), ('b', 'red') AS t(label, c)));
