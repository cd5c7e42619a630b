"""SQLAlchemy and Alembic"""

import io
import os
import tempfile
import unittest

from pgsimhash import Fingerprint, minhash, minhash_bits

from .support import CHANGED, OTHER, QUICK, SERVER, PlanMixin, need

need("sqlalchemy", "psycopg2")

import sqlalchemy  # noqa: E402
from sqlalchemy import BigInteger, DDL, Column, Computed, FetchedValue, Identity, Index, Integer, MetaData, Table, Text, event, func, select, text  # noqa: E402
from sqlalchemy.exc import IntegrityError, StatementError  # noqa: E402
from sqlalchemy.orm import Session, declarative_base  # noqa: E402

from pgsimhash.sqlalchemy import Bit, NearConstraint, Simhash  # noqa: E402

Base = declarative_base()


class Doc(Base):
    __tablename__ = "docs"
    id = Column(BigInteger, Identity(), primary_key=True)
    body = Column(Text)
    fp = Column(Bit(256), Computed("minhash_bits(body)", persisted=True))
    fp64 = Column(Simhash)
    __table_args__ = (
        Index("docs_fp", "fp", postgresql_using="bitblock"),
        Index("docs_fp64", "fp64", postgresql_using="bitblock"),
    )


class Unique(Base):
    __tablename__ = "uniq"
    id = Column(BigInteger, Identity(), primary_key=True)
    tenant = Column(Integer)
    fp = Column(Bit(256))
    __table_args__ = (NearConstraint("tenant", "fp", name="uniq_near", where=text("tenant > 0")),)


class Published(Base):
    __tablename__ = "published"
    id = Column(BigInteger, Identity(), primary_key=True)
    state = Column(Text)
    fp = Column(Simhash)
    __table_args__ = (NearConstraint("fp", where=state.like("a%:b")),)


DROP = "DROP TABLE IF EXISTS docs, uniq, published, own, alembic_version, marked"


class Marked(declarative_base()):
    """Triggers set two columns, one of them also on UPDATE"""

    __tablename__ = "marked"
    id = Column(BigInteger, Identity(), primary_key=True)
    body = Column(Text)
    fp = Column(Bit(256), FetchedValue(), server_onupdate=FetchedValue())
    duplicate_of = Column(BigInteger, FetchedValue())
    __table_args__ = (Index("marked_fp", "fp", postgresql_using="bitblock"),)
    __mapper_args__ = {"eager_defaults": True}


FINGERPRINT = """CREATE OR REPLACE FUNCTION marked_fingerprint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.fp := minhash_bits(NEW.body);
  RETURN NEW;
END $$"""
TRIGGERS = (
    "CREATE TRIGGER fingerprint BEFORE INSERT OR UPDATE OF body ON marked FOR EACH ROW EXECUTE FUNCTION marked_fingerprint()",
    "CREATE TRIGGER original BEFORE INSERT ON marked FOR EACH ROW EXECUTE FUNCTION simhash_record_original('fp', 'duplicate_of', 'id')",
)
for ddl in (FINGERPRINT, *TRIGGERS):
    event.listen(Marked.__table__, "after_create", DDL(ddl))


def url(driver):
    return sqlalchemy.engine.URL.create(
        "postgresql+" + driver, username=SERVER["user"], database=SERVER["database"], query={"host": SERVER["host"], "port": SERVER["port"]}
    )


class Sync(PlanMixin, unittest.TestCase):
    driver = "psycopg2"

    def setUp(self):
        try:
            self.engine = sqlalchemy.create_engine(url(self.driver))
        except (ImportError, sqlalchemy.exc.NoSuchModuleError):
            self.skipTest(f"this SQLAlchemy has no dialect {self.driver}, or the driver is not installed")
        self.addCleanup(self.engine.dispose)
        with self.engine.begin() as connection:
            connection.execute(text(DROP))
        Base.metadata.create_all(self.engine)

    def fill(self, session):
        for body in (QUICK, CHANGED, OTHER):
            session.add(Doc(body=body, fp64=minhash(body)))
            session.flush()
        session.execute(text("INSERT INTO docs (body, fp64) SELECT 'filler ' || md5(i::text), minhash(md5(i::text)) FROM generate_series(1, 3000) i"))
        session.execute(text("ANALYZE docs"))

    def plan(self, session, query):
        compiled = query.compile(self.engine, compile_kwargs={"literal_binds": True})
        return [line for (line,) in session.connection().exec_driver_sql("EXPLAIN " + str(compiled))]

    def test_queries(self):
        with Session(self.engine) as session:
            self.fill(session)
            q, q64 = minhash_bits(QUICK), minhash(QUICK)
            first = session.get(Doc, 1)
            self.assertEqual((first.fp, first.fp64), (q, q64))
            by_distance = select(Doc.id).where(Doc.fp.distance(q) <= 48).order_by(Doc.fp.distance(q))
            near64 = select(Doc.id).where(Doc.fp64.distance(q64) <= 12)
            for query, index, expected in (
                (by_distance, "docs_fp ", [1, 2]),
                (near64, "docs_fp64", [1, 2]),
                (select(Doc.id).where(Doc.fp.near(q)), "docs_fp ", [1, 2]),
                (select(Doc.id).order_by(Doc.fp.nearest(q)).limit(2), "docs_fp ", [1, 2]),
                (select(Doc.id).where(Doc.fp.distance(func.minhash_bits(QUICK)) <= 0), "docs_fp ", [1]),
            ):
                self.assertEqual(sorted(session.scalars(query) if hasattr(session, "scalars") else [r[0] for r in session.execute(query)]), expected)
                self.assert_uses(index, self.plan(session, query))
            self.assertEqual(session.execute(select(Doc.fp.distance(q)).where(Doc.id == 1)).scalar(), 0)
            self.assertEqual(session.execute(select(Doc.id).where(Doc.fp64 == str(q64))).scalar(), 1)
            self.assertIsInstance(session.execute(select(func.minhash("a", type_=Simhash()))).scalar(), Fingerprint)

    def test_parameters_use_the_index(self):
        """With parameters, as the engine sends them, and not with literals"""
        with Session(self.engine) as session:
            self.fill(session)
            for column, q, index in ((Doc.fp, minhash_bits(QUICK), "docs_fp "), (Doc.fp64, minhash(QUICK), "docs_fp64")):
                query = select(Doc.id).where(column.distance(q) <= 5)

                @sqlalchemy.event.listens_for(self.engine, "before_cursor_execute", retval=True)
                def explain(connection, cursor, statement, parameters, context, many):
                    return "EXPLAIN " + statement, parameters

                plan = [row[0] for row in session.connection().execute(query)]
                sqlalchemy.event.remove(self.engine, "before_cursor_execute", explain)
                self.assert_uses(index, [str(line) for line in plan])

    def test_values(self):
        with Session(self.engine) as session:
            session.add(Doc(id=5, fp64=Fingerprint(-1)))
            session.add(Doc(id=6, fp64=-1))
            session.add(Doc(id=7))
            session.flush()
            session.expire_all()
            self.assertEqual([session.get(Doc, i).fp64 for i in (5, 6, 7)], [Fingerprint(-1), Fingerprint(-1), None])
            session.add(Doc(id=8, fp64=minhash_bits("a")))
            self.assertRaises(StatementError, session.flush)

    def test_constraint(self):
        with Session(self.engine) as session:
            session.add(Unique(tenant=1, fp=minhash_bits(QUICK)))
            session.add(Unique(tenant=2, fp=minhash_bits(QUICK)))
            session.flush()
            session.add(Unique(tenant=1, fp=Fingerprint(minhash_bits(QUICK).value ^ 3, 256)))
            self.assertRaisesRegex(IntegrityError, "uniq_near", session.flush)

    def test_triggers(self):
        Marked.metadata.create_all(self.engine)
        with Session(self.engine) as session:
            first, second, other = (Marked(body=body) for body in (QUICK, CHANGED, OTHER))
            for doc in (first, second, other):
                session.add(doc)
                session.flush()
            self.assertEqual([doc.duplicate_of for doc in (first, second, other)], [None, first.id, None])
            self.assertEqual(second.fp, minhash_bits(CHANGED))
            second.body = OTHER
            session.flush()
            self.assertEqual(second.fp, minhash_bits(OTHER))

    def test_reflection(self):
        table = Table("docs", MetaData(), autoload_with=self.engine)
        self.assertIsInstance(table.c.fp64.type, Simhash)
        copy = MetaData()
        Unique.__table__.to_metadata(copy) if hasattr(Table, "to_metadata") else Unique.__table__.tometadata(copy)
        with self.engine.begin() as connection:
            connection.execute(text("DROP TABLE uniq"))
        copy.create_all(self.engine)


class TestPsycopg2(Sync):
    def test_registered(self):
        """Types of the driver and of SQLAlchemy together"""
        from pgsimhash.psycopg2 import register

        with Session(self.engine) as session:
            register(session.connection().connection.dbapi_connection)
            session.add(Doc(body=QUICK, fp64=minhash(QUICK)))
            session.flush()
            self.assertEqual(session.execute(select(Doc.fp, Doc.fp64)).first(), (minhash_bits(QUICK), minhash(QUICK)))


class TestPsycopg(Sync):
    driver = "psycopg"


del Sync


class TestAsyncpg(unittest.TestCase):
    def test_values(self):
        try:
            import asyncio

            import asyncpg  # noqa: F401
            from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
        except ImportError as error:
            self.skipTest(str(error))

        async def run():
            engine = create_async_engine(url("asyncpg"))
            async with engine.begin() as connection:
                await connection.execute(text(DROP))
                await connection.run_sync(Base.metadata.create_all)
                fp, wide = minhash(QUICK), minhash_bits(QUICK)
                await connection.execute(Doc.__table__.insert(), [{"body": QUICK, "fp64": fp}, {"body": OTHER, "fp64": None}])
                query = select(Doc.fp, Doc.fp64).where(Doc.fp.distance(wide) <= 20, Doc.fp64.distance(fp) <= 5, Doc.fp.near(wide))
                found = (await connection.execute(query)).all()
                await connection.run_sync(Marked.metadata.create_all)
            async with AsyncSession(engine) as session:
                first, second = Marked(body=QUICK), Marked(body=CHANGED)
                for doc in (first, second):
                    session.add(doc)
                    await session.flush()
                triggers = (second.fp, second.duplicate_of == first.id)
            await engine.dispose()
            return [tuple(row) for row in found], triggers

        self.assertEqual(asyncio.run(run()), ([(minhash_bits(QUICK), minhash(QUICK))], (minhash_bits(CHANGED), True)))


ENV = """
from alembic import context
from pgsimhash.alembic import render_item
from tests.test_sqlalchemy import Base, url
import sqlalchemy

engine = sqlalchemy.create_engine(url(context.config.get_main_option("driver")))
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=Base.metadata, render_item=render_item, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()
"""
SCRIPT = """from alembic import op
import sqlalchemy as sa
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}

def upgrade():
    ${upgrades if upgrades else "pass"}

def downgrade():
    ${downgrades if downgrades else "pass"}
"""
CONSTRAINTS = (
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE contype = 'x' AND conrelid::regclass::text IN ('uniq', 'published') ORDER BY conname"
)
NEAR = [
    ("published", "published_fp_excl", "EXCLUDE USING bitblock (fp WITH %) WHERE ((state ~~ 'a%:b'::text))"),
    ("uniq", "uniq_near", "EXCLUDE USING bitblock (tenant WITH =, fp WITH %) WHERE ((tenant > 0))"),
]


class TestMigrations(unittest.TestCase):
    driver = "psycopg2"

    def setUp(self):
        need("alembic", self.driver)
        from alembic.config import Config

        try:
            self.engine = sqlalchemy.create_engine(url(self.driver))
        except sqlalchemy.exc.NoSuchModuleError:
            self.skipTest(f"this SQLAlchemy has no dialect {self.driver}")
        self.addCleanup(self.engine.dispose)
        self.execute(DROP)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.mkdir(os.path.join(folder.name, "versions"))
        for name, content in (("env.py", ENV), ("script.py.mako", SCRIPT)):
            with open(os.path.join(folder.name, name), "w") as file:
                file.write(content)
        self.config = Config(stdout=io.StringIO())
        self.config.set_main_option("script_location", folder.name)
        self.config.set_main_option("driver", self.driver)

    def execute(self, command):
        with self.engine.begin() as connection:
            connection.execute(text(command))

    def rows(self, query):
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(query))]

    def revision(self, name):
        """The source of a new migration"""
        from alembic import command

        with open(command.revision(self.config, name, autogenerate=True).path) as file:
            return file.read()

    def upgrade(self):
        from alembic import command

        command.upgrade(self.config, "head")

    def downgrade(self):
        from alembic import command

        command.downgrade(self.config, "-1")

    def assert_nothing_to_do(self):
        from alembic import command

        if hasattr(command, "check"):
            command.check(self.config)
        self.assertIn("def upgrade():\n    # ### commands auto generated by Alembic - please adjust! ###\n    pass", self.revision("none"))
        self.upgrade()

    def test_autogenerate(self):
        source = self.revision("all")
        for part in ("import pgsimhash.sqlalchemy\n", "pgsimhash.sqlalchemy.Bit(256)", "pgsimhash.sqlalchemy.Simhash()",
                     "postgresql_using='bitblock'", "pgsimhash.sqlalchemy.NearConstraint('tenant', 'fp', name='uniq_near', where='tenant > 0')"):  # fmt: skip
            self.assertIn(part, source)
        self.upgrade()
        self.assertEqual(self.rows(CONSTRAINTS), NEAR)
        (index,) = self.rows("SELECT indexdef FROM pg_indexes WHERE indexname = 'docs_fp'")
        self.assertIn("USING bitblock (fp)", index[0])
        self.assert_nothing_to_do()

    def test_existing_table(self):
        """Constraints that only the models have, then only the database"""
        from alembic import command

        Base.metadata.create_all(self.engine)
        self.execute("ALTER TABLE uniq DROP CONSTRAINT uniq_near")
        self.execute("ALTER TABLE published DROP CONSTRAINT published_fp_excl")
        if hasattr(command, "check"):
            self.assertRaisesRegex(Exception, "uniq_near|NearConstraint", command.check, self.config)
        source = self.revision("create")
        self.assertIn("import pgsimhash.alembic\n", source)
        self.assertIn("    op.create_near_constraint('uniq_near', 'uniq', 'tenant', 'fp', where='tenant > 0')\n", source)
        self.assertIn("    op.drop_constraint('uniq_near', 'uniq')\n", source)
        self.upgrade()
        self.assertEqual(self.rows(CONSTRAINTS), NEAR)
        self.assert_nothing_to_do()

        self.execute("ALTER TABLE uniq ADD CONSTRAINT other EXCLUDE USING bitblock (fp WITH %) WHERE (tenant % 2 = 1)")
        source = self.revision("drop")
        self.assertIn("    op.drop_constraint('other', 'uniq')\n", source)
        self.assertNotIn("drop_index", source)
        before = self.rows(CONSTRAINTS)
        self.upgrade()
        self.assertEqual(self.rows(CONSTRAINTS), NEAR)
        self.downgrade()
        self.assertEqual(self.rows(CONSTRAINTS), before)


class TestMigrationsPsycopg(TestMigrations):
    driver = "psycopg"
