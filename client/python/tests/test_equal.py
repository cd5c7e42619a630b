"""Equal means equal: the package and SQL give the same values and refuse the same bytes"""

import json
import random
import unittest

import pgsimhash
from pgsimhash import Fingerprint

from .support import ROUNDS, SERVER, need, texts

need("psycopg2")

import psycopg2  # noqa: E402

N = 2000 * ROUNDS
BATCH = 2000

OPTIONS = (
    {"features": "words and pairs", "fold": False},
    {"features": "words"},
    {"features": "words", "n": 3, "normalization": False},
    {"features": "words", "n": 5},
    {"features": "characters"},
    {"features": "characters", "n": 7, "fold": False, "normalization": False},
)
WEIGHTS = ({}, {"weight": "frequency"}, {"weight": "logarithm"})


def in_sql(options):
    return "".join(f", {name} => {value!r}" for name, value in options.items())


class TestEqual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.connection = psycopg2.connect(**SERVER)
        cls.connection.autocommit = True
        cls.cursor = cls.connection.cursor()
        cls.addClassCleanup(cls.connection.close)

    def column(self, expression, given):
        """The expression of each text t, as the server writes it"""
        self.cursor.execute(f"SELECT ({expression})::text FROM unnest(%s::text[]) WITH ORDINALITY u(t, i) ORDER BY i", (given,))
        return [row[0] for row in self.cursor.fetchall()]

    def check(self, expression, given, got):
        for text, a, b in zip(given, self.column(expression, given), got):
            self.assertEqual(a, b, (expression, text))

    def many(self, given, bits, simhash, **options):
        many = pgsimhash.simhash_many if simhash else pgsimhash.minhash_many
        return [None if fp is None else fp.hex() for fp in many(given, bits, threads=2, **options)]

    def test_defaults(self):
        for seed in range(0, N, BATCH):
            given = list(texts(f"defaults {seed}", BATCH))
            self.check("minhash(t)", given, self.many(given, 64, False))
            self.check("simhash(t)", given, self.many(given, 64, True))
            self.check("bit_to_hex(minhash_bits(t))", given, self.many(given, 256, False))

    def test_options(self):
        for seed in range(0, N, BATCH):
            given = list(texts(f"options {seed}", max(100, BATCH // 8)))
            for options in OPTIONS:
                self.check(f"minhash(t{in_sql(options)})", given, self.many(given, 64, False, **options))
                self.check(f"bit_to_hex(minhash_bits(t, 512{in_sql(options)}))", given, self.many(given, 512, False, **options))
                for weight in WEIGHTS:
                    both = {**options, **weight}
                    self.check(f"simhash(t{in_sql(both)})", given, self.many(given, 64, True, **both))
                    self.check(f"bit_to_hex(simhash_bits(t, 128{in_sql(both)}))", given, self.many(given, 128, True, **both))

    def test_widths(self):
        given = list(texts("widths", 40))
        for bits in range(64, 1025, 64):
            self.check(f"bit_to_hex(minhash_bits(t, {bits}))", given, self.many(given, bits, False))
            self.check(f"bit_to_hex(simhash_bits(t, {bits}))", given, self.many(given, bits, True))

    def test_two_texts(self):
        rng = random.Random(3)
        given = list(texts("two", 300))
        others = [a + " " + rng.choice(given) for a in rng.sample(given, 300)]
        for i in range(0, 300, 2):
            others[i] = given[i][: len(given[i]) // 2] + others[i]
        self.cursor.execute(
            "SELECT simhash_resemblance(a, b), simhash_containment(a, b, 3), simhash_passage_keys(a, 10, 4),"
            " ARRAY(SELECT ARRAY[a_start - 1, a_length, b_start - 1, b_length, words] FROM simhash_passages(a, b, 5, 2)),"
            " simhash_first_change(a, b), simhash_first_change(a, b, false),"
            " simhash_same_document(a, b), simhash_same_document(a, b, false),"
            " ARRAY(SELECT concat_ws('|', a_start - 1, a_length, b_start - 1, b_length, a_text, b_text, kind, times)"
            " FROM simhash_changes(a, b) ORDER BY change)"
            " FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY u(a, b, i) ORDER BY i",
            (given, others),
        )
        for a, b, row in zip(given, others, self.cursor.fetchall()):
            got = (pgsimhash.resemblance(a, b), pgsimhash.containment(a, b, 3), pgsimhash.passage_keys(a, 10, 4),
                   [list(p) for p in pgsimhash.passages(a, b, 5, 2)],
                   pgsimhash.first_change(a, b), pgsimhash.first_change(a, b, numbers=False),
                   pgsimhash.same_document(a, b), pgsimhash.same_document(a, b, numbers=False),
                   ["|".join(map(str, c)) for c in pgsimhash.changes(a, b)])  # fmt: skip
            self.assertEqual(row, got, (a, b))

    def test_features(self):
        rng = random.Random(13)
        for text in texts("features", 300 * ROUNDS):
            tokens = [rng.choice((token, token, token, None, "")) for token in text.split(" ")] + rng.choices(text.split(" "), k=3)
            weights = [rng.choice((1, 2.5, -1, 0, 1e300, 1e-300, None, rng.gauss(0, 9))) for _ in tokens]
            bits = rng.randrange(64, 1025, 64)
            self.cursor.execute(
                "SELECT minhash_from_features(t)::text, simhash_from_features(t)::text, simhash_from_features(t, w)::text,"
                " bit_to_hex(minhash_bits_from_features(t, bits)), bit_to_hex(simhash_bits_from_features(t, bits)),"
                " bit_to_hex(simhash_bits_from_features(t, w, bits)) FROM (SELECT %s::text[] t, %s::float8[] w, %s bits) s",
                (tokens, weights, bits),
            )
            got = (pgsimhash.minhash_from_features(tokens), pgsimhash.simhash_from_features(tokens), pgsimhash.simhash_from_features(tokens, weights),
                   pgsimhash.minhash_from_features(tokens, bits), pgsimhash.simhash_from_features(tokens, bits=bits),
                   pgsimhash.simhash_from_features(tokens, weights, bits))  # fmt: skip
            self.assertEqual(self.cursor.fetchone(), tuple(fp and fp.hex() for fp in got), (tokens, weights, bits))

    def test_duplicates(self):
        rng = random.Random(5)
        parts = list(texts("duplicates", 150))
        given = [rng.choice(parts) for _ in range(600)]
        given = [rng.choice((t, t.upper(), t.replace(" ", "  "), t + " and more", t + f" {rng.randrange(4)}", t + rng.choice((" -5", " - 5")), None)) for t in given]
        titles = [rng.choice(("One title", "Another title here", "", None)) for _ in given]
        order = rng.sample(range(600), 300)
        self.cursor.execute(
            "CREATE TEMP TABLE given AS SELECT i - 1 AS id, t, title FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY u(t, title, i)",
            (given, titles),
        )
        self.cursor.execute("CREATE TEMP TABLE wish AS SELECT w, i FROM unnest(%s::int[]) WITH ORDINALITY u(w, i)", (order,))
        for columns, arguments, found in (
            ("id, t", "", pgsimhash.duplicates(given)),
            ("id, t", ", within => 60, numbers => false", pgsimhash.duplicates(given, within=60, numbers=False, memory=1 << 20)),
            ("id, title, t", ", keep => 'SELECT w FROM wish ORDER BY i'", pgsimhash.duplicates(given, titles, keep=order)),
        ):
            self.cursor.execute(f"SELECT id, original, kind, distance FROM simhash_duplicates('SELECT {columns} FROM given'{arguments})")
            expected = [(int(i), int(o), k, d) for i, o, k, d in self.cursor.fetchall()]
            self.assertEqual(expected, [tuple(d) for d in found])
            self.assertGreater(sum(d.kind == "copy" for d in found), 50)
            self.assertFalse({d.original for d in found} & {d.text for d in found})
        self.cursor.execute("SELECT simhash_copy_key(t)::text FROM given ORDER BY id")
        self.assertEqual([row[0] for row in self.cursor.fetchall()], [key and str(key) for key in map(pgsimhash.copy_key, given)])

    def test_wrong_utf8(self):
        rng = random.Random(7)
        wrong = 0
        for _ in range(300 * ROUNDS):
            raw = bytearray(next(texts(rng.random(), 1)).encode() or b"a")
            for _ in range(rng.randrange(3)):
                raw[rng.randrange(len(raw))] = rng.choice((0x80, 0xC0, 0xE0, 0xED, 0xF4, 0xFF, rng.randrange(1, 256)))
            raw = bytes(raw)
            try:
                expected = self.one("SELECT minhash(convert_from(%s, 'UTF8'))", raw)
            except psycopg2.errors.CharacterNotInRepertoire:
                wrong += 1
                self.assertRaises(UnicodeDecodeError, pgsimhash.minhash, raw)
                self.assertRaises(ValueError, pgsimhash.minhash_many, [raw])
            else:
                fp = pgsimhash.minhash(raw)
                self.assertEqual(expected, None if fp is None else str(fp), raw)
        self.assertGreater(wrong, 20)

    def one(self, query, *parameters):
        self.cursor.execute(query, parameters)
        return self.cursor.fetchone()[0]

    def test_fingerprints(self):
        rng = random.Random(11)
        arrays = "format('SELECT * FROM unnest(%%L::int[], %%L::bit varying[])', %s::int[], %s::bit varying[])"
        for bits in (64, 128, 256):
            center = rng.getrandbits(bits)
            fps = [Fingerprint(center ^ sum(1 << b for b in rng.sample(range(bits), rng.randrange(25))), bits) for _ in range(150)]
            digits = [fp.binary() for fp in fps]
            for k in (0, 5, 18):
                self.cursor.execute(f"SELECT a, b, distance FROM simhash_pairs({arrays}, %s)", (list(range(150)), digits, k))
                self.assertEqual(sorted(self.cursor.fetchall()), sorted(pgsimhash.pairs(fps, k)))
                for method in ("components", "star"):
                    self.cursor.execute(f"SELECT id, cluster FROM simhash_clusters({arrays}, %s, %s)",
                                        (list(range(150)), digits, k, method))  # fmt: skip
                    self.assertEqual(dict(self.cursor.fetchall()), dict(enumerate(pgsimhash.groups(fps, k, method))))
                edges = [(a, b) for a, b, _ in pgsimhash.pairs(fps, k)]
                keep = rng.sample(range(150), 100)
                self.cursor.execute(
                    "SELECT id, keeper FROM simhash_stars(%s, 1, %s)",
                    ("SELECT (i->>0)::int, (i->>1)::int FROM json_array_elements('%s') i" % json.dumps(edges),
                     "SELECT unnest('{%s}'::int[])" % ",".join(map(str, keep))))  # fmt: skip
                self.assertEqual(dict(self.cursor.fetchall()), pgsimhash.stars(edges, keep))
                self.assertEqual(self.one("SELECT bit_blocks(%s::bit varying, %s)", digits[0], k), pgsimhash.block_keys(fps[0], k))
            for resemblance in (0, 0.5, 0.83, 1):
                self.assertEqual(self.one("SELECT minhash_bound(%s, %s, .9)", resemblance, bits), pgsimhash.bound(resemblance, bits, 0.9))

    def test_signs_and_forms(self):
        rng = random.Random(13)
        for fp in [Fingerprint(rng.getrandbits(64)) for _ in range(20)] + [Fingerprint(0), Fingerprint(-1), Fingerprint(1 << 63)]:
            self.cursor.execute(
                "SELECT f, f::bigint, f::numeric, f::bit(64), f::bytea, CAST(%s AS bigint)::simhash = f, %s::numeric::simhash = f FROM (SELECT %s::simhash f) s",
                (fp.signed, fp.value, str(fp)),
            )
            row = self.cursor.fetchone()
            self.assertEqual((row[0], row[1], int(row[2]), row[3], bytes(row[4])),
                             (str(fp), fp.signed, fp.value, fp.binary(), bytes(fp)))  # fmt: skip
            self.assertEqual(row[5:], (True, True))
            self.assertEqual({Fingerprint(v) for v in (row[0], row[1], int(row[2]), bytes(row[4]))}, {fp})
