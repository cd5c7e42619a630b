"""psycopg 3, psycopg2 and asyncpg: values, arrays, COPY, both formats, plans"""

import asyncio
import unittest

from pgsimhash import Fingerprint, minhash, minhash_bits

from .support import DOCUMENTS, QUICK, SERVER, PlanMixin, need

need()

FP = minhash(QUICK)
WIDE = minhash_bits(QUICK)
ODD = Fingerprint(5, 81)
FAR = Fingerprint(-FP.value, 64)

TABLE = "DROP TABLE IF EXISTS own; CREATE TABLE own (id integer, s simhash, w bit(256), b64 bit(64), odd bit(81), list simhash[])"
QUERIES = (
    # parameters of the types simhash, bit(256), bit(64)
    ("docs_fp64", "SELECT id FROM docs WHERE fp64 <-> {} <= {}", (FP, 5)),
    ("docs_fp64", "SELECT id FROM docs WHERE fp64 <@ simhash_ball({}, {})", (FP, 5)),
    ("docs_fp", "SELECT id FROM docs WHERE fp <-> {} <= {}", (WIDE, 20)),
    ("docs_fp", "SELECT id FROM docs WHERE bit_within(fp, {}, {})", (WIDE, 20)),
    ("docs_fp", "SELECT id FROM docs ORDER BY fp <-> {} LIMIT {}", (WIDE, 5)),
)


class Psycopg(PlanMixin, unittest.TestCase):
    """Of psycopg 3 and of psycopg2"""

    def setUp(self):
        self.connection, self.register = self.connect()
        self.addCleanup(self.connection.close)
        self.run_sql(TABLE)

    def run_sql(self, query, parameters=None):
        cursor = self.connection.cursor()
        cursor.execute(query, parameters)
        return cursor.fetchall() if cursor.description else []

    def test_values(self):
        self.assertEqual(self.run_sql("SELECT s, s::bit(64) FROM (SELECT %s::simhash s) q", (str(FP),)), [(str(FP), FP.binary())])
        self.register()
        row = (1, FP, WIDE, FP, ODD, [FP, FAR, None])
        self.run_sql("INSERT INTO own VALUES (%s, %s, %s, %s, %s, %s::simhash[])", row)
        self.assertEqual(self.run_sql("SELECT * FROM own"), [row])
        self.run_sql("UPDATE own SET s = %s, w = NULL WHERE s = %s AND w = %s AND odd = %s", (FAR, FP, WIDE, ODD))
        self.assertEqual(self.run_sql("SELECT s, w, ARRAY[b64] FROM own"), [(FAR, None, [FP])])
        self.assertEqual(self.run_sql("SELECT id FROM own WHERE s = ANY(%s::simhash[])", ([FP, FAR],)), [(1,)])
        arrays = "format('SELECT * FROM unnest(%%L::int[], %%L::simhash[])', %s::int[], %s::simhash[])"
        self.assertEqual(self.run_sql(f"SELECT count(*) FROM simhash_pairs({arrays}, 64)", ([1, 2, 3], [FP, FP, FAR])), [(3,)])
        self.assertEqual(self.run_sql("SELECT %s::simhash <-> %s, %s::bit(81) <-> %s", (FP, FAR, ODD, ODD)), [(FP - FAR, 0)])
        self.assertEqual(self.run_sql("SELECT B'101'")[0][0], Fingerprint(5, 3))

    def test_index(self):
        self.run_sql(DOCUMENTS)
        self.register()
        for index, query, parameters in QUERIES:
            plan = self.run_sql("EXPLAIN " + query.format("%s", "%s"), parameters)
            self.assert_uses(index, [line for (line,) in plan])

    def test_bit_is_an_option(self):
        self.register(bit=False)
        self.assertEqual(self.run_sql("SELECT B'101', %s::simhash", (FP,)), [("101", FP)])

    def test_state(self):
        """register neither ends a transaction nor leaves one open."""
        self.connection.autocommit = False
        self.register()
        self.assertEqual(self.connection.info.transaction_status, 0)
        self.run_sql("UPDATE own SET id = 1")
        self.register()
        self.assertEqual(self.connection.info.transaction_status, 2)
        self.connection.rollback()

    def test_no_extension(self):
        self.run_sql("BEGIN; DROP EXTENSION simhash CASCADE")
        try:
            self.assertRaisesRegex(LookupError, "CREATE EXTENSION simhash", self.register)
            self.register(simhash=False)
            self.assertEqual(self.run_sql("SELECT %s::bit(256)", (WIDE,)), [(WIDE,)])
        finally:
            self.run_sql("ROLLBACK")

    def test_other_schema(self):
        self.run_sql("BEGIN; DROP EXTENSION simhash CASCADE; CREATE SCHEMA ext; CREATE EXTENSION simhash SCHEMA ext")
        try:
            self.register()
            self.assertEqual(self.run_sql("SELECT %s::ext.simhash", (FP,)), [(FP,)])
        finally:
            self.run_sql("ROLLBACK")


class TestPsycopg(Psycopg):
    def connect(self):
        try:
            import psycopg
        except ImportError:
            self.skipTest("psycopg is not installed")
        import pgsimhash.psycopg

        self.own = pgsimhash.psycopg
        connection = psycopg.connect(**self.parameters())
        return connection, lambda **options: self.own.register(connection, **options)

    @staticmethod
    def parameters():
        return {("dbname" if name == "database" else name): value for name, value in SERVER.items()} | {"autocommit": True}

    def test_formats(self):
        self.register()
        for placeholder in ("%s", "%t", "%b"):
            for binary in (False, True):
                query = f"SELECT {placeholder}::simhash, {placeholder}::bit(256), {placeholder}::bit(81), {placeholder}::simhash[]"
                parameters = (FP, WIDE, ODD, [FP, FAR])
                row = self.connection.execute(query, parameters, binary=binary).fetchone()
                self.assertEqual(row, parameters, (placeholder, binary))
        self.assertEqual(self.connection.execute("SELECT %b", (WIDE,)).fetchone(), (WIDE,))
        self.assertEqual(self.connection.execute("SELECT %s::bit(81)[]", ([ODD, ODD],)).fetchone(), ([ODD, ODD],))

    def test_copy(self):
        self.register()
        rows = [(1, FP, WIDE), (2, None, None), (3, FAR, ~WIDE)]
        for form in ("text", "binary"):
            self.run_sql("TRUNCATE own")
            with self.connection.cursor() as cursor:
                with cursor.copy(f"COPY own (id, s, w) FROM STDIN (FORMAT {form})") as copy:
                    copy.set_types(["integer", "simhash", "bit"])
                    for row in rows:
                        copy.write_row(row)
                with cursor.copy(f"COPY own (id, s, w) TO STDOUT (FORMAT {form})") as copy:
                    copy.set_types(["integer", "simhash", "bit"])
                    self.assertEqual(list(copy.rows()), rows)

    def test_async(self):
        import psycopg

        async def run():
            async with await psycopg.AsyncConnection.connect(**self.parameters()) as connection:
                await self.own.register_async(connection)
                cursor = await connection.execute("SELECT %s::simhash, %s::bit(256)", (FP, WIDE))
                return await cursor.fetchone()

        self.assertEqual(asyncio.run(run()), (FP, WIDE))


class TestPsycopg2(Psycopg):
    def connect(self):
        try:
            import psycopg2
        except ImportError:
            self.skipTest("psycopg2 is not installed")
        import pgsimhash.psycopg2 as own

        connection = psycopg2.connect(**SERVER)
        connection.autocommit = True
        return connection, lambda **options: own.register(connection, **options)


class TestAsyncpg(PlanMixin, unittest.TestCase):
    def run_with(self, body, **options):
        try:
            import asyncpg
        except ImportError:
            self.skipTest("asyncpg is not installed")
        from pgsimhash.asyncpg import register

        async def run():
            connection = await asyncpg.connect(**SERVER)
            try:
                await register(connection, **options)
                await body(connection)
            finally:
                await connection.close()

        asyncio.run(run())

    def test_values(self):
        async def body(connection):
            await connection.execute(TABLE)
            row = (1, FP, WIDE, FP, ODD, [FP, FAR, None])
            await connection.execute("INSERT INTO own VALUES ($1, $2, $3, $4, $5, $6)", *row)
            self.assertEqual(tuple(await connection.fetchrow("SELECT * FROM own")), row)
            self.assertEqual(await connection.fetchval("SELECT s <-> $1 FROM own WHERE w = $2", FAR, WIDE), FP - FAR)
            # other forms of the same values
            await connection.execute("INSERT INTO own VALUES (2, $1, $2)", FP.signed, WIDE.binary())
            self.assertEqual(await connection.fetchval("SELECT count(*) FROM own WHERE s = $1 AND w = $2", str(FP), WIDE), 2)
            await connection.copy_records_to_table("own", records=[(3, FAR, ~WIDE)], columns=["id", "s", "w"])
            self.assertEqual(tuple(await connection.fetchrow("SELECT s, w FROM own WHERE id = 3")), (FAR, ~WIDE))
            with self.assertRaisesRegex(Exception, "64 bits"):
                await connection.fetchval("SELECT $1::simhash", WIDE)

        self.run_with(body)

    def test_index(self):
        async def body(connection):
            await connection.execute(DOCUMENTS)
            for index, query, parameters in QUERIES:
                plan = await connection.fetch("EXPLAIN " + query.format("$1", "$2"), *parameters)
                self.assert_uses(index, [line for (line,) in plan])

        self.run_with(body)

    def test_bit_is_an_option(self):
        async def body(connection):
            self.assertEqual(type(await connection.fetchval("SELECT B'101'")).__name__, "BitString")
            self.assertEqual(await connection.fetchval("SELECT $1::simhash", FP), FP)

        self.run_with(body, bit=False)

    def test_no_extension(self):
        async def body(connection):
            self.assertEqual(await connection.fetchval("SELECT $1::bit(256)", WIDE), WIDE)

        self.run_with(body, simhash=False)


del Psycopg
