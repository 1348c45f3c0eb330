-- Functions that depend on the order of the rows.
SELECT i, s, first(s) OVER w AS first, last(s) OVER w AS last, collect_list(s) OVER w AS list, listagg(s, '-') OVER w AS text,
       max_by(s, length(s)) OVER w AS longest
FROM VALUES (1, 'a'), (2, 'bb'), (3, NULL), (4, 'c'), (5, 'dd') AS t(i, s)
WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
