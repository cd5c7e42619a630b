"""Django"""

import importlib
import json
import unittest

from pgsimhash import Fingerprint, minhash, minhash_bits

from .support import CHANGED, OTHER, QUICK, SERVER, PlanMixin, need

need("django", "psycopg2")

import django  # noqa: E402
from django.conf import settings  # noqa: E402

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": SERVER["database"],
            "USER": SERVER["user"],
            "HOST": SERVER["host"],
            "PORT": SERVER["port"],
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.core import serializers  # noqa: E402
from django.core.exceptions import ValidationError  # noqa: E402
from django.db import connection, migrations, models  # noqa: E402
from django.db.migrations.state import ProjectState  # noqa: E402
from django.db.migrations.writer import MigrationWriter  # noqa: E402
from django.db.models import F, Func, Value  # noqa: E402

from pgsimhash.django import BitblockIndex, BitField, HammingDistance, SimhashExtension, SimhashField  # noqa: E402


class Doc(models.Model):
    body = models.TextField()
    fp = BitField(null=True)
    fp64 = SimhashField(null=True)
    bound = models.IntegerField(default=20)

    class Meta:
        app_label = "docs"
        db_table = "docs"
        indexes = [BitblockIndex(fields=["fp"], name="docs_fp"), BitblockIndex(fields=["fp64"], name="docs_fp64")]


class TestDjango(PlanMixin, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS docs")
        with connection.schema_editor() as editor:
            editor.create_model(Doc)
        for body in (QUICK, CHANGED, OTHER):
            Doc.objects.create(body=body, fp=minhash_bits(body), fp64=minhash(body))
        fillers = [f"filler {i} {i * i}" for i in range(3000)]
        Doc.objects.bulk_create(Doc(body=body, fp=minhash_bits(body), fp64=minhash(body)) for body in fillers)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE docs")
        cls.addClassCleanup(connection.close)

    def test_generated(self):
        class Generated(BitField):
            def db_type(self, connection):
                return "bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED"

            def pre_save(self, instance, add):
                return Func(template="DEFAULT")

        fields = {"derived": Generated(null=True, editable=False)}
        if django.VERSION >= (5, 0):
            expression = Func("body", function="minhash_bits")
            fields["generated"] = models.GeneratedField(expression=expression, output_field=BitField(), db_persist=True)
        for name, field in fields.items():
            meta = type("Meta", (), {"app_label": "docs", "db_table": name})
            attributes = {"body": models.TextField(), "fp": field, "Meta": meta, "__module__": __name__}
            model = type(name.title(), (models.Model,), attributes)
            with connection.cursor() as cursor:
                cursor.execute(f"DROP TABLE IF EXISTS {name}")
            with connection.schema_editor() as editor:
                editor.create_model(model)
                editor.execute(f"ALTER TABLE {name} ADD EXCLUDE USING bitblock (fp WITH %)", params=None)
            model.objects.bulk_create([model(body=QUICK)])
            model.objects.bulk_create([model(body=QUICK)], ignore_conflicts=True)
            self.assertEqual([doc.fp for doc in model.objects.filter(fp__near=minhash_bits(QUICK))], [minhash_bits(QUICK)])
            doc = model.objects.create(body=OTHER)
            doc.refresh_from_db()
            self.assertEqual(doc.fp, minhash_bits(OTHER))
            doc.body = "another text of four words"
            doc.save()
            doc.refresh_from_db()
            self.assertEqual(doc.fp, minhash_bits(doc.body))
            with connection.schema_editor() as editor:
                editor.delete_model(model)

    def check(self, query, index, expected):
        self.assertEqual([doc.id for doc in query], expected)
        self.assert_uses(index, query.explain().split("\n"))

    def test_queries(self):
        q, q64 = minhash_bits(QUICK), minhash(QUICK)
        docs = Doc.objects.all()
        self.check(docs.filter(fp__within=(q, 48)).order_by(HammingDistance("fp", q)), "docs_fp ", [1, 2])
        self.check(docs.filter(fp64__within=(q64, 12)).order_by("id"), "docs_fp64", [1, 2])
        self.check(docs.filter(fp__near=q).order_by("id"), "docs_fp ", [1, 2])
        self.check(docs.order_by(HammingDistance("fp", q))[:2], "docs_fp ", [1, 2])
        self.check(docs.annotate(d=HammingDistance("fp", q)).filter(d__lte=0), "docs_fp ", [1])
        self.check(docs.filter(fp__within=(q.hex(), 0)), "docs_fp ", [1])
        computed = Func(Value(QUICK), function="minhash_bits")
        self.check(docs.filter(fp__within=(computed, 0)), "docs_fp ", [1])
        self.check(docs.filter(fp__near=computed).order_by("id"), "docs_fp ", [1, 2])
        self.assertEqual(docs.filter(fp__within=(F("fp"), F("bound"))).count(), 3003)
        self.assertEqual([d.d for d in docs.annotate(d=HammingDistance("fp", q)).order_by("d")[:1]], [0])
        for wrong in ((q, 4.5), (q64, 5)):
            self.assertRaises((TypeError, ValueError), lambda: list(docs.filter(fp__within=wrong)))

    def test_values(self):
        doc = Doc.objects.get(id=1)
        self.assertEqual((doc.fp, doc.fp64), (minhash_bits(QUICK), minhash(QUICK)))
        self.assertEqual(Doc.objects.get(fp64=doc.fp64, fp=doc.fp).id, 1)
        self.assertEqual(Doc.objects.filter(fp64__in=[doc.fp64.signed, str(doc.fp64)]).count(), 1)
        fields = Doc._meta.get_field("fp"), Doc._meta.get_field("fp64")
        self.assertEqual([f.to_python(str(v)) for f, v in zip(fields, (doc.fp, doc.fp64))], [doc.fp, doc.fp64])
        self.assertRaises(ValidationError, fields[0].to_python, "abc")
        (values,) = json.loads(serializers.serialize("json", [doc]))
        self.assertEqual([values["fields"][name] for name in ("fp", "fp64")], [str(doc.fp), str(doc.fp64)])

    def test_registered(self):
        """With types of the driver"""
        driver = connection.Database.__name__  # psycopg, where Django and the system have it, or psycopg2
        importlib.import_module(f"pgsimhash.{driver}").register(connection.connection)
        self.addCleanup(connection.close)
        self.assertIsInstance(Doc.objects.get(id=1).fp64, Fingerprint)
        self.assertEqual(Doc.objects.filter(fp__within=(minhash_bits(QUICK), 0)).count(), 1)

    def test_migration(self):
        operations = [
            SimhashExtension(),
            migrations.CreateModel("Own", [("id", models.BigAutoField(primary_key=True)), ("fp", BitField(bits=128)), ("s", SimhashField())]),
            migrations.AddIndex("Own", BitblockIndex(fields=["fp"], name="own_fp")),
        ]
        migration = type("Migration", (migrations.Migration,), {"operations": operations})("0001_initial", "other")
        source = MigrationWriter(migration).as_string()
        scope = {}
        exec(source, scope)
        for part in ("pgsimhash.django.SimhashExtension(", "pgsimhash.django.BitField(bits=128)", "pgsimhash.django.BitblockIndex("):
            self.assertIn(part, source)
        written = scope["Migration"]("0001_initial", "other")
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS docs; DROP EXTENSION simhash CASCADE")
        try:
            with connection.schema_editor() as editor:
                state = written.apply(ProjectState(), editor)
            with connection.cursor() as cursor:
                cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'own_fp'")
                self.assertIn("USING bitblock (fp)", cursor.fetchone()[0])
            with connection.schema_editor() as editor:
                operations[1].database_backwards("other", editor, state, ProjectState())
        finally:
            with connection.cursor() as cursor:
                cursor.execute("CREATE EXTENSION IF NOT EXISTS simhash; DROP TABLE IF EXISTS other_own")
            self.setUpClass()
