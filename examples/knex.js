// Knex: insert a text, find its near-duplicates, and search within 48 bits, in the table of doc/drivers.md.  knex is an
// open connection, and body a string.
//
// In a migration, declare the column with
// `t.specificType('fp', 'bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED')` and the constraint with
// `knex.raw('ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)')`.

await knex('docs').insert({ body }).onConflict().ignore();
const near = await knex('docs').first('id').whereRaw('fp % minhash_bits(?)', [body]);
console.log(near.id);
const rows = await knex('docs').select('id', knex.raw('fp <-> minhash_bits(?) AS distance', [body]))
  .whereRaw('fp <-> minhash_bits(?) <= ?', [body, 48]);
for (const row of rows) console.log(row.id, row.distance);
