// Drizzle: declare the table of doc/drivers.md, insert a text, find its near-duplicates, and search within 48 bits.
// db is an open connection, body a string; sql is imported from 'drizzle-orm', and pgTable, bigint, text and bit from
// 'drizzle-orm/pg-core'.
//
// A column of the type simhash is
// `customType({ dataType: () => 'simhash', fromDriver: (s) => BigInt('0x' + s), toDriver: (n) => n.toString(16).padStart(16, '0') })`.
// drizzle-kit has no EXCLUDE: add the constraint in a custom migration.

const docs = pgTable('docs', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  body: text().notNull(),
  fp: bit({ dimensions: 256 }).generatedAlwaysAs(sql`minhash_bits(body)`),
});
await db.insert(docs).values({ body }).onConflictDoNothing();
const fp = sql`minhash_bits(${body})`, distance = sql`${docs.fp} <-> ${fp}`;
const [near] = await db.select({ id: docs.id }).from(docs).where(sql`${docs.fp} % ${fp}`);
console.log(near.id);
const rows = await db.select({ id: docs.id, distance }).from(docs).where(sql`${distance} <= ${48}`);
for (const row of rows) console.log(row.id, row.distance);
