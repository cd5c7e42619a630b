"""What the tests share: a server, texts of all kinds, plans"""

import importlib
import os
import random
import unittest

# Those of the server are in the environment: PGHOST, PGPORT, PGUSER, PGDATABASE
SERVER = {
    "host": os.environ.get("PGHOST", ""),
    "port": os.environ.get("PGPORT", "5432"),
    "user": os.environ.get("PGUSER", "postgres"),
    "database": os.environ.get("PGDATABASE", "postgres"),
}
OLDEST = {"sqlalchemy": (1, 4), "django": (3, 2)}
ROUNDS = max(1, int(float(os.environ.get("SIMHASH_SOAK", "1"))))

QUICK = "The harbour master has closed the north pier, because the storm has damaged the landing stage."
CHANGED = "UPDATE: the harbour master has closed the north pier because the storm has damaged the landing stage!"
OTHER = "Heat the oil in a large pan and fry the onions until they are golden. Add the garlic and a glass of wine."

DOCUMENTS = """
DROP TABLE IF EXISTS docs;
CREATE TABLE docs (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  body text,
  fp   bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED,
  fp64 simhash GENERATED ALWAYS AS (minhash(body)) STORED
);
INSERT INTO docs (body) SELECT 'text ' || i || ' of ' || i * 7 || ' words ' || md5(i::text) FROM generate_series(1, 3000) i;
CREATE INDEX docs_fp ON docs USING bitblock (fp);
CREATE INDEX docs_fp64 ON docs USING bitblock (fp64);
ANALYZE docs;
"""


def need(*modules):
    """Skip the test module unless all are installed, and not too old, and there is a server."""
    for module in modules:
        try:
            version = getattr(importlib.import_module(module), "__version__", "")
        except ImportError as error:
            raise unittest.SkipTest(f"{module} is not installed") from error
        if module in OLDEST and tuple(map(int, version.split(".")[:2])) < OLDEST[module]:
            raise unittest.SkipTest(f"{module} {version} is too old")
    if not SERVER["host"]:
        raise unittest.SkipTest("PGHOST names no server")


def texts(seed, n):
    """Texts of all kinds: planes of Unicode, long, empty, mixed; none has a zero"""
    rng = random.Random(seed)
    ranges = [(1, 0x7F), (0x80, 0xFF), (0x100, 0x7FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xE00, 0xE7F),
              (0xFF00, 0xFFEF), (0x300, 0x36F), (0x10000, 0x10FFFF), (1, 0xD7FF)]  # fmt: skip
    words = "the harbour MASTER ﬁnal straße naïve 人人生而自由 ガード भारत ภาษาไทย x 1 ２０２３ 👩🏽‍💻 e\u0301 Ⅻ".split()
    for _ in range(n):
        kind = rng.randrange(4)
        if kind == 0:
            low, high = rng.choice(ranges)
            yield "".join(chr(rng.randint(low, high)) for _ in range(rng.choice((0, 1, 2, 5, 40))))
        elif kind == 1:
            yield "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.randrange(60)))
        elif kind == 2:
            yield rng.choice((" ", "  ", ", ", "\n", "-")).join(rng.choices(words, k=rng.randrange(30)))
        else:
            yield " ".join(rng.choices(words, k=rng.choice((0, 1, 3, 300))))


class PlanMixin:
    def assert_uses(self, index, plan):
        """The plan, a list of lines, has a scan of the index and no sequential scan."""
        text = "\n".join(plan)
        self.assertIn(index, text)
        self.assertNotIn("Seq Scan", text)
