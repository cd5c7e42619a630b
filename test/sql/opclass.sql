-- Every operator class and family of the extension is complete and consistent.
SELECT amname, opcname, amvalidate(c.oid)
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
WHERE opcintype IN ('simhash'::regtype, 'simhash_ball'::regtype) OR amname = 'bitblock'
ORDER BY 1, 2;

-- An operator class for leading columns whose hash function takes other values is invalid, as in hash
-- indexes.  A function for values of the same form is valid.
CREATE OPERATOR CLASS of_text FOR TYPE integer USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashtext(text);
CREATE OPERATOR CLASS of_cid FOR TYPE cid USING bitblock AS OPERATOR 18 =, FUNCTION 1 hashint4(integer);
\set VERBOSITY sqlstate
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname IN ('of_text', 'of_cid') ORDER BY 1;
\set VERBOSITY default
DROP OPERATOR FAMILY of_text USING bitblock;
DROP OPERATOR FAMILY of_cid USING bitblock;

-- Operators: commutators and negators are mutual, estimators are there.
SELECT o.oid::regoperator
FROM pg_operator o JOIN pg_depend d ON d.objid = o.oid AND d.classid = 'pg_operator'::regclass
  AND d.refclassid = 'pg_extension'::regclass
  JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'simhash'
WHERE oprresult = 'boolean'::regtype AND (oprrest = 0 OR oprjoin = 0 OR oprcom = 0)
   OR oprcom <> 0 AND (SELECT oprcom FROM pg_operator c WHERE c.oid = o.oprcom) <> o.oid
   OR oprnegate <> 0 AND (SELECT oprnegate FROM pg_operator c WHERE c.oid = o.oprnegate) <> o.oid;

-- Functions: all strict but triggers, those that have optional arguments or a typed NULL beside
-- a query, and the parts of an aggregate; parallel safe, or for the leader if they are volatile, but for those
-- that run a query of the caller's or an index's functions, which may be anything; nothing shadowed in pg_catalog.
SELECT p.oid::regprocedure
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
  AND d.refclassid = 'pg_extension'::regclass
  JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'simhash'
WHERE proparallel = 'u' AND coalesce(proargnames[1], '') NOT IN ('query', 'edges') AND proname <> 'bitblock_check' OR proparallel = 'r' AND provolatile <> 'v'
   OR prokind = 'f' AND NOT proisstrict AND pronargdefaults = 0 AND coalesce(proargnames[1], '') NOT IN ('query', 'edges') AND prorettype <> 'trigger'::regtype AND 'internal'::regtype <> ALL (proargtypes::oid[])
   OR EXISTS (SELECT 1 FROM pg_proc c WHERE c.proname = p.proname
              AND c.proargtypes = p.proargtypes AND c.pronamespace = 'pg_catalog'::regnamespace);

-- No two aggregates differ in the number of arguments only: agg(a ORDER BY b) would take the place of agg(a, b).
SELECT a.aggfnoid::regprocedure, b.aggfnoid::regprocedure
FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_proc q USING (proname, pronamespace) JOIN pg_aggregate b ON q.oid = b.aggfnoid
WHERE p.pronargs < q.pronargs AND proname ~ 'hash';

-- Each function has a comment.  One that is not internal stands in doc/reference.md.
\set ECHO none
\set reference `cat doc/reference.md`
\set ECHO all
CREATE TEMP VIEW functions AS
SELECT p.oid::regprocedure AS function, proname, coalesce(obj_description(p.oid, 'pg_proc'), '') AS comment
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
  AND d.refclassid = 'pg_extension'::regclass
  JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'simhash';
SELECT function FROM functions
WHERE comment IN ('', 'internal: ') OR comment NOT LIKE 'internal: %' AND :'reference' !~ ('\m' || proname || '\(');
SELECT proname, count(*) FROM functions WHERE comment NOT LIKE 'internal: %' GROUP BY 1 ORDER BY proname COLLATE "C";
-- What PostgreSQL calls by itself is internal: parts of types, casts, operators, operator classes and
-- aggregates, planner support.
SELECT function FROM functions
WHERE comment NOT LIKE 'internal: %'
  AND (proname ~ '_(in|out|recv|send|support|sel|joinsel)$' OR function IN (SELECT castfunc FROM pg_cast UNION SELECT oprcode FROM pg_operator UNION SELECT amproc FROM pg_amproc
         UNION SELECT aggtransfn FROM pg_aggregate UNION SELECT aggfinalfn FROM pg_aggregate UNION SELECT aggcombinefn FROM pg_aggregate
         UNION SELECT aggserialfn FROM pg_aggregate UNION SELECT aggdeserialfn FROM pg_aggregate));
DROP VIEW functions;

-- Names: with the prefix of the type, method or access method, and never that of a function of
-- PostgreSQL.
SELECT p.oid::regprocedure
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
  AND d.refclassid = 'pg_extension'::regclass
  JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'simhash'
WHERE proname !~ '^(to_simhash$|(simhash|minhash|hamming|bit|bitblock)(_|$))'
   OR EXISTS (SELECT 1 FROM pg_proc c WHERE c.proname = p.proname AND c.pronamespace = 'pg_catalog'::regnamespace);

-- Row-level security needs leakproof functions.  The distance of bit strings is not leakproof,
-- because unequal lengths are an error.
SELECT p.oid::regprocedure
FROM pg_proc p JOIN pg_operator o ON o.oprcode = p.oid
  JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
  AND d.refclassid = 'pg_extension'::regclass
  JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'simhash'
WHERE NOT proleakproof;
