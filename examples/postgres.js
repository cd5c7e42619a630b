// postgres.js and Prisma: insert a text, find its near-duplicates, and search within 48 bits, in the table of
// doc/drivers.md.  sql is an open connection, and body a string.
//
// Prisma: write prisma.$executeRaw for sql in the INSERT, and prisma.$queryRaw in the queries.  The schema has the
// column as `fp Unsupported("bit(256)")?`.  prisma.doc.create works and leaves fp out.

await sql`INSERT INTO docs (body) VALUES (${body}) ON CONFLICT DO NOTHING`;
const [near] = await sql`SELECT id FROM docs WHERE fp % minhash_bits(${body})`;
console.log(String(near.id));
const rows = await sql`
  SELECT id, fp <-> minhash_bits(${body}) AS distance FROM docs WHERE fp <-> minhash_bits(${body}) <= ${48}`;
for (const row of rows) console.log(`${row.id} ${row.distance}`);
