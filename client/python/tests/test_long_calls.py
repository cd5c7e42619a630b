"""Calls that last: each function releases the lock, completes in any thread, and ends after a signal"""

import faulthandler
import random
import signal
import sys
import threading
import time
import unittest
from array import array

import pgsimhash
from pgsimhash import Fingerprint, Fingerprints, _core

LONG = 0.5  # seconds; the module looks for signals after 0.05
HANGS = 600
WORDS_AT_ONCE = 1 << 24  # randbytes makes fewer than 2 ** 28 bytes
LETTERS = str.maketrans("0123456789", "ghijklmnop")


def text(n, last="pier"):
    """n words of eight letters"""
    rng = random.Random(n)
    parts = (rng.randbytes(4 * min(n - i, WORDS_AT_ONCE)) for i in range(0, n, WORDS_AT_ONCE))
    return b"".join(parts).hex(" ", 4).translate(LETTERS) + " " + last


def random_fps(n, bits):
    words = array("Q", random.Random(n).randbytes(8 * n * (bits // 64)))
    return words if bits == 64 else Fingerprints._wrap(words.tobytes(), bits, None)


def edges(n):
    return array("I", [i & 0xFFFFF for i in array("I", random.Random(n).randbytes(8 * n))])


# For each function of the module: a call that takes the longer, the larger n is
CALLS = {
    "fingerprint": (lambda t: pgsimhash.simhash_bits(t, 1024, weight="frequency"), text),
    "fingerprint_many": (lambda ts: list(pgsimhash.minhash_many(ts, threads=2)), lambda n: [text(n // 2), text(n // 2, "stage")]),
    "from_features": (lambda ws: pgsimhash.minhash_from_features(ws, 1024), lambda n: text(1000).split() * (n // 1000)),
    "resemblance": (lambda ts: pgsimhash.resemblance(*ts), lambda n: (text(n), text(n, "stage"))),
    "containment": (lambda ts: pgsimhash.containment(*ts), lambda n: (text(n), text(n, "stage"))),
    "passage_keys": (lambda t: pgsimhash.passage_keys(t), text),
    "passages": (lambda ts: pgsimhash.passages(*ts), lambda n: (text(n), text(n, "stage"))),
    "first_change": (lambda ts: pgsimhash.first_change(*ts), lambda n: (text(n), text(n, "stage"))),
    "same_document": (lambda ts: pgsimhash.same_document(*ts), lambda n: (text(n), text(n, "stage"))),
    "copy_key": (lambda t: pgsimhash.copy_key(t), text),
    "changes": (lambda ts: pgsimhash.changes(*ts), lambda n: (text(n), text(n + 1))),
    "duplicates": (lambda ts: pgsimhash.duplicates(ts), lambda n: [f"pier {i // 3:x} is open " * 4 for i in range(n // 20)]),
    "pairs_begin": (lambda fps: sum(1 for _ in pgsimhash.pairs(fps, 40)), lambda n: random_fps(n // 10, 256)),
    "pairs_next": (lambda fps: sum(1 for _ in pgsimhash.pairs(fps, 9)), lambda n: random_fps(n // 10, 64)),
    "groups": (lambda fps: pgsimhash.groups(fps, 9), lambda n: random_fps(n // 10, 64)),
    "stars": (lambda ends: len(_core.stars(ends, 1 << 20)), edges),
    # These are as fast as memory: no call of a test lasts
    "distances": (lambda fps: sum(pgsimhash.distances(fps, Fingerprint(0, 64))), lambda n: array("Q", bytes(8 * n))),
    "within": (lambda fps: len(pgsimhash.within(fps, Fingerprint(0, 64))), lambda n: array("Q", bytes(8 * n))),
    "bound": (lambda bits: pgsimhash.bound(0.8, bits), lambda n: 1024),
    "block_keys": (lambda fp: pgsimhash.block_keys(fp, 1024), lambda n: Fingerprint(n, 1024)),
}
SHORT = {"distances", "within", "bound", "block_keys"}


class Stopped(KeyboardInterrupt):
    pass


class TestLongCalls(unittest.TestCase):
    def setUp(self):
        faulthandler.dump_traceback_later(HANGS, exit=True, file=sys.__stderr__)
        self.previous = signal.signal(signal.SIGALRM, self.stop)

    def tearDown(self):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.previous)
        faulthandler.cancel_dump_traceback_later()

    def stop(self, *_):
        self.stopped = time.monotonic()
        raise Stopped

    def test_all_functions(self):
        functions = {name for name in dir(_core) if callable(getattr(_core, name)) and not name.startswith("_")}
        self.assertEqual(set(CALLS), functions)

    def long_call(self, name):
        """A call that lasts, and its value"""
        call, make = CALLS[name]
        n = 1 << 17
        while True:
            argument = make(n)
            start = time.monotonic()
            value = call(argument)
            seconds = time.monotonic() - start
            if seconds > LONG or name in SHORT:
                return lambda: call(argument), value
            n = int(n * max(1.5, min(16, 1.2 * LONG / max(seconds, 0.01))))

    def in_thread(self, call):
        """The value of the call in a second thread, and how often this thread ran meanwhile"""
        values = []
        thread = threading.Thread(target=lambda: values.append(call()))
        thread.start()
        ticks = 0
        while thread.is_alive():
            time.sleep(0.001)
            ticks += 1
        return values[0], ticks

    def is_stopped(self, call):
        """Does a signal that arrives after 0.1 seconds end the call itself, and within a second?"""
        ended = []

        def profile(frame, event, function):
            if event == "c_exception" and function.__module__ == _core.__name__:
                ended.append(function)

        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        sys.setprofile(profile)
        try:
            with self.assertRaises(Stopped):
                while True:
                    call()
        finally:
            sys.setprofile(None)
        return ended != [] and self.stopped - start < 1.1

    def check_stops(self, call):
        """The signal may arrive outside the call, and late on a busy machine."""
        self.assertTrue(any(self.is_stopped(call) for _ in range(20)), "the call does not look for signals")

    def check(self, name):
        call, value = self.long_call(name)
        for _ in range(20):
            found, ticks = self.in_thread(call)
            self.assertEqual(found, value)
            if ticks > 20 or name in SHORT:
                break
        else:
            self.fail("the lock is not released")
        if name not in SHORT:
            self.check_stops(call)
            self.assertEqual(call(), value)

    def test_long_text_of_a_helper(self):
        """The thread that has no text left still looks for signals."""
        many = ["pier"] * 16 + [text(1 << 24)]
        call = lambda: pgsimhash.simhash_many(many, 1024, threads=2, weight="frequency")
        self.check_stops(call)


for _name in CALLS:
    setattr(TestLongCalls, f"test_{_name}", lambda self, name=_name: self.check(name))
