"""examples/many_machines.py on two workers finds what pgsimhash dedupe finds"""

import contextlib
import json
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/many_machines.py")
COMMAND = os.environ.get("PGSIMHASH", "")

if not os.path.exists(PROGRAM):
    raise unittest.SkipTest("examples/many_machines.py is not here")
if not COMMAND:
    raise unittest.SkipTest("PGSIMHASH names no command")
try:
    import numpy  # noqa: F401
    from dask.distributed import LocalCluster
except ImportError as error:
    raise unittest.SkipTest(f"{error.name} is not installed") from error

# A part of the program, and what the tests write instead: small blocks and batches
SMALL = (("BLOCK = 16 << 20", "BLOCK = 2000"), ("BATCH = 2000", "BATCH = 20"))
# The first worker that searches a batch ends
LOST = (("import json", "import json, os"), ("    records = []\n", """    try:
        os.close(os.open({!r}, os.O_CREAT | os.O_EXCL))
        os._exit(1)
    except FileExistsError:
        records = []
"""))  # fmt: skip


class Documents:
    """Texts with titles, and many that are near them"""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.words = ["".join(self.rng.choices("abcdefghijklmnopqrstuvwxyzäß", k=self.rng.randint(2, 9))) for _ in range(4000)]
        self.records = []
        texts = [self.text(self.rng.randint(1, 120)) for _ in range(4000)]
        for text in texts[:400]:
            self.add(self.copy(text))
            self.add(self.edit(text))
            self.add(f"{text} {self.text(len(text.split()) // 4 + 1)}")  # up to 40 bits away
        for text in texts[:60]:  # chains
            for _ in range(6):
                text = self.edit(text)
                self.add(text)
        for _ in range(8):
            head, tail = self.text(12), self.text(40)
            for name in self.rng.sample(self.words, 5):  # a slot
                for _ in range(2):
                    self.add(f"{head} {name} {tail}")
                    self.add(f"{head} {name} {self.edit(tail)}")
            for number in range(9):
                self.add(f"{head} {number} {tail}")
        head, tail = self.text(3), self.text(30)
        for i in range(150):  # more siblings than a text is compared with
            self.add(f"{head} {self.words[i]} {self.words[-i]} {tail}")
        for text in texts:
            self.add(text)
        for _ in range(3):  # longer than a block
            self.add(texts[0] * 50)
        self.records += [{"body": None}, {"body": ""}, {"body": "... !"}, {"body": "... !"}, {"body": texts[0] + " \U0001f469"}]
        self.rng.shuffle(self.records)
        for i, record in enumerate(self.records):
            record["id"] = i if i % 3 else f"a\t\\{i}\n\r\x1b[31m\x7f\x80\x9b\u200b\u00e9"
            record["key"] = f"key {i}"

    def text(self, n):
        return " ".join(self.rng.choices(self.words, k=n))

    def copy(self, text):
        return text.upper().lower().replace(" ", "  ", 2) if self.rng.random() < 0.5 else text.capitalize()

    def edit(self, text):
        words = text.split()
        words[self.rng.randrange(len(words))] = self.rng.choice(self.words)
        return " ".join(words)

    def add(self, text):
        record = {"body": text}
        if self.rng.random() < 0.8:
            record["title"] = self.rng.choice(self.words[:3])
        self.records.append(record)

    def write(self, folder):
        """Write three files, one of them small and one with a mark, empty lines and other ends of lines."""
        rng = self.rng
        for name, records in (("1", self.records[:2000]), ("2", self.records[2000:2001]), ("3", self.records[2001:])):
            with open(f"{folder}/{name}.jsonl", "w", encoding="utf-8", newline="") as file:
                file.write("\ufeff" if name == "3" else "")
                for record in records:
                    file.write(json.dumps(record, ensure_ascii=rng.random() < 0.5) + rng.choice(("\n", "\r\n", "\n \n")))


class TestManyMachines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.folder = cls.stack.enter_context(tempfile.TemporaryDirectory())
        cls.cluster = cls.stack.enter_context(
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL, local_directory=cls.folder))  # fmt: skip
        cls.documents = Documents(1)
        cls.documents.write(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def of_command(self, *options):
        report = f"{self.folder}/report"
        files = [name for name in (f"{self.folder}/{i}.jsonl" for i in (1, 2, 3)) if name not in options]
        subprocess.run([COMMAND, "dedupe", "--field", "body", "--report", report, *options, *files],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)  # fmt: skip
        with open(report, encoding="utf-8") as file:
            return re.sub(r"\t\w+(\t/.*)?\n", "\n", file.read())  # without what differs, and the file

    def run_program(self, changes, *arguments):
        with open(PROGRAM, encoding="utf-8") as file:
            program = file.read()
        for old, new in changes:
            self.assertEqual(program.count(old), 1, old)
            program = program.replace(old, new)
        with open(f"{self.folder}/program.py", "w", encoding="utf-8") as file:
            file.write(program)
        return subprocess.run([sys.executable, f"{self.folder}/program.py", "--scheduler", self.cluster.scheduler_address, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=300)  # fmt: skip

    def of_program(self, changes, *arguments):
        done = self.run_program(changes, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_equal(self):
        everywhere = f"{self.folder}/*.jsonl"
        plain = self.of_command()
        kinds = [line.split("\t")[2] for line in plain.splitlines()]
        for kind in ("copy", "revision"):
            self.assertGreater(kinds.count(kind), 200)
        self.assertGreater(max(int(line.split("\t")[3]) for line in plain.splitlines()), 38)
        self.assertEqual(self.of_program((), "--field", "body", everywhere), plain)
        self.assertEqual(self.of_program(SMALL, "--field", "body", everywhere), plain)
        options = ("--title", "title", "--id", "key")
        titled = self.of_command(*options)
        self.assertLess(titled.count("\n"), plain.count("\n"))
        self.assertEqual(self.of_program(SMALL, "--field", "body", *options, everywhere), titled)
        options += ("--known", f"{self.folder}/1.jsonl", "--known", f"{self.folder}/2.jsonl")
        new = self.of_command(*options)
        self.assertGreater(new.count("\n"), 200)
        self.assertLess(new.count("\n"), titled.count("\n"))
        self.assertEqual(self.of_program(SMALL, "--field", "body", *options, f"{self.folder}/3.jsonl"), new)

    def test_lost_worker(self):
        flag = f"{self.folder}/lost"
        changes = [(old, new.format(flag)) for old, new in LOST]
        self.assertEqual(self.of_program((*SMALL, *changes), "--field", "body", f"{self.folder}/*.jsonl"), self.of_command())
        self.assertTrue(os.path.exists(flag))

    def test_records(self):
        path = f"{self.folder}/other"
        for lines, expected in (("", ""), ("\n", ""), ('{"body": null}\n', ""),
                                ('{"body": "a b"}\n{"body": "A  b"}', f"file://{path}:16\tfile://{path}:0\tcopy\t0\n")):  # fmt: skip
            with open(path, "w", encoding="utf-8") as file:
                file.write(lines)
            self.assertEqual(self.of_program((), "--field", "body", path), expected)
        for lines in ('{"body": "a"}\n[]', '{"body": "a"}\n{"text": "a"}', '{"body": "a"}\n{"body": "a"'):
            with open(path, "w", encoding="utf-8") as file:
                file.write(lines)
            done = self.run_program((), "--field", "body", path)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"file://{path}, byte 14: ", done.stderr)
        for wrong in ("true", "1.5", "null", "[1]", '"\\ud800"'):
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"body": "a", "id": %s}\n' % wrong)
            done = self.run_program((), "--field", "body", path)
            self.assertIn(f"file://{path}, byte 0: ", done.stderr)
        strange = os.fsencode(path) + b"\x9b\xc2\x9b\\"
        with open(strange, "w", encoding="utf-8") as file:
            file.write('{"body": "a b"}\n{"body": "A b"}\n')
        written = f"file://{path}" + r"\x9b\xc2\x9b\\"
        self.assertEqual(self.of_program((), "--field", "body", os.fsdecode(strange)), f"{written}:16\t{written}:0\tcopy\t0\n")
        done = self.run_program((), "--field", "body", path + ".none")
        self.assertIn("FileNotFoundError", done.stderr)
