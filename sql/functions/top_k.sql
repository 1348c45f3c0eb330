-- Dani and Getta, section 8.1: the k greatest of a window that slides.
SELECT i, x, top_k(x, 3) OVER (ORDER BY i ROWS 4 PRECEDING) AS best
FROM VALUES (1, 5), (2, 1), (3, 7), (4, 7), (5, NULL), (6, 2), (7, 3), (8, 9) AS t(i, x) ORDER BY i;

-- In GROUP BY.
SELECT kind, top_k(name, 2) AS last_names FROM VALUES ('a', 'Ada'), ('a', 'Zoe'), ('a', 'Max'), ('b', NULL) AS t(kind, name) GROUP BY kind ORDER BY kind;
