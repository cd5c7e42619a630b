-- Curves for quality.gnuplot, from the table distances of quality.sql: to be run with
-- psql -At -F ' ' and the variable folder.
\o :folder/edits
-- recall by bound, of simhash and minhash, by how much of a text was changed
SELECT k, string_agg(recall::text, ' ' ORDER BY kind_nr, nr)
FROM (SELECT k, nr, array_position('{e<1,e1-5,e5-10,e10-25}', kind) AS kind_nr, avg((d <= k)::int)::numeric(5, 4) AS recall
      FROM distances, generate_series(0, 32) k
      WHERE label = 1 AND length <> 'XS' AND nr <= 2 AND kind = ANY ('{e<1,e1-5,e5-10,e10-25}') GROUP BY k, nr, kind) s
GROUP BY k ORDER BY k;
\o :folder/lengths
-- the same by length, and the share of other texts within the bound
SELECT k, string_agg(concat_ws(' ', recall, others), ' ' ORDER BY length_nr, nr)
FROM (SELECT k, nr, array_position('{XS,S,M,L}', length) AS length_nr,
             (avg((d <= k)::int) FILTER (WHERE label = 1))::numeric(5, 4) AS recall,
             (avg((d <= k)::int) FILTER (WHERE label = 0))::numeric(5, 4) AS others
      FROM distances, generate_series(0, 32) k WHERE nr <= 2 GROUP BY k, nr, length) s
GROUP BY k ORDER BY k;
\o :folder/roc
-- recall by share of other texts within the bound, a block a choice of features
SELECT concat_ws(E'\n', CASE WHEN k = 0 AND nr > first THEN E'\n' END,
                 CASE WHEN k = 0 THEN format('"%s"', choice) END, format('%s %s', others, recall))
FROM (SELECT k, nr, choice, min(nr) OVER () AS first,
             greatest((avg((d <= k)::int) FILTER (WHERE label = 0))::numeric(6, 5), 0.0005) AS others,
             (avg((d <= k)::int) FILTER (WHERE label = 1))::numeric(6, 5) AS recall
      FROM distances JOIN choices USING (nr), generate_series(0, 40) k
      WHERE length <> 'XS' AND choice = ANY (ARRAY['simhash: words and pairs, once (default)', 'minhash: words and pairs',
        'simhash: words and pairs, frequency', 'simhash: words, frequency', 'simhash: 4 characters, once', 'simhash: text search, english'])
      GROUP BY k, nr, choice) s
ORDER BY nr, k;
\o
