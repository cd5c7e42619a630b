"""The programs of README.md run, from top to bottom"""

import asyncio
import io
import os
import re
import unittest
from contextlib import redirect_stdout

from .support import SERVER, need

need("psycopg", "psycopg2", "asyncpg", "sqlalchemy", "alembic", "django")

README = os.path.join(os.path.dirname(__file__), "../README.md")


class TestReadme(unittest.TestCase):
    def test_programs(self):
        import psycopg2
        import sqlalchemy
        import sqlalchemy.orm
        from alembic.operations import Operations
        from alembic.runtime.migration import MigrationContext

        from . import test_django  # noqa: F401  configures Django

        def drop():
            with psycopg2.connect(**SERVER) as connection:
                connection.cursor().execute("DROP TABLE IF EXISTS docs, pages, pages_page, manuals")
            connection.close()

        os.environ["PGDATABASE"] = SERVER["database"]
        with open(README) as file:
            programs = re.findall(r"^```python\n(.*?)^```", file.read(), flags=re.DOTALL | re.MULTILINE)
        self.assertEqual(len(programs), 8)
        scope = {"__name__": "readme"}
        with redirect_stdout(io.StringIO()) as out:
            for program in programs:
                if "psycopg2.connect" in program:
                    drop()
                    exec(program.replace("psycopg2", "psycopg"), dict(scope))
                    drop()
                exec(program, scope)
        self.assertEqual(out.getvalue().splitlines()[0], "1 is a revision of 0")
        self.assertIn(str(scope["fp"]), out.getvalue())

        async def search():
            import asyncpg

            connection = await asyncpg.connect(**SERVER)
            found = await scope["search"](connection, scope["fps"][1])
            await connection.close()
            return [row["id"] for row in found]

        self.assertEqual(asyncio.run(search()), [1])

        from .test_sqlalchemy import url

        engine = sqlalchemy.create_engine(url("psycopg2"))
        scope["Doc"].metadata.create_all(engine)
        scope["Manual"].metadata.create_all(engine)
        with sqlalchemy.orm.Session(engine) as session:
            first, second = scope["Manual"](body="a text"), scope["Manual"](body="A text!")
            for manual in (first, second):
                session.add(manual)
                session.flush()
            self.assertEqual((first.duplicate_of, second.duplicate_of), (None, first.id))
        with engine.begin() as connection:
            connection.execute(sqlalchemy.insert(scope["Doc"]).values(body="a text"))
            for name in ("query", "near"):
                self.assertEqual([row.id for row in connection.execute(scope[name])], [1])
            connection.execute(sqlalchemy.text("DROP TABLE docs"))
            connection.execute(sqlalchemy.text("CREATE TABLE docs (tenant integer, published boolean, fp bit(256))"))
            with Operations.context(MigrationContext.configure(connection)):
                scope["upgrade"]()
                scope["downgrade"]()
        engine.dispose()

        from django.db import connection as django_connection

        with django_connection.schema_editor() as editor:
            editor.create_model(scope["Page"])
        page = scope["Page"].objects.create(fp=scope["fps"][0])
        near = scope["Page"].objects.filter(fp__near=scope["fps"][0])
        self.assertEqual([p.id for p in near], [page.id])
        django_connection.close()
        drop()
