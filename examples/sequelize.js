// Sequelize: declare the table of doc/drivers.md, insert a text, find its near-duplicates, and search within 48 bits.
// sequelize is an open connection, body a string, and DataTypes and literal are imported from 'sequelize'.

const Doc = sequelize.define('Doc', {
  body: { type: DataTypes.TEXT, allowNull: false },
  fp: 'bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED',
}, { tableName: 'docs', timestamps: false });
await Doc.sync();    // not with { alter: true }. Then: ALTER TABLE docs ADD EXCLUDE USING bitblock (fp WITH %)
await Doc.bulkCreate([{ body }], { ignoreDuplicates: true });
const replacements = { body, bound: 48 };
const near = await Doc.findOne({ where: literal('fp % minhash_bits(:body)'), replacements });
console.log(near.id);
const rows = await Doc.findAll({
  attributes: ['id', [literal('fp <-> minhash_bits(:body)'), 'distance']],
  where: literal('fp <-> minhash_bits(:body) <= :bound'), replacements });
for (const row of rows) console.log(row.id, row.get('distance'));
