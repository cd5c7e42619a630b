import copy
import pickle
import unittest

from pgsimhash import Fingerprint, Fingerprints

FP = Fingerprint("d1c2b3a495867708")


class Signature:
    """As datasketch's MinHash"""

    def __init__(self, values):
        self.hashvalues = values


class Flat(list):
    def flatten(self):
        return [bit for row in self for bit in row]


class Image:
    """As imagehash's ImageHash"""

    def __init__(self, rows):
        self.hash = Flat(rows)


class TestFingerprint(unittest.TestCase):
    def test_forms(self):
        self.assertEqual(FP.value, 15114840818873431816)
        self.assertEqual(FP.signed, -3331903254836119800)
        self.assertEqual((str(FP), FP.hex(), FP.bits, int(FP)), ("d1c2b3a495867708", "d1c2b3a495867708", 64, FP.value))
        self.assertEqual(bytes(FP), bytes.fromhex("d1c2b3a495867708"))
        self.assertEqual(FP.binary(), f"{FP.value:064b}")
        self.assertEqual(repr(FP), "Fingerprint('0xd1c2b3a495867708')")
        self.assertEqual(hex(FP), "0xd1c2b3a495867708")

    def test_same_from_all(self):
        for value in (FP, FP.value, FP.signed, "0xD1C2B3A495867708", " d1c2b3a495867708\n", bytes(FP), bytearray(bytes(FP))):
            self.assertEqual(Fingerprint(value), FP)
        self.assertEqual(Fingerprint.from_binary(FP.binary()), FP)
        self.assertEqual(Fingerprint(-1), Fingerprint("f" * 16))
        self.assertEqual(Fingerprint("0x" + "01" * 32).bits, 256)
        self.assertEqual(Fingerprint(5, 81).binary(), "0" * 78 + "101")
        self.assertEqual(Fingerprint(-1, 256), Fingerprint("f" * 64))
        self.assertEqual(repr(Fingerprint(5, 81)), "Fingerprint(5, 81)")

    def test_errors(self):
        for value in (1 << 64, -(1 << 63) - 1, "01" * 32, "", "0x", "xyz", "12_3", "١", b"", Signature([1] * 63), Signature([1] * 1040)):
            with self.assertRaises(ValueError, msg=repr(value)):
                Fingerprint(value)
        for value in (None, 1.5, [1, 2], {}):
            with self.assertRaises(TypeError, msg=repr(value)):
                Fingerprint(value)
        for call in (lambda: Fingerprint("ab", 64), lambda: Fingerprint.from_binary("012"), lambda: Fingerprint(0, 0),
                     lambda: Fingerprint(5, 81).hex(), lambda: bytes(Fingerprint(5, 81))):  # fmt: skip
            with self.assertRaises(ValueError):
                call()

    def test_other_classes(self):
        values = [7 * i * i + i // 3 for i in range(128)]
        self.assertEqual(Fingerprint(Signature(values)).binary(), "".join(str(v % 2) for v in values))
        rows = [[(3 * i + j) % 5 < 2 for j in range(9)] for i in range(9)]
        fp = Fingerprint(Image(rows))
        self.assertEqual(fp.binary(), "".join("1" if b else "0" for row in rows for b in row))
        self.assertEqual(fp.bits, 81)

    def test_installed_classes(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        rows = numpy.arange(64).reshape(8, 8) % 3 == 0
        image = Image([])
        image.hash = rows
        self.assertEqual(Fingerprint(image).value, int("".join("1" if b else "0" for b in rows.ravel()), 2))
        values = numpy.arange(64, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
        self.assertEqual(Fingerprint(Signature(values)).binary(), "".join(str(int(v) % 2) for v in values))
        self.assertEqual(Fingerprint(numpy.uint64(FP.value)), FP)
        self.assertEqual(Fingerprint(numpy.int64(FP.signed)), FP)

    def test_imagehash(self):
        try:
            import imagehash
            import numpy
        except ImportError:
            self.skipTest("imagehash is not installed")
        for size in (8, 9, 16):
            a, b = (imagehash.ImageHash(half) for half in numpy.random.default_rng(size).random((2, size, size)) < 0.5)
            fp = Fingerprint(a)
            self.assertEqual((fp.bits, fp.value, fp - Fingerprint(b)), (size * size, int(str(a), 16), a - b))

    def test_operators(self):
        other = Fingerprint(FP.value ^ 0b1011)
        self.assertEqual((FP - other, FP.distance(other), FP.distance(other.value)), (3, 3, 3))
        self.assertEqual(FP ^ other, Fingerprint(0b1011))
        self.assertEqual(~FP ^ FP, Fingerprint(-1))
        self.assertTrue(Fingerprint(1) < Fingerprint(-1) and Fingerprint(-1) > Fingerprint(1) and FP <= FP)
        self.assertEqual(len({FP, Fingerprint(FP), Fingerprint(FP.value, 128)}), 2)
        self.assertNotEqual(FP, FP.value)
        with self.assertRaises(ValueError):
            FP.distance(Fingerprint(1, 128))
        for wrong in (lambda: FP ^ Fingerprint(1, 128), lambda: FP < Fingerprint(1, 128), lambda: FP - 3):
            self.assertRaises(TypeError, wrong)

    def test_immutable(self):
        for change in (lambda: setattr(FP, "_value", 1), lambda: setattr(FP, "value", 1), lambda: delattr(FP, "_bits")):
            self.assertRaises(AttributeError, change)
        for again in (copy.copy(FP), copy.deepcopy(FP), pickle.loads(pickle.dumps(FP))):
            self.assertEqual(again, FP)


class TestFingerprints(unittest.TestCase):
    def test_sequence(self):
        for bits in (64, 81, 256):
            one = [Fingerprint(i * i * 77, bits) for i in range(9)] + [None, Fingerprint(-1, bits)]
            fps = Fingerprints(one)
            self.assertEqual((list(fps), len(fps), fps.bits, fps[-1]), (one, 11, bits, one[-1]))
            self.assertEqual(list(fps[2:10:3]), one[2:10:3])
            self.assertEqual(fps, Fingerprints(one))
            self.assertNotEqual(fps, fps[1:])
            self.assertRaises(IndexError, lambda: fps[11])
        self.assertEqual((len(Fingerprints()), list(Fingerprints([None]))), (0, [None]))
        self.assertRaises(ValueError, Fingerprints, [Fingerprint(1), Fingerprint(1, 128)])

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        fps = Fingerprints([1, None, -1])
        self.assertEqual(numpy.asarray(fps).tolist(), [1, 0, 2**64 - 1])
        wide = Fingerprints([Fingerprint(1, 256), Fingerprint(1 << 192, 256)])
        self.assertEqual(numpy.asarray(wide).tolist(), [[0, 0, 0, 1], [1, 0, 0, 0]])
        self.assertEqual(numpy.asarray(wide).ctypes.data, numpy.asarray(wide).ctypes.data)
        self.assertEqual(Fingerprints.of(numpy.asarray(wide)), wide)
        self.assertEqual(list(Fingerprints.of(numpy.array([-1, 1]))), [Fingerprint(-1), Fingerprint(1)])
        self.assertEqual(list(Fingerprints.of(numpy.asarray(wide)[:, 3])), [Fingerprint(1), Fingerprint(0)])
        self.assertRaises(TypeError, Fingerprints.of, numpy.array([1.5]))
        self.assertRaises(TypeError, Fingerprints.of, numpy.array([1], dtype=numpy.uint8))
