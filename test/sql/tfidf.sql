-- The recipe of examples/tfidf.sql, over the paragraphs of this project's documentation
-- and the same with a word changed in each.
\set ECHO none
\set text `cat README.md doc/reference.md doc/internals.md`
\set ECHO all
CREATE TABLE docs (id bigint GENERATED ALWAYS AS IDENTITY, original int, body text);
INSERT INTO docs (original, body) SELECT nr, paragraph FROM regexp_split_to_table(:'text', '\n\s*\n') WITH ORDINALITY p(paragraph, nr) WHERE length(paragraph) > 250;
INSERT INTO docs (original, body) SELECT original, regexp_replace(body, '\w{5,}', 'replacement') FROM docs;
CREATE TABLE terms AS
SELECT word AS term, ln((SELECT count(*) FROM docs)::float8 / ndoc) AS idf
FROM ts_stat('SELECT to_tsvector(''english'', body) FROM docs');
CREATE TABLE fps AS
SELECT id, simhash_weighted_agg(term, tf * idf) AS fp
FROM docs, LATERAL (
  SELECT term, tf, idf
  FROM (SELECT lexeme AS term, cardinality(positions) AS tf
        FROM unnest(to_tsvector('english', body))) t JOIN terms USING (term)
  ORDER BY tf * idf DESC, term
  LIMIT 20) top
GROUP BY id;
SELECT count(*) > 20 AS several, count(fp) = count(*) AS all_have FROM fps;
-- the two of a paragraph are near, others are not
SELECT avg(d) FILTER (WHERE same) < 12 AS near, avg(d) FILTER (WHERE NOT same) > 26 AS different,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY d) FILTER (WHERE same) < percentile_cont(0.01) WITHIN GROUP (ORDER BY d) FILTER (WHERE NOT same) AS apart
FROM (SELECT a.original = b.original AS same, x.fp <-> y.fp AS d FROM docs a JOIN fps x USING (id), docs b JOIN fps y USING (id) WHERE a.id < b.id) s;
DROP TABLE docs, terms, fps;
