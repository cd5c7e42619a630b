-- Keys of passages: recall of passages that were edited and put into another document.  quality.sh runs this
-- script after quality.sql.
\set ON_ERROR_STOP 1
\pset footer off
\pset format unaligned
\pset fieldsep ' | '
SET client_min_messages = warning;
-- Edit a share of the words: a third of the edits each replace, delete and insert a word.
CREATE FUNCTION edited(words text[], share float8, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(CASE WHEN c >= share THEN word WHEN c < share / 3 THEN other WHEN c < share * 2 / 3 THEN NULL ELSE word || ' ' || other END, ' ' ORDER BY n)
  FROM (SELECT word, n, chance(seed || n) AS c, words[1 + (chance(seed || '+' || n) * (cardinality(words) - 1))::int] AS other
        FROM unnest(words) WITH ORDINALITY w (word, n)) s
$$;
CREATE TABLE sources AS
SELECT row_number() OVER (ORDER BY md5(body)) AS id, body, words, simhash_passage_keys(body) AS keys
FROM (SELECT DISTINCT ON (lang, document) lang, document, body
      FROM texts WHERE corpus = 'debian' AND length <> 'XS' AND lang IN ('en', 'de') ORDER BY lang, document, md5(body)) documents, LATERAL (SELECT regexp_split_to_array(btrim(regexp_replace(body, '[^[:alnum:]]+', ' ', 'g')), ' ') AS words) w;
CREATE TABLE quotations AS
SELECT s.id, length, share, edited(s.words[start:start + length - 1], share, concat_ws('/', s.id, seed, length)) AS passage, h.body AS host
FROM sources s, unnest('{30,50,100,300}'::int[]) length, unnest('{0,0.02,0.05,0.1}'::float8[]) share, generate_series(1, 5) seed,
     LATERAL (SELECT 1 + (chance(concat_ws('-', s.id, seed)) * (cardinality(s.words) - length))::int AS start) place,
     LATERAL (SELECT body FROM sources h WHERE h.id = 1 + (s.id + seed * 7) % (SELECT count(*) FROM sources)) h
WHERE cardinality(s.words) >= length;
\t on
SELECT E'\n## Passages\n';
SELECT E'Share of the edited passages, each put into another document, whose source is found by a shared key.\n';
SELECT '| words of the passage | passages | words => | unedited | 2% edits | 5% | 10% |';
SELECT '|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', length, count(*) / 4, kind,
              to_char(avg(found::int) FILTER (WHERE share = 0), 'FM0.000'), to_char(avg(found::int) FILTER (WHERE share = 0.02), 'FM0.000'),
              to_char(avg(found::int) FILTER (WHERE share = 0.05), 'FM0.000'), to_char(avg(found::int) FILTER (WHERE share = 0.1), 'FM0.000'))
FROM (SELECT length, share, kind, simhash_passage_keys(concat_ws(' ', left(host, length(host) / 2), passage, right(host, length(host) / 2)), words => kind) && s.keys AS found
      FROM quotations q JOIN sources s USING (id), unnest('{30,8}'::int[]) kind) f
GROUP BY length, kind ORDER BY length, kind DESC;
SELECT E'Characters of passages of 100 words and more that simhash_passages covers, and those beside a passage:\n';
SELECT '| edits | covered | excess |';
SELECT '|---|---|---|';
SELECT format('| %s %% | %s %% | %s %% |', 100 * share, round(100.0 * sum(covered) / sum(length), 1), round(100.0 * sum(beside) / sum(length), 2))
FROM (SELECT share, length(passage), count(DISTINCT c) FILTER (WHERE c BETWEEN start AND start + length(passage) - 1) AS covered,
             count(DISTINCT c) FILTER (WHERE c NOT BETWEEN start AND start + length(passage) - 1) AS beside
      FROM (SELECT q.*, s.body, row_number() OVER () AS nr, left(host, length(host) / 2) || ' ' AS before, length(host) / 2 + 2 AS start
            FROM quotations q JOIN sources s USING (id) WHERE length >= 100 AND id % 5 = 0) f
        LEFT JOIN LATERAL simhash_passages(body, before || passage || ' ' || right(host, length(host) / 2)) p
          ON b_start < start + length(passage) AND b_start + b_length > start
        LEFT JOIN LATERAL generate_series(b_start, b_start + b_length - 1) c ON true
      GROUP BY nr, share, passage) g
GROUP BY share ORDER BY share;

-- Chinese and Japanese, whose words are single characters: passages of manual pages, each edited and put into the
-- first 400 characters of another page
\t off
CREATE TABLE cjk AS
SELECT row_number() OVER (PARTITION BY lang ORDER BY md5(body))::int AS id, lang, left(body, 6000) AS body
FROM files WHERE kind IN ('manual page', 'documentation') AND lang IN ('zh', 'ja') AND body ~ '[一-鿿ぁ-ヿ]{12}';
CREATE TABLE cjk_quotations AS
SELECT lang, s.id, length, share, left(h.body, 200) || (
         SELECT string_agg(CASE WHEN c >= share THEN x WHEN c < share / 3 THEN other WHEN c < share * 2 / 3 THEN NULL ELSE x || other END, '' ORDER BY n)
         FROM (SELECT x, n, chance(concat_ws('/', s.lang, s.id, length, n)) AS c, p.list[1 + (chance(concat_ws('+', s.lang, s.id, length, n)) * (cardinality(p.list) - 1))::int] AS other
               FROM unnest(p.list) WITH ORDINALITY w (x, n)) e) || right(left(h.body, 400), 200) AS body, h.id AS host
FROM cjk s JOIN (SELECT lang, count(*)::int AS n FROM cjk GROUP BY lang) t USING (lang), unnest('{50,100}'::int[]) length, unnest('{0,0.02,0.05,0.1}'::float8[]) share,
     LATERAL (SELECT regexp_replace(substring(s.body FROM '[一-鿿ぁ-ヿ、。，；：（）\s]{60,}'), '[^一-鿿ぁ-ヿ]+', '', 'g') AS runs) r,
     LATERAL (SELECT string_to_array(substr(runs, 1 + (chance(concat_ws('-', s.lang, s.id)) * (char_length(runs) - length))::int, length), NULL) AS list) p,
     LATERAL (SELECT h.id, h.body FROM cjk h WHERE h.lang = s.lang AND h.id = 1 + (s.id + 7) % t.n) h
WHERE char_length(runs) >= length;
CREATE TABLE cjk_choices (nr int, options text, expression text, search text);
INSERT INTO cjk_choices VALUES (1, 'default', 'simhash_passage_keys(body)', 'simhash_passage_keys(body)'),
  (2, 'n => 12, words => 30', 'simhash_passage_keys(body, n => 12, words => 30)', 'simhash_passage_keys(body, n => 12, words => 30)'),
  (3, 'n => 12, words => 40', 'simhash_passage_keys(body, n => 12, words => 40)', 'simhash_passage_keys(body, n => 12, words => 40)'),
  (4, 'n => 16, words => 40', 'simhash_passage_keys(body, n => 16, words => 40)', 'simhash_passage_keys(body, n => 16, words => 40)'),
  (5, 'n => 12, words => 40, query words => 12', 'simhash_passage_keys(body, n => 12, words => 40)', 'simhash_passage_keys(body, n => 12, words => 12)'),
  (6, 'n => 16, words => 40, query words => 16', 'simhash_passage_keys(body, n => 16, words => 40)', 'simhash_passage_keys(body, n => 16, words => 16)');
CREATE TABLE cjk_found (nr int, lang text, length int, share float8, found bool, candidates bigint, keys int, per_character float8);
DO $$
DECLARE c cjk_choices;
BEGIN
  FOR c IN SELECT * FROM cjk_choices ORDER BY nr LOOP
    EXECUTE format('CREATE TEMP TABLE k AS SELECT lang, id, host, length, share, %s AS keys FROM cjk_quotations q', c.search);
    EXECUTE format('CREATE TEMP TABLE doc_key AS SELECT lang, id, key FROM cjk, unnest(%s) key', c.expression);
    CREATE INDEX ON doc_key (key, lang);
    ANALYZE doc_key;
    INSERT INTO cjk_found
      SELECT c.nr, lang, length, share, count(*) FILTER (WHERE d.id = k.id) > 0,
             count(DISTINCT d.id) FILTER (WHERE d.id NOT IN (k.id, host)), cardinality(keys), 0
      FROM k LEFT JOIN LATERAL (SELECT DISTINCT d.id FROM doc_key d WHERE d.lang = k.lang AND d.key = ANY (keys)) d ON true
      GROUP BY lang, k.id, host, length, share, keys;
    UPDATE cjk_found f SET per_character = n / characters
      FROM (SELECT lang, count(*) AS n FROM doc_key GROUP BY lang) k JOIN (SELECT lang, sum(char_length(body))::float8 AS characters FROM cjk GROUP BY lang) t USING (lang)
      WHERE f.nr = c.nr AND f.lang = k.lang;
    DROP TABLE k, doc_key;
  END LOOP;
END $$;
\t on
SELECT E'\n### Chinese and Japanese\n';
SELECT format('%s: %s documents', lang, count(*)) FROM cjk GROUP BY lang;
SELECT '| language | characters | keys | unedited | 2% edits | 5% | 10% | other candidates per query | keys of 1,000 characters |';
SELECT '|---|---|---|---|---|---|---|---|---|';
SELECT format('| %s | %s | %s | %s | %s | %s | %s | %s | %s |', lang, length, options,
              to_char(avg(found::int) FILTER (WHERE share = 0), 'FM0.000'), to_char(avg(found::int) FILTER (WHERE share = 0.02), 'FM0.000'),
              to_char(avg(found::int) FILTER (WHERE share = 0.05), 'FM0.000'), to_char(avg(found::int) FILTER (WHERE share = 0.1), 'FM0.000'),
              round(avg(candidates), 1), round(1000 * max(per_character)::numeric))
FROM cjk_found JOIN cjk_choices USING (nr) GROUP BY lang, length, nr, options ORDER BY lang DESC, length, nr;
