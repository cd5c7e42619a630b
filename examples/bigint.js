// node-postgres, and Knex and Drizzle if `types` of the package pg has the parsers: fingerprints as BigInt.  client is an
// open connection.  Send a fingerprint with fp <-> $1 and parameter(fp, 256), or parameter(fp, 64) for a simhash.

const { rows: [type] } = await client.query("SELECT 'simhash'::regtype::oid");
client.setTypeParser(type.oid, (digits) => BigInt('0x' + digits));
client.setTypeParser(1560, (digits) => BigInt('0b' + digits));    // bit(n)
const parameter = (fp, bits) => fp.toString(2).padStart(bits, '0');
