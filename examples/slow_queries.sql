-- The tables of slow-queries.md.  Load them into a new database, because some examples delete rows.
\set ON_ERROR_STOP on

CREATE EXTENSION IF NOT EXISTS simhash;

-- Documents.  Tenant 999 has five documents, and many documents have the same text
CREATE TABLE docs (id bigint PRIMARY KEY, tenant integer, fp simhash);
INSERT INTO docs
  SELECT id, CASE WHEN id <= 5 THEN 999 ELSE id % 150 END,
         CASE WHEN id % 1000 = 0 THEN '0123456789abcdef' ELSE hashint8extended(id, 0)::simhash END
  FROM generate_series(1, 1000000) id;
CREATE INDEX ON docs USING bitblock (fp);
CREATE INDEX ON docs (tenant);

-- Other documents, with a partition for each month.  Some are near documents in docs
CREATE TABLE archive (id bigint, day date, fp simhash) PARTITION BY RANGE (day);
SELECT format('CREATE TABLE archive_%s PARTITION OF archive FOR VALUES FROM (%L) TO (%L)', to_char(month, 'MM'),
              month, month + interval '1 month')
FROM generate_series(date '2026-01-01', date '2026-12-01', '1 month') month \gexec
INSERT INTO archive
  SELECT id, date '2026-01-01' + id::integer % 360,
         CASE WHEN id % 10 = 1 THEN (fp::bigint # 1)::simhash ELSE hashint8extended(id, 1)::simhash END
  FROM docs;
CREATE INDEX ON archive USING bitblock (fp);

-- New documents without an index, and ten fingerprints to search for
CREATE TABLE staging AS
  SELECT id AS n, day, CASE WHEN id % 10 = 0 THEN '0123456789abcdef'
                            WHEN id % 2 = 0 THEN hashint8extended(id, 2)::simhash ELSE fp END AS fp
  FROM archive WHERE id <= (SELECT count(*) / 200 FROM docs);
CREATE TABLE wanted AS SELECT fp FROM staging WHERE n <= 100 AND n % 10 = 1;
VACUUM ANALYZE;
