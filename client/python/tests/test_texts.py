import ctypes
import importlib.metadata
import os
import random
import re
import signal
import sys
import time
import unittest
from array import array

import pgsimhash
from pgsimhash import (
    Change,
    Fingerprint,
    Fingerprints,
    Passage,
    minhash,
    minhash_bits,
    minhash_from_features,
    minhash_many,
    simhash,
    simhash_bits,
    simhash_from_features,
    simhash_many,
)

from .support import CHANGED, QUICK, texts

# The C tests of the project, which a source distribution lacks
PINS = os.environ.get("SIMHASH_UNIT_TESTS", os.path.join(os.path.dirname(__file__), "../../../test/unit"))


def pins(name):
    """The texts of a file of pins, each with its numbers"""
    with open(os.path.join(PINS, name), "rb") as file:
        source = re.sub(rb"/\*.*?\*/", b"", file.read(), flags=re.DOTALL)
    string = rb'"((?:[^"\\]|\\.)*)"'
    for entry in re.split(rb"^\{(?=\")", source, flags=re.MULTILINE)[1:]:
        strings, numbers = re.split(rb"(?=UINT64_C)", entry, maxsplit=1)
        last = re.findall(rb"((?:" + string + rb"\s*)+),", strings)[-1][0]
        text = b"".join(re.findall(string, last))
        text = re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m.group(1).decode()), text)
        assert b"\\" not in text
        yield text, [int(n, 16) for n in re.findall(rb"0x([0-9a-f]+)", numbers)]


@unittest.skipUnless(os.path.exists(os.path.join(PINS, "pins.h")), "the C tests are not here")
class TestPins(unittest.TestCase):
    def test_64_bits(self):
        found = list(pins("pins.h"))
        self.assertGreaterEqual(len(found), 20)
        for text, numbers in found:
            for form in (text, text.decode()):
                self.assertEqual([simhash(form).value, minhash(form).value], numbers, text)

    def test_wide(self):
        found = list(pins("wide_pins.h"))
        self.assertGreaterEqual(len(found), 5)
        for text, numbers in found:
            self.assertEqual(len(numbers), 8)
            got = [simhash_bits(text), minhash_bits(text.decode())]
            self.assertEqual([fp.hex() for fp in got], ["%016x%016x%016x%016x" % tuple(n) for n in (numbers[:4], numbers[4:])])


class Mislabelled(list):
    """A list whose length is wrong"""

    def __init__(self, values, length):
        super().__init__(values)
        self.length = length

    def __len__(self):
        return self.length


class TestTexts(unittest.TestCase):
    def test_version(self):
        try:
            version = importlib.metadata.version("pgsimhash")
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("the package is not installed")
        self.assertEqual(version, pgsimhash.__version__)
        self.assertIn("LICENSE", {path.name for path in importlib.metadata.files("pgsimhash")})

    def test_no_word(self):
        for text in ("", " ", "...", b"", "\x00", None):
            self.assertIsNone(minhash(text))
            self.assertIsNone(simhash_bits(text, 128))

    def test_features(self):
        words = "the harbour master has closed the south pier for the winter".split()
        text = " ".join(words)
        for bits in (64, 192, 1024):
            given = minhash_from_features(words, bits)
            self.assertEqual(given, minhash_bits(text, bits, features="words"))
            self.assertEqual(given, minhash_from_features({word.encode() for word in words}, bits))
            given = simhash_from_features(words, bits=bits)
            self.assertEqual(given, simhash_bits(text, bits, features="words", weight="frequency"))
            self.assertEqual(given, simhash_from_features(iter(words), [0.5] * len(words), bits))
            self.assertEqual(given, simhash_from_features(["x", None, *words], array("d", [0, 7] + [3] * len(words)), bits))
            self.assertEqual(given, simhash_from_features(["x", *words], (None, *[1] * len(words)), bits))
            once = simhash_bits(text, bits, features="words")
            self.assertEqual(simhash_from_features(words, [words.index(w) == i for i, w in enumerate(words)], bits), once)
        self.assertEqual(simhash_from_features(["a", "a"], [2, -2]), Fingerprint(0))
        self.assertEqual(~simhash_from_features(["a"], [-1]), simhash_from_features(["a"]))

    def test_no_feature(self):
        for none in ([], [None], (), None):
            self.assertIsNone(minhash_from_features(none))
            self.assertIsNone(simhash_from_features(none, bits=256))
        self.assertIsNone(simhash_from_features(["a", "b"], [0, None]))

    def test_wrong_features(self):
        for function in (minhash_from_features, simhash_from_features):
            with self.assertRaisesRegex(TypeError, "several texts, not one"):
                function("a text")
            with self.assertRaisesRegex(TypeError, "must be str, bytes or None, not int"):
                function(["a", 7])
            for wrong in (b"\xff", "\ud800"):
                with self.assertRaisesRegex(ValueError, "feature 2 is not UTF-8"):
                    function(["a", None, wrong, wrong])
            with self.assertRaisesRegex(ValueError, "65 bits is not supported"):
                function(["a"], bits=65)
        with self.assertRaisesRegex(ValueError, "1 features and 2 weights"):
            simhash_from_features(["a"], [1, 2])
        for weight in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "weights must be finite numbers"):
                simhash_from_features(["a", "b"], [1, weight])
        with self.assertRaises(TypeError):
            simhash_from_features(["a"], ["1"])

    def test_str_is_bytes(self):
        for text in texts(1, 500):
            size = sys.getsizeof(text)
            self.assertEqual(minhash(text), minhash(text.encode()), text)
            self.assertEqual(sys.getsizeof(text), size, "a str keeps no UTF-8")

    def test_not_utf8(self):
        for text in (b"\xff", b"a\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"abc \xe4\xba"):
            self.assertRaises(UnicodeDecodeError, minhash, text)
            self.assertRaises(UnicodeDecodeError, pgsimhash.resemblance, "a", text)
            self.assertRaises(UnicodeDecodeError, pgsimhash.passages, text, "a")
            self.assertRaises(UnicodeDecodeError, pgsimhash.first_change, "a", text)
            self.assertRaises(UnicodeDecodeError, pgsimhash.changes, text, "a")
            with self.assertRaisesRegex(ValueError, "text 1 is not UTF-8"):
                minhash_many([b"a", text, b"\xff"])
        for text in ("\ud800", "a\udfffb", "\U0001f600\ud800"):
            self.assertRaises(UnicodeEncodeError, simhash, text)
            self.assertRaises(UnicodeEncodeError, pgsimhash.containment, "a", text)
            self.assertRaises(UnicodeEncodeError, pgsimhash.first_change, text, "a")
            self.assertRaises(UnicodeEncodeError, pgsimhash.changes, "a", text)
            with self.assertRaisesRegex(ValueError, "text 2 is not UTF-8"):
                minhash_many(["a", "", text], threads=2)

    def test_options(self):
        self.assertNotEqual(minhash("A b c"), minhash("A b c", fold=False))
        self.assertEqual(minhash("a b c", features="words"), minhash("c b a", features="words", n=1))
        self.assertEqual(simhash("a b b", weight="once"), simhash("a b b", weight=None))
        self.assertEqual(minhash_bits("a b", 64), minhash("a b"))
        for wrong in ({"features": "lines"}, {"n": 2}, {"features": "words", "n": 0}, {"features": "words", "n": 1001}):
            self.assertRaises(ValueError, minhash, "a", **wrong)
        self.assertRaises(ValueError, simhash, "a", weight="twice")
        self.assertRaises(TypeError, minhash, "a", weight="once")
        for bits in (0, 63, 96, 1088, -64):
            self.assertRaises(ValueError, minhash_bits, "a", bits)
            self.assertRaises(ValueError, minhash_many, ["a"], bits)
        for wrong in (5, ["a"], bytearray(b"a")):
            self.assertRaises(TypeError, minhash, wrong)

    def test_two_texts(self):
        self.assertEqual(pgsimhash.resemblance("a b", "A, b!"), 1)
        self.assertIsNone(pgsimhash.resemblance("", ""))
        self.assertIsNone(pgsimhash.resemblance(None, "a"))
        self.assertEqual(pgsimhash.containment("a b c", "x a b c y", 2), 1)
        self.assertIsNone(pgsimhash.passage_keys(None))
        a, b = "Ä! one two three four five, six", "é é one two three FOUR five six."
        (found,) = pgsimhash.passages(a, b, words=4)
        self.assertEqual(found, Passage(3, 28, 4, 27, 6))
        self.assertEqual(a[found.a_start : found.a_start + found.a_length], "one two three four five, six")
        (found,) = pgsimhash.passages(a.encode(), b, words=4)
        self.assertEqual(found, Passage(4, 28, 4, 27, 6))

    def test_changes(self):
        self.assertEqual(pgsimhash.first_change("Pier 7: open", "PIER 7 open"), 0)
        self.assertEqual(pgsimhash.first_change("md5sum(1): md5sum", b"sha512sum(1): sha512sum"), 2)
        self.assertEqual(pgsimhash.first_change("a 1 1", "a 2"), 2)
        self.assertEqual(pgsimhash.first_change("a 1 1", "a 2", numbers=False), 0)
        self.assertIsNone(pgsimhash.first_change(None, "a"))
        body = " ".join(f"word{i}" for i in range(40))
        self.assertIs(pgsimhash.same_document(f"Invoice 17 {body}", f"Invoice 18 {body}"), False)
        self.assertIs(pgsimhash.same_document(f"Invoice 17 {body}", f"Invoice 18 {body}", numbers=False), True)
        self.assertIs(pgsimhash.same_document(f"Invoice 17 {body}", f"Invoice 17 new {body}".encode()), True)
        self.assertIsNone(pgsimhash.same_document("a", None))

    def test_duplicates(self):
        body = " ".join(f"word{chr(97 + i)}" for i in range(26)) + " one two three four five six"
        texts = [body, body.upper().encode(), body + " more", "other", None, "...", "..."]
        found = pgsimhash.duplicates(texts)
        self.assertEqual(found, [(1, 0, "copy", 0), (2, 0, "revision", found[1].distance)])
        self.assertEqual([d[:3] for d in pgsimhash.duplicates(texts, keep=[2, 1])], [(1, 2, "revision"), (0, 2, "copy")])
        self.assertEqual([d[:3] for d in pgsimhash.duplicates(texts, ["A", "B"] + 5 * [None])], [])
        # the fingerprint is that of title and text; a title alone is not a document
        pier = "The ferries to the islands leave from the south pier"
        titled = pgsimhash.duplicates([pier, pier + " today", "", "...", None], ["Ferries", "FERRIES", "Pier", "pier", "Pier"], within=256)
        expected = pgsimhash.minhash_bits(f"Ferries {pier}").distance(pgsimhash.minhash_bits(f"Ferries {pier} today"))
        self.assertEqual(titled, [(1, 0, "revision", expected), (3, 2, "revision", 0)])
        self.assertEqual(pgsimhash.duplicates([]), [])
        template = [" ".join(f"{chr(97 + p) * 3} {('no', 'yes')[i >> p & 1]}" for p in range(26)) for i in range(1, 1001)]
        with self.assertWarnsRegex(RuntimeWarning, "823 texts reached the limit"):
            self.assertEqual(len(pgsimhash.duplicates(template)), 64)
        for wrong in ([9], [-1], [0.5]):
            self.assertRaises((ValueError, TypeError, OverflowError), pgsimhash.duplicates, texts, keep=wrong)
        for length in (0, 1, 6, 8, 1 << 20):
            self.assertRaises(ValueError, pgsimhash.duplicates, Mislabelled(texts, length), keep=[0])
        self.assertRaises(ValueError, pgsimhash._core.duplicates, texts, None, True, 40, bytes(4 * 7 + 1), 0, 1, 0)
        self.assertEqual([d[:3] for d in pgsimhash.duplicates(texts, known=2)], [(2, 0, "revision")])
        self.assertEqual([d[:3] for d in pgsimhash.duplicates(texts, keep=[2, 1], known=2)], [(2, 1, "revision")])
        self.assertEqual(pgsimhash.duplicates(texts, known=7), [])
        for wrong in (-1, 8, 1 << 62):
            self.assertRaises(ValueError, pgsimhash.duplicates, texts, known=wrong)
        self.assertRaises(ValueError, pgsimhash.duplicates, texts, ["A"])
        self.assertRaises(ValueError, pgsimhash.duplicates, ["a", b"\xff"])
        self.assertRaises(ValueError, pgsimhash.duplicates, ["a"], [b"\xff"])
        self.assertRaises(TypeError, pgsimhash.duplicates, "text")
        many = [f"word{i} " * 3 + f"pier{i} " * 3 for i in range(5000)] * 2
        found = [(i + 5000, i, "copy", 0) for i in range(5000)]
        for threads in (None, 1, 3):
            self.assertEqual(pgsimhash.duplicates(many, threads=threads), found)
        self.assertRaises(ValueError, pgsimhash.duplicates, many, threads=0)
        pier = "The harbour master has closed the north pier because the storm has damaged the landing stage and all the boats are now "
        apart = [pier + "at the south pier until May", pier + "at the south pier until May when the repair of the landing stage is finished"]
        self.assertEqual(pgsimhash.duplicates(apart), [(1, 0, "revision", 29)])  # within 40
        self.assertEqual(pgsimhash.duplicates(apart, within=None), pgsimhash.duplicates(apart, within=40))
        self.assertEqual(pgsimhash.duplicates(apart, within=20), [])
        dates = [pier + f"here until {day} May" for day in (3, 4)]
        self.assertEqual(pgsimhash.duplicates(dates), [])
        self.assertEqual([d.kind for d in pgsimhash.duplicates(dates, numbers=False)], ["revision"])
        self.assertEqual([d.kind for d in pgsimhash.duplicates(texts, within=0)], ["copy"])
        self.assertEqual(pgsimhash.copy_key("A b"), pgsimhash.copy_key("a  B"))
        self.assertNotEqual(pgsimhash.copy_key("1. 5"), pgsimhash.copy_key("1.5"))
        self.assertIsNone(pgsimhash.copy_key(" \n"))
        self.assertEqual(pgsimhash.changes("A b", "a  B"), [])
        self.assertEqual(len(pgsimhash.changes("A b", "a  B", fold=False)), 2)
        self.assertEqual(pgsimhash.changes("a", None), [])
        a, b = "Ä-Größe: 10 m, alt", "Ä-Größe: 12 m, ganz neu"
        self.assertEqual(
            pgsimhash.changes(a, b),
            [Change(9, 2, 9, 2, "10", "12", "number", 1), Change(15, 3, 15, 8, "alt", "ganz neu", "replace", 1)],
        )
        (number, _) = pgsimhash.changes(a.encode(), b)
        self.assertEqual(number, Change(12, 2, 9, 2, b"10", "12", "number", 1))

    def test_known(self):
        """Known texts without duplicates or siblings are those that are kept first"""
        rng = random.Random(17)
        words = [f"word{i}" for i in range(300)]
        for within in (None, 20):
            parts = [" ".join(rng.choices(words, k=rng.randrange(20, 60))) for _ in range(300)]
            texts = [rng.choice((t, t.upper(), t + " and more", "now " + t)) for t in rng.choices(parts, k=600)]
            found = {d.text for d in pgsimhash.duplicates(texts[:400], within=within)}
            known = [t for i, t in enumerate(texts[:400]) if i not in found]
            n = len(known)
            all_texts = known + texts[400:]
            order = rng.sample(range(n, n + 200), 200)  # of the new ones
            for keep in (None, list(range(n)) + order):
                expected = pgsimhash.duplicates(all_texts, keep=keep, within=within)
                self.assertEqual(pgsimhash.duplicates(all_texts, keep=keep, known=n, within=within), expected)
                self.assertGreater(sum(d.original >= n for d in expected), 5)
                self.assertGreater(sum(d.original < n for d in expected), 50)
            self.assertEqual(pgsimhash.duplicates(all_texts, keep=order, known=n, within=within, memory=1 << 20, threads=2), expected)
            found = pgsimhash.duplicates(texts, known=400, within=within)  # known copies are not returned
            self.assertGreater(len(found), 50)
            self.assertGreaterEqual(min(d.text for d in found), 400)


class TestMany(unittest.TestCase):
    def test_equal_one(self):
        many = list(texts(2, 1000)) + [None, b"bytes"]
        for threads in (1, 2, 5, None):
            self.assertEqual(list(minhash_many(many, threads=threads)), [minhash(t) for t in many])
        for options in ({"features": "words", "n": 3}, {"weight": "frequency"}, {"fold": False}):
            got = simhash_many(iter(many), 128, threads=3, **options)
            self.assertEqual(list(got), [simhash_bits(t, 128, **options) for t in many])
        self.assertEqual(len(minhash_many([])), 0)

    def test_wrong(self):
        for wrong in ("text", b"text", 5, ["a", 5], [bytearray(b"a")]):
            self.assertRaises(TypeError, minhash_many, wrong)
        for threads in (0, -1):
            self.assertRaises(ValueError, minhash_many, ["a"], threads=threads)

    def test_first_error(self):
        for seed in range(50):
            many = [b"a b c " * 300] * 400
            for i in range(100 + seed, 400, 16):
                many[i] = b"\xff"
            with self.assertRaisesRegex(ValueError, f"^text {100 + seed} is not"):
                minhash_many(many, threads=4)

    def test_references(self):
        text = QUICK + " é"
        before = sys.getrefcount(text)
        for many in ([text], (t for t in [text]), [text, 5], [text, b"\xff"]):
            try:
                minhash_many(many, threads=2)
            except (TypeError, ValueError):
                pass
            del many
        self.assertEqual(sys.getrefcount(text), before)

    def test_interrupt(self):
        def stop(*_):
            raise KeyboardInterrupt

        # they take minutes, and few pairs are near
        rng = random.Random(1)
        long = [[QUICK * 400] * 200000, Fingerprints(rng.getrandbits(64) for _ in range(400000)),
                Fingerprints(Fingerprint(rng.getrandbits(256), 256) for _ in range(400000))]  # fmt: skip
        calls = [lambda: minhash_many(long[0], threads=2)]
        for fps, k in ((long[1], 11), (long[2], 70)):
            calls.append(lambda fps=fps, k=k: list(pgsimhash.pairs(fps, k)))
            for method in ("components", "star"):
                calls.append(lambda fps=fps, k=k, method=method: pgsimhash.groups(fps, k, method))
        previous = signal.signal(signal.SIGALRM, stop)
        try:
            for call in calls:
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                start = time.monotonic()
                self.assertRaises(KeyboardInterrupt, call)
                self.assertLess(time.monotonic() - start, 5)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        words = ["", "a", "naïve Straße", "人人生而自由", "👩🏽‍💻 x"]
        expected = [minhash(t) for t in words]
        array = numpy.array(words)
        for given in (array, array.astype(object), numpy.char.encode(array, "utf-8"), array.astype(">U12")):
            self.assertEqual(list(minhash_many(given)), expected, given.dtype)
        self.assertEqual(list(minhash_many(array[::-2])), expected[::-2])
        self.assertRaises(ValueError, minhash_many, numpy.array([0xD800], dtype="u4").view("U1"))
        self.assertRaises(TypeError, minhash_many, numpy.array([1, 2]))

    def test_pyarrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        words = ["", "a", None, "人人生而自由", "a text of more than twelve bytes"]
        expected = [minhash(t) for t in words]
        for type_ in (pyarrow.string(), pyarrow.large_string()):
            array = pyarrow.array(words, type_)
            self.assertEqual(list(minhash_many(array)), expected)
            self.assertEqual(list(minhash_many(array[2:])), expected[2:])
            self.assertEqual(list(minhash_many(pyarrow.chunked_array([array, array[1:]]))), expected + expected[1:])


# ---------- a producer of Arrow's C data interface, without pyarrow ----------


class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
                ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private", ctypes.c_void_p)]  # fmt: skip


class Array(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("private", ctypes.c_void_p)]  # fmt: skip


Get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
Message = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", Get), ("get_next", Get), ("get_last_error", Message),
                ("release", ctypes.c_void_p), ("private", ctypes.c_void_p)]  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NO_RELEASE = Release(lambda array: None)


class Producer:
    """An array of strings; "before" texts are in the buffers and not in the array"""

    def __init__(self, words, form, before=0):
        raw = [None if w is None else w.encode() for w in words]
        valid = sum((w is not None) << i for i, w in enumerate(raw))
        self.keep = [valid.to_bytes(len(words) // 8 + 1, "little")]
        if form == b"vu":
            data = b"".join(w for w in raw if w and len(w) > 12)
            views, place = b"", 0
            for w in raw:
                w = w or b""
                if len(w) <= 12:
                    views += len(w).to_bytes(4, "little") + w.ljust(12, b"\0")
                else:
                    views += len(w).to_bytes(4, "little") + w[:4] + bytes(4) + place.to_bytes(4, "little")
                    place += len(w)
            self.keep += [views, data]
        else:
            size = 8 if form.isupper() else 4
            ends, end = [0], 0
            for w in raw:
                end += len(w or b"")
                ends.append(end)
            self.keep += [b"".join(e.to_bytes(size, "little") for e in ends), b"".join(w or b"" for w in raw)]
        self.pointers = (ctypes.c_void_p * len(self.keep))(*(ctypes.cast(b, ctypes.c_void_p).value for b in self.keep))
        self.schema = Schema(format=form)
        self.array = Array(length=len(words) - before, null_count=-1, offset=before, n_buffers=len(self.keep), buffers=self.pointers,
                           release=ctypes.cast(NO_RELEASE, ctypes.c_void_p))

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))  # fmt: skip


class StreamProducer:
    def __init__(self, arrays, error=0):
        self.released = 0
        self.left = list(arrays)
        self.release = Release(self.count)
        self.noop = Release(lambda schema: None)

        def get_schema(_, out):
            schema = Schema.from_address(out)
            schema.format = arrays[0].schema.format
            schema.dictionary = None
            schema.release = ctypes.cast(self.noop, ctypes.c_void_p).value
            return 0

        def get_next(_, out):
            if not self.left:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return error
            ctypes.memmove(out, ctypes.addressof(self.left.pop(0).array), ctypes.sizeof(Array))
            Array.from_address(out).release = ctypes.cast(self.release, ctypes.c_void_p).value
            return 0

        self.message = ctypes.create_string_buffer(b"broken")
        self.stream = Stream(Get(get_schema), Get(get_next), Message(lambda _: ctypes.addressof(self.message)),
                             ctypes.cast(NO_RELEASE, ctypes.c_void_p))  # fmt: skip

    def count(self, array):
        self.released += 1

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


class TestArrow(unittest.TestCase):
    def check_changing(self, given, change, before, after):
        """A signal changes the bytes of a text while it is read: the result is that of either, not of a mixture."""
        previous = signal.signal(signal.SIGALRM, lambda *_: change())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.06)
            (found,) = pgsimhash.simhash_many(given, 1024, weight="frequency")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        self.assertIn(found, [simhash_bits(t, 1024, weight="frequency") for t in (before, after)])

    def test_changing(self):
        rng = random.Random(1)
        before, after = (rng.randbytes(1 << 22).hex(" ", 4).translate(str.maketrans("0123456789", letters)).encode()
                         for letters in ("ghijklmnop", "qrstuvwxyz"))  # fmt: skip
        for form in (b"u", b"U", b"vu"):
            array = Producer([before.decode()], form)
            self.check_changing(array, lambda: ctypes.memmove(array.keep[-1], after, len(after)), before, after)
        try:
            import numpy
        except ImportError:
            return
        array = numpy.array([before])
        self.check_changing(array, lambda: array.__setitem__(0, after), before, after)

    def test_released(self):
        array = Producer(self.words, b"u")
        capsules = array.__arrow_c_array__()
        array.__arrow_c_array__ = lambda: capsules
        minhash_many(array)
        self.assertRaisesRegex(ValueError, "released", minhash_many, array)
        stream = StreamProducer([Producer(self.words, b"u")])
        stream.stream.release = None
        self.assertRaisesRegex(ValueError, "released", minhash_many, stream)

    words = ["", "a", None, "naïve Straße", "a text of more than twelve bytes", "人人生而自由", "exactly12byt"] * 5

    def test_array(self):
        for form in (b"u", b"U", b"vu"):
            for before in (0, 3, 9):
                array = Producer(self.words, form, before)
                expected = [minhash(t) for t in self.words[before:]]
                self.assertEqual(list(minhash_many(array, threads=2)), expected, (form, before))

    def test_stream(self):
        stream = StreamProducer([Producer(self.words, b"u"), Producer([], b"u"), Producer(self.words, b"u", 4)])
        self.assertEqual(list(minhash_many(stream)), [minhash(t) for t in self.words + self.words[4:]])
        self.assertEqual(stream.released, 3)

    def test_errors(self):
        self.assertRaises(TypeError, minhash_many, Producer(["a"], b"l"))
        stream = StreamProducer([Producer(["a"], b"u")], error=5)
        self.assertRaisesRegex(ValueError, "broken", minhash_many, stream)
        self.assertEqual(stream.released, 1)
        self.assertRaises(TypeError, minhash_many, StreamProducer([Producer(["a"], b"i")]))


class TestSearch(unittest.TestCase):
    def setUp(self):
        rng = random.Random(5)
        self.centers = [rng.getrandbits(64) for _ in range(20)]
        self.values = [rng.choice(self.centers) ^ sum(1 << rng.randrange(64) for _ in range(rng.randrange(4))) & (2**64 - 1)
                       for _ in range(300)]  # fmt: skip

    def test_pairs_groups_within(self):
        for values, bits in ((self.values, 64), ([v << 100 | v for v in self.values], 192)):
            one = [pgsimhash.Fingerprint(v, bits) for v in values]
            for fps in (one, pgsimhash.Fingerprints(one)):
                for k in (0, 3, 10):
                    expected = {(a, b, one[a] - one[b]) for b in range(300) for a in range(b) if one[a] - one[b] <= k}
                    got = list(pgsimhash.pairs(fps, k))
                    self.assertEqual((len(got), set(got)), (len(expected), expected))
                    groups = pgsimhash.groups(fps, k)
                    for a, b, _ in got:
                        self.assertEqual(groups[a], groups[b])
                    self.assertTrue(all(groups[g] == g <= i for i, g in enumerate(groups)))
                    self.assertEqual(pgsimhash.within(fps, one[7], k), [i for i in range(300) if one[i] - one[7] <= k])
            self.assertEqual(list(pgsimhash.distances(one, one[7])), [fp - one[7] for fp in one])

    def test_none(self):
        one = [None if i % 3 == 0 else v for i, v in enumerate(self.values)]
        present = [i for i, v in enumerate(one) if v is not None]
        expected = {(a, b) for b in present for a in present if a < b and bin(one[a] ^ one[b]).count("1") <= 4}
        self.assertEqual({(a, b) for a, b, _ in pgsimhash.pairs(one, 4)}, expected)
        groups = pgsimhash.groups(one, 4, "star")
        self.assertTrue(all((g is None) == (v is None) for g, v in zip(groups, one)))
        self.assertTrue(set(groups) - {None} <= set(present))
        self.assertEqual(pgsimhash.within(one, one[1], 0)[0], 1)
        self.assertEqual(pgsimhash.distances(one, one[1])[:2].tolist(), [65535, 0])

    def test_references(self):
        fps = array("Q", self.values)
        q = pgsimhash.Fingerprint(fps[0])
        found = list(pgsimhash.pairs(fps, 3))
        self.assertEqual((found[:0], pgsimhash.within(fps, q, 0)[0], pgsimhash.distances(fps, q)[0]), ([], 0, 0))
        self.assertEqual(len(pgsimhash.groups(fps, 3)), 300)
        self.assertRaises(ValueError, pgsimhash.within, fps, pgsimhash.Fingerprint(1, 128))
        next(pgsimhash.pairs(fps, 64))
        fps.append(1)  # an error while a buffer is in use

    def test_stars(self):
        rng = random.Random(7)
        for n, n_edges in ((1, 3), (50, 30), (200, 200), (300, 5000)):
            for kind in (int, str, lambda i: (i % 7, str(i))):
                names = [kind(i) for i in range(n)]
                edges = [tuple(None if rng.random() < 0.05 else rng.choice(names) for _ in range(2)) for _ in range(n_edges)]
                ids = sorted({id for edge in edges for id in edge} - {None})
                for keep in (None, [], ids, ids[::-1], rng.sample(ids, len(ids) // 2) + [None, kind(n)] + ids[:3]):
                    expected = {}
                    for id in sorted(ids, key=lambda i: (keep.index(i) if i in (keep or ()) else len(ids) + 9, i)):
                        near = {b if a == id else a for a, b in edges if id in (a, b)}
                        expected[id] = next((k for k in expected if expected[k] == k and k in near), id)
                    found = pgsimhash.stars(iter(edges), keep)
                    self.assertEqual(list(found.items()), list(expected.items()))
        self.assertEqual(pgsimhash.stars([]), {})
        self.assertEqual(pgsimhash.stars([(None, None), (1, 1)], iter([2, 1])), {1: 1})
        self.assertEqual(pgsimhash.stars([("a", 1)], [1, "a"]), {1: 1, "a": 1})
        self.assertRaises(TypeError, pgsimhash.stars, [("a", 1)])
        self.assertRaises(ValueError, pgsimhash.stars, [(1, 2, 3)])
        fps = pgsimhash.Fingerprints(self.values)
        edges = [(a, b) for a, b, _ in pgsimhash.pairs(fps, 4)] + [(i, None) for i in range(len(fps))]
        self.assertEqual(pgsimhash.stars(edges), dict(enumerate(pgsimhash.groups(fps, 4, "star"))))

    def test_stars_of_arrays(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        edges = numpy.array([[3, 1], [3, 2], [4, 3], [2**63 - 1, -(2**63)]])
        found = pgsimhash.stars(edges, numpy.array([4]))
        self.assertEqual(found, {4: 4, 3: 4, 1: 1, 2: 2, 2**63 - 1: -(2**63), -(2**63): -(2**63)})
        self.assertEqual({type(id) for id in found}, {int})

    def test_bounds(self):
        self.assertEqual(list(pgsimhash.pairs([1, 1], -5)), [])
        self.assertEqual(list(pgsimhash.pairs([0, -1], 10**30)), [(0, 1, 64)])
        self.assertEqual(sorted(pgsimhash.pairs([0, 31, 63])), [(0, 1, 5), (1, 2, 1)])
        self.assertEqual(pgsimhash.groups([], 3), [])
        self.assertRaises(ValueError, pgsimhash.groups, [1], 3, "stars")
        self.assertRaises(ValueError, pgsimhash.pairs, [pgsimhash.Fingerprint(1, 72)], 3)
        self.assertRaises(ValueError, pgsimhash.within, [1], pgsimhash.Fingerprint(1, 128), 3)
        self.assertEqual(pgsimhash.bound(0.8, 256), 34)
        self.assertRaises(ValueError, pgsimhash.bound, 1.1, 256)
        self.assertEqual(len(pgsimhash.block_keys(minhash(QUICK), 3)), 4)
        self.assertTrue(set(pgsimhash.block_keys(minhash(QUICK), 20)) & set(pgsimhash.block_keys(minhash(CHANGED), 20)))
