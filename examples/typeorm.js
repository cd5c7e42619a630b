// TypeORM: declare the table of doc/drivers.md, insert a text, find its near-duplicates, and search within 48 bits.
// options are those of a connection, body is a string, and DataSource and EntitySchema are imported from 'typeorm'.
//
// TypeORM rejects the column type simhash (Data type "simhash" ... is not supported) unless you write
// `source.driver.supportedDataTypes.push('simhash')` before initialize().  synchronize() drops constraints and indexes
// that the entity does not name.  Name an index with
// `indices: [{ name: 'docs_fp', columns: ['fp'], synchronize: false }]`.

const Doc = new EntitySchema({ name: 'Doc', tableName: 'docs', columns: {
  id: { type: 'bigint', primary: true, generated: 'identity' },
  body: { type: 'text' },
  fp: { type: 'bit', length: 256, nullable: true, generatedType: 'STORED', asExpression: 'minhash_bits(body)' },
}, exclusions: [{ name: 'docs_near', expression: 'USING bitblock (fp WITH %)' }] });
const source = new DataSource({ ...options, entities: [Doc] });
await source.initialize();
await source.synchronize();
const docs = source.getRepository('Doc');
await docs.createQueryBuilder().insert().values({ body }).orIgnore().execute();
const near = await docs.createQueryBuilder('d').where('d.fp % minhash_bits(:body)', { body }).getOne();
console.log(near.id);
const rows = await docs.createQueryBuilder('d').select('d.id', 'id')
  .addSelect('d.fp <-> minhash_bits(:body)', 'distance')
  .where('d.fp <-> minhash_bits(:body) <= :bound', { body, bound: 48 }).getRawMany();
for (const row of rows) console.log(row.id, row.distance);
