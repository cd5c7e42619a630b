-- Untyped literals and parameters: each call must resolve to the same function or operator when
-- the extension gets new functions and operators.  Errors are shown by their SQLSTATE, because messages differ
-- between versions of PostgreSQL.
CREATE FUNCTION resolve_literals(call text, VARIADIC literals text[]) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE type text; result text;
BEGIN
  FOR i IN REVERSE cardinality(literals)..1 LOOP
    call := replace(call, '$' || i, quote_nullable(literals[i]));
  END LOOP;
  EXECUTE format('SELECT pg_typeof(v)::text, v::text FROM (SELECT %s FROM typed) s (v)', call) INTO type, result;
  RETURN type || ' ' || left(result, 40);
EXCEPTION WHEN others THEN
  RETURN SQLSTATE;
END $$;
CREATE FUNCTION resolve_parameters(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE types text;
BEGIN
  EXECUTE format('PREPARE resolved AS SELECT %s FROM typed', call);
  SELECT parameter_types::text INTO types FROM pg_prepared_statements WHERE name = 'resolved';
  DEALLOCATE resolved;
  RETURN types;
EXCEPTION WHEN others THEN
  RETURN SQLSTATE;
END $$;
CREATE TABLE typed (fp simhash, ball simhash_ball, d hamming, n integer, b bit(64), v bit varying, t text);
INSERT INTO typed VALUES ('0123456789abcdef', '<0123456789abcdef,3>', 3, 3, x'0123456789abcdef', x'01', 'text');

-- Operators
WITH sides (a, b, ops) AS (
  VALUES ('fp', '$1', '{<->,<~>,%,<@}'::text[]), ('$1', 'fp', '{<->,<~>,%,@>}'), ('$1', '$2', '{<->,<~>,%,<@,@>,&&}'),
         ('d', '$1', '{%}'), ('$1', 'd', '{%}'), ('n', '$1', '{%}'), ('$1', 'n', '{%}'),
         ('ball', '$1', '{@>,&&}'), ('$1', 'ball', '{<@,&&}'), ('b', '$1', '{%}'), ('$1', 'b', '{%}'), ('v', '$1', '{%}'), ('$1', 'v', '{%}')
), calls AS (
  SELECT a, b, format('%s %s %s', a, op, b) AS call
  FROM sides, unnest(ops || '{=,<>,<,<=,>,>=,#,&,|}'::text[]) op
)
SELECT call, resolve_literals(call, l.a, l.b) AS literals, resolve_parameters(call) AS parameters
FROM calls, LATERAL (SELECT CASE WHEN 'ball' IN (calls.a, calls.b) THEN '<0123456789abcdef,3>'
                                 WHEN calls.a IN ('d', 'n') OR calls.b IN ('d', 'n') THEN '3'
                                 WHEN 'v' IN (calls.a, calls.b) THEN '00000001'
                                 WHEN 'b' IN (calls.a, calls.b) THEN '0000000100100011010001010110011110001001101010111100110111101111'
                                 ELSE '0123456789abcdef' END) l1 (a),
  LATERAL (SELECT l1.a, l1.a) l (a, b)
ORDER BY call COLLATE "C";
-- with literals of the other types
SELECT call, resolve_literals(call, l) AS literals
FROM unnest('{fp <@ $1,$1 @> fp,ball @> $1,$1 <@ ball,ball && $1,$1 && ball,~ $1,fp <-> $1 <= 3,fp <-> fp <= $1,fp <-> fp = $1,fp <-> $1 <= d,$1 >= fp <-> fp}'::text[]) call,
  unnest('{0123456789abcdef,"<0123456789abcdef,3>",3,0000000100100011010001010110011110001001101010111100110111101111}'::text[]) l
ORDER BY call COLLATE "C", l COLLATE "C";
SELECT call, resolve_parameters(call) AS parameters
FROM unnest('{~ $1,fp <-> $1 <= $2,$1 <-> fp < $2,fp <-> $1 = $2,$2 >= fp <-> $1,fp <-> $1 BETWEEN $2 AND $3,fp = ANY ($1),fp % ANY ($1)}'::text[]) call
ORDER BY call COLLATE "C";

-- Functions, all arguments untyped
WITH calls (call, literals) AS (VALUES
  ('simhash($1)', '{some text}'::text[]),
  ('simhash($1, $2)', '{some text,words}'),
  ('simhash($1, features => $2)', '{some text,words}'),
  ('simhash($1, features => $2, n => $3, weight => $4, fold => $5, normalization => $6)', '{some text,words,2,once,t,t}'),
  ('minhash($1)', '{some text}'),
  ('minhash($1, $2)', '{some text,words}'),
  ('minhash($1, features => $2)', '{some text,words}'),
  ('simhash(t, $1)', '{words}'),
  ('minhash(t, $1)', '{words}'),
  ('simhash_from_features(ARRAY[$1, $2])', '{some,text}'),
  ('simhash_from_features(ARRAY[$1, $2], ARRAY[$3, $4])', '{some,text,1,2}'),
  ('simhash_from_features(ARRAY[$1, $2], $3)', '{some,text,"{1,2}"}'),
  ('minhash_from_features(ARRAY[$1, $2])', '{some,text}'),
  ('simhash(ARRAY[$1, $2])', '{some,text}'),
  ('minhash(ARRAY[$1, $2])', '{some,text}'),
  ('simhash_from_features($1)', '{"{a,b}"}'),
  ('simhash_from_features($1, $2)', '{"{a,b}","{1,2}"}'),
  ('minhash_from_features($1)', '{"{a,b}"}'),
  ('simhash_bits_from_features($1)', '{"{a,b}"}'),
  ('simhash_bits_from_features($1, $2)', '{"{a,b}",64}'),
  ('simhash_bits_from_features($1, 64)', '{"{a,b}"}'),
  ('minhash_bits_from_features($1, $2)', '{"{a,b}",64}'),
  ('minhash_bits($1)', '{some text}'),
  ('minhash_bits($1, 64)', '{some text}'),
  ('minhash_bits($1, bits => $2)', '{some text,64}'),
  ('minhash_bits($1, $2)', '{some text,64}'),
  ('minhash_bits($1, $2, $3)', '{some text,64,words}'),
  ('minhash_bits($1, features => $2)', '{some text,words}'),
  ('minhash_bits(t, $1)', '{64}'),
  ('simhash_bits($1)', '{some text}'),
  ('simhash_bits($1, 64)', '{some text}'),
  ('simhash_bits($1, $2)', '{some text,64}'),
  ('simhash_bits($1, features => $2, weight => $3)', '{some text,words,once}'),
  ('simhash_bits(t, $1)', '{64}'),
  ('(SELECT count(*) FROM simhash_features($1))', '{some text}'),
  ('(SELECT count(*) FROM simhash_features($1, $2))', '{some text,words}'),
  ('simhash_resemblance($1, $2)', '{some text,text}'),
  ('(SELECT count(*) FROM simhash_explain($1, $2))', '{some text,text}'),
  ('simhash_within($1, $2, $3)', '{0123456789abcdef,0123456789abcdee,3}'),
  ('simhash_blocks($1, $2)', '{0123456789abcdef,3}'),
  ('simhash_ball($1, $2)', '{0123456789abcdef,3}'),
  ('(SELECT count(*) FROM simhash_calibrate($1))', '{"{0123456789abcdef}"}'),
  ('(SELECT min(distance) FROM simhash_calibrate(ARRAY[fp, $1]))', '{0123456789abcdef}'),
  ('(SELECT count(*) FROM simhash_pairs($1))', '{SELECT n\, fp FROM typed}'),
  ('(SELECT count(*) FROM simhash_pairs($1, distance => $2))', '{SELECT n\, fp FROM typed,3}'),
  ('(SELECT count(*) FROM simhash_pairs($1, NULL::int))', '{SELECT n\, fp FROM typed}'),
  ('(SELECT count(*) FROM simhash_pairs($1, NULL::int, $2))', '{SELECT n\, fp FROM typed,3}'),
  ('(SELECT count(*) FROM simhash_clusters($1))', '{SELECT n\, fp FROM typed}'),
  ('(SELECT count(*) FROM simhash_clusters($1, distance => $2, method => $3))', '{SELECT n\, fp FROM typed,3,star}'),
  ('(SELECT count(*) FROM simhash_clusters($1, NULL::int, $2, $3))', '{SELECT n\, fp FROM typed,3,star}'),
  ('simhash_agg($1)', '{some}'),
  ('simhash_weighted_agg($1, $2)', '{some,2}'),
  ('minhash_agg($1)', '{some}'),
  ('greatest(fp, $1)', '{0123456789abcdef}'),
  ('simhash($1)', '{0123456789abcdef}'),
  ('simhash $1', '{0123456789abcdef}'),
  ('CAST($1 AS simhash)', '{0123456789abcdef}'),
  ('CAST($1 AS simhash_ball)', '{"<0123456789abcdef,3>"}'),
  ('fp IN ($1, $2)', '{0123456789abcdef,0123456789abcdee}')
)
SELECT call, resolve_literals(call, VARIADIC literals) AS literals, resolve_parameters(call) AS parameters FROM calls;
-- bitblock_check and bitblock_stats take the name of an index
CREATE INDEX typed_fp ON typed USING bitblock (fp);
SELECT resolve_literals('bitblock_check($1)', 'typed_fp'), resolve_parameters('bitblock_check($1)'),
  resolve_literals('bitblock_check($1, $2)', 'typed_fp', 't'), resolve_parameters('bitblock_check($1, $2)'),
  resolve_literals('(SELECT count(*) > 1 FROM bitblock_stats($1))', 'typed_fp'), resolve_parameters('(SELECT count(*) FROM bitblock_stats($1))');

DROP TABLE typed;
DROP FUNCTION resolve_literals, resolve_parameters;
