-- Text search as the analyser.  Fingerprints are stored in people's tables: never
-- change a value here (those of the lexemes, not the dictionaries').
SELECT simhash('fox:2A,5 jump:3B over'::tsvector) AS positions, simhash('fox:2A,5 jump:3B over'::tsvector, '{0.1,0.2,0.4,1}') AS labels, minhash('fox:2A,5 jump:3B over'::tsvector) AS min;
-- A lexeme votes as often as it has positions, or once
SELECT simhash('a:1,2,3 b:4 c'::tsvector) = simhash_from_features(ARRAY['a', 'b', 'c'], ARRAY[3, 1, 1]) AS frequency, simhash('a b c'::tsvector) = simhash_from_features(ARRAY['a', 'b', 'c']) AS stripped,
       minhash('a:1,2,3 b:4 c'::tsvector) = minhash_from_features(ARRAY['a', 'b', 'c']) AS min, simhash(''::tsvector) IS NULL AS empty, minhash(''::tsvector) IS NULL AS min_empty, simhash(NULL::tsvector) IS NULL AS null;
-- Label weights are {D, C, B, A}, a negative one is the default, as for ts_rank
SELECT simhash('a:1A,2 b:3B c:4C d'::tsvector, '{0.125,0.25,0.5,1}') = simhash_from_features(ARRAY['a', 'b', 'c', 'd'], ARRAY[1.125, 0.5, 0.25, 0.125]) AS labels,
       simhash('a:1A b:3B c:4C d:5'::tsvector, '{-1,-1,-1,-1}') = simhash_from_features(ARRAY['a', 'b', 'c', 'd'], ARRAY[1, 0.4::real, 0.2::real, 0.1::real]) AS defaults,
       simhash('a:1A b:2'::tsvector, '{0,0,0,1}') = simhash('a') AS only_a, simhash('b:2'::tsvector, '{0,0,0,1}') IS NULL AS nothing;
SELECT simhash('a'::tsvector, '{1,1,1}');
SELECT simhash('a'::tsvector, '{{1,1,1,1}}');
SELECT simhash('a'::tsvector, '{1,1,1,NULL}');
SELECT simhash('a'::tsvector, '{1,1,1,2}');
SELECT simhash('a'::tsvector, '{1,1,1,NaN}');
\set VERBOSITY sqlstate
SELECT minhash('a'::tsvector, '{1,1,1,1}');
\set VERBOSITY default

-- A configuration and a text
SELECT simhash('english', body) = simhash(to_tsvector('english', body)) AS same, simhash('simple', body) = simhash(to_tsvector('simple', body)) AS simple,
       simhash('english', body) <> simhash('simple', body) AS another, simhash('english'::regconfig, 'A fox jumped') = simhash('english'::regconfig, 'the foxes, jumping') AS stems,
       minhash('english', body) = minhash(to_tsvector('english', body)) AS min
FROM (VALUES ('The quick brown foxes jumped over the lazy dogs; the foxes jumped'::text)) v(body);
SELECT simhash('english', 'a text');
SELECT simhash('english'::regconfig, 'a text') = simhash('text') AS with_type;
SELECT simhash(NULL::regconfig, 'x') IS NULL AS null, simhash('english'::regconfig, 'the of') IS NULL AS stop_words;
PREPARE of_parameter AS SELECT to_simhash('english', $1) = simhash('english'::regconfig, 'a fox jumped') AS same, to_simhash('simple', $1) <> to_simhash('english', $1) AS other;
EXECUTE of_parameter('the foxes, jumping');
DEALLOCATE of_parameter;
CREATE TABLE stored (body text, fp simhash GENERATED ALWAYS AS (simhash('english', body)) STORED);
INSERT INTO stored VALUES ('some words of text');
SELECT fp = simhash('english'::regconfig, 'Some word in texts') AS same FROM stored;
DROP TABLE stored;
