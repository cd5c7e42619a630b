-- The near-duplicates of a table for review.html: each original, the row that is marked as its duplicate,
-- and the words between them.  The least certain pairs come first.  These commands make the page for the
-- marks in the column duplicate_of:
--
--   cp review.html page.html
--   psql -XAtq -v pairs="SELECT d.id, d.title, concat_ws(' ', d.title, d.body), o.id, o.title,
--     concat_ws(' ', o.title, o.body) FROM docs d JOIN docs o ON o.id = d.duplicate_of" -f review.sql >>page.html
--
-- pairs is a query of six columns: id, name and text of the marked row, then those of its original.
-- The name should be the title, so that equal names mean the same document: pairs whose names differ
-- come first.  The name may be any expression, such as d.name || ' ' || d.release.  But such names
-- differ in all pairs, and the page then does not sort by them.  A name that is NULL is shown as its
-- id.  The text begins with the title, as simhash_first_change expects it.
-- The page counts all pairs and shows 200 of each kind; -v limit=1000 shows more.
\set ON_ERROR_STOP 1
\encoding UTF8
\if :{?limit}
\else
\set limit 200
\endif
-- Compiling the query takes longer than running it.
SET jit = off;
-- for the backslashes below
SET standard_conforming_strings = on;

WITH marked AS MATERIALIZED (
  SELECT row_number() OVER () AS pair, d.id::text, d.name::text, coalesce(d.body::text, '') AS body,
         d.original::text, d.original_name::text, coalesce(d.original_body::text, '') AS original_body
  FROM (:pairs) AS d (id, name, body, original, original_name, original_body)),
-- NULL if a name is not given.  If all names differ, as ids do, they are no titles.
names AS MATERIALIZED (
  SELECT pair, other_name AND NOT bool_and(other_name) OVER () AS other_name
  FROM (SELECT pair, simhash_copy_key(name) <> simhash_copy_key(original_name) IS TRUE AS other_name FROM marked) n),
measured AS MATERIALIZED (
  SELECT m.pair, f.first_change, c.word, c.in_original, c.times, c.characters,
         strpos(lower(CASE WHEN c.in_original THEN m.body ELSE m.original_body END COLLATE "C"), lower(c.word COLLATE "C")) = 0 AS only_there,
         CASE WHEN c.changes = 0 THEN 'copy' WHEN n.other_name THEN 'name' WHEN f.first_change > 1 THEN 'sibling' WHEN c.words THEN 'words' WHEN c.numbers THEN 'number'
              WHEN c.signs THEN 'signs' ELSE 'punctuation' END AS kind
  FROM marked m JOIN names n USING (pair), LATERAL (SELECT simhash_first_change(m.original_body, m.body) AS first_change) f,
    LATERAL (SELECT count(*) AS changes, bool_or(c.kind IN ('insert', 'delete', 'replace')) AS words,
                    bool_or(c.kind = 'number') AS numbers, bool_or(c.kind IN ('signs', 'form')) AS signs,
                    -- The word that decides: the first one that differs, of the original if it has one there
                    (array_agg(nullif(btrim(left(substring(CASE c.a_length WHEN 0 THEN c.b_text ELSE c.a_text END COLLATE "C" FROM '\S*[^\s!-/:-@[-`{-~]\S*'), 60), '.,;:!?()[]"'), '') ORDER BY c.change)
                      FILTER (WHERE c.kind IN ('insert', 'delete', 'replace', 'number')))[1] AS word,
                    (array_agg(c.a_length > 0 ORDER BY c.change)
                      FILTER (WHERE c.kind IN ('insert', 'delete', 'replace', 'number')))[1] AS in_original,
                    max(c.times) FILTER (WHERE c.kind IN ('insert', 'delete', 'replace')) AS times,
                    sum(c.a_length + c.b_length) FILTER (WHERE c.kind IN ('insert', 'delete', 'replace', 'number')) AS characters
             FROM simhash_changes(m.original_body, m.body) c) c),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY kind ORDER BY CASE kind WHEN 'words' THEN times END DESC NULLS LAST,
                               first_change DESC, characters DESC NULLS LAST, pair) AS place
  FROM measured),
shown AS (SELECT * FROM placed WHERE place <= :limit),
-- Long texts become their beginning, the number of characters that are left out, and their end.
described AS (
  SELECT s.kind, s.place, json_strip_nulls(json_build_object(
      'class', s.kind, 'other', json_build_object('id', m.id, 'name', nullif(m.name, '')),
      'original', json_build_object('id', m.original, 'name', nullif(m.original_name, '')),
      'first_change', s.first_change, 'word', s.word, 'in_original', s.in_original, 'only_there', s.only_there,
      'counts', c.counts, 'changes', coalesce(c.changes, '[]'), 'after', c.after, 'more', c.more)) AS pair
  FROM shown s JOIN marked m USING (pair),
    LATERAL (SELECT m.body || '' COLLATE "C" AS body, m.original_body || '' COLLATE "C" AS original_body OFFSET 0) t,
    LATERAL (
      WITH changes AS MATERIALIZED (
        SELECT c.*, lag(c.b_start + c.b_length, 1, 1) OVER (ORDER BY c.change) AS previous,
               lead(c.b_start, 1, length(t.body) + 1) OVER (ORDER BY c.change) AS next
        FROM simhash_changes(t.original_body, t.body) c),
      cut AS (
        SELECT p.change, p.name, CASE WHEN length(p.piece) <= p.longest THEN to_json(p.piece)
                 ELSE json_build_array(left(p.piece, p.n), length(p.piece) - p.n - p.m, right(p.piece, p.m)) END AS piece
        FROM (SELECT c.change, v.* FROM changes c, LATERAL (VALUES
                ('before', substr(t.body, c.previous, greatest(c.b_start - c.previous, 0)), 120, 60, 60),
                ('a', c.a_text, 400, 160, 80), ('b', c.b_text, 400, 160, 80),
                ('after', substr(t.body, c.b_start + c.b_length, greatest(c.next - c.b_start - c.b_length, 0)), 120, 60, 60))
                AS v (name, piece, longest, n, m)
              WHERE c.change <= 200) p)
      SELECT (SELECT json_build_object('words', count(*) FILTER (WHERE kind IN ('insert', 'delete', 'replace')),
                                       'numbers', count(*) FILTER (WHERE kind = 'number'), 'forms', count(*) FILTER (WHERE kind = 'form'),
                                       'signs', count(*) FILTER (WHERE kind = 'signs'),
                                       'punctuation', count(*) FILTER (WHERE kind = 'punctuation')) FROM changes) AS counts,
             (SELECT greatest(count(*) - 200, 0) FROM changes) AS more,
             (SELECT json_agg(json_build_object('kind', c.kind, 'times', c.times,
                       'before', (SELECT piece FROM cut WHERE cut.change = c.change AND name = 'before'),
                       'a', (SELECT piece FROM cut WHERE cut.change = c.change AND name = 'a'),
                       'b', (SELECT piece FROM cut WHERE cut.change = c.change AND name = 'b'),
                       -- whether the original has whitespace before (1) and behind (2) what was deleted
                       'spaces', CASE WHEN c.b_length > 0 THEN 0 ELSE (substr(t.original_body, c.a_start - 1, 1) ~ '\s')::integer
                                   + 2 * (substr(t.original_body, c.a_start + c.a_length, 1) ~ '\s')::integer END) ORDER BY c.change)
              FROM changes c WHERE c.change <= 200) AS changes,
             (SELECT piece FROM cut WHERE name = 'after' ORDER BY change DESC LIMIT 1) AS after) c)
-- In JSON, < occurs in texts only.  With its escape sequence, no text ends the element that has the JSON.
SELECT replace(line, '<', '\u003c') FROM (
  SELECT 1 AS part, NULL AS kind, 0::bigint AS place,
         format('{"pairs": %s, "shown": [', coalesce((SELECT json_object_agg(kind, n) FROM (SELECT kind, count(*) AS n FROM measured GROUP BY kind) k), '{}')) AS line
  UNION ALL
  SELECT 2, kind, place, pair || CASE row_number() OVER (ORDER BY kind DESC, place DESC) WHEN 1 THEN '' ELSE ',' END FROM described
  UNION ALL
  SELECT 3, NULL, 0, ']}') page
ORDER BY part, kind, place;
