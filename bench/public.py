#!/usr/bin/python3
"""The tables of bench/results/compared.md: public.py FOLDER PART

public.sh runs this script. FOLDER has titles.tsv, documents.jsonl and node_modules. PGHOST and so on name a server. Each
peer builds its index and answers the same queries on one core. A peer in a process of its own is measured in a child. Times
are CPU time, because a machine may be busy.
"""
import json
import os
import random
import re
import subprocess
import sys
import zlib

import numpy
import psycopg2

import labelled

try:
    import faiss
    faiss.omp_set_num_threads(1)
except ImportError:
    faiss = None

folder, part = sys.argv[1:]
rows_of_codes = int(os.environ.get('CODES', 4_000_000))
connection = psycopg2.connect(dbname=os.environ.get('PGDATABASE', 'postgres'))
connection.autocommit = True
sql = connection.cursor()


def show(what, exact, quality, build, lookup, megabytes):
    """A line of the table. quality: recall and precision; build and lookup: seconds"""
    print('| {} | {} | {} | {} | {} | {:.3f} | {} |'.format(
        what, exact, *(q if isinstance(q, str) else f'{q:.3f}' for q in quality), f'{build:.2f}' if build else '',
        lookup * 1000, f'{megabytes:.0f}' if megabytes else ''), flush=True)


def quality(answers, truth):
    """Recall and precision. answers and truth: for each query a set of ids"""
    found = sum(len(a & t) for a, t in zip(answers, truth))
    return found / max(sum(map(len, truth)), 1), found / max(sum(map(len, answers)), 1)


def title(text):
    print(f'| **{text}** | | | | | | |', flush=True)


def skip(what):
    print(f'public: without {what}', file=sys.stderr)


# ---------- PostgreSQL ----------

def prepare_server(vector):
    sql.execute('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    sql.execute('SET plan_cache_mode = force_generic_plan; SET client_min_messages = warning')
    if vector:
        sql.execute('CREATE EXTENSION IF NOT EXISTS vector')
    sql.execute('''
        CREATE OR REPLACE PROCEDURE answer() LANGUAGE plpgsql AS $$
        DECLARE r record; found int[];
        BEGIN
          TRUNCATE answers;
          FOR r IN SELECT * FROM queries ORDER BY nr LOOP
            EXECUTE format('EXECUTE m(%L)', r.q) INTO found;
            INSERT INTO answers VALUES (r.nr, found);
          END LOOP;
        END $$;
        CREATE TABLE IF NOT EXISTS answers (nr int, found int[]);
        CREATE TABLE IF NOT EXISTS queries (nr int, q text)''')


def cpu(pid=None):
    """Seconds that a process has run; without pid: the server's"""
    with open(f'/proc/{pid or connection.info.backend_pid}/schedstat') as times:
        return int(times.read().split()[0]) / 1e9


def load(table, column, values):
    """A table (id, column) of these values"""
    sql.execute(f'DROP TABLE IF EXISTS {table}; CREATE TABLE {table} (id int, {column})')
    copy(table, enumerate(values))


def copy(table, lines):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        escape = str.maketrans({'\\': r'\\', '\t': r'\t', '\n': r'\n', '\r': r'\r'})
        with os.fdopen(write, 'w') as out:
            for nr, value in lines:
                out.write(f'{nr}\t{value.translate(escape)}\n')
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as text:
        sql.copy_expert(f'COPY {table} FROM STDIN', text)
    os.waitpid(child, 0)
    sql.execute(f'VACUUM ANALYZE {table}')


def set_queries(values):
    sql.execute('TRUNCATE queries')
    copy('queries', enumerate(values))


def build(definition):
    """Builds an index: seconds and megabytes"""
    sql.execute('DROP INDEX IF EXISTS tried')
    began = cpu()
    sql.execute('CREATE INDEX tried ON ' + definition)
    seconds = cpu() - began
    sql.execute("SELECT pg_relation_size('tried') / 1e6")
    return seconds, float(sql.fetchone()[0])


def ask(kind, query, settings='', scan=False):
    """Answers of all queries, and the mean time of one. The query selects ids, $1 is the parameter"""
    sql.execute(f'''SET enable_seqscan = {'on' if scan else 'off'}; SET enable_indexscan = {'off' if scan else 'on'};
                    SET enable_bitmapscan = {'off' if scan else 'on'}; {settings}''')
    seconds = []
    # The first run, of a query without a row, measures the procedure. The second fills the caches.
    for tried in 'SELECT 1 AS id WHERE $1 IS NULL', query, query:
        sql.execute(f'PREPARE m({kind}) AS SELECT array_agg(id) FROM ({tried}) s')
        began = cpu()
        sql.execute('CALL answer()')
        seconds.append(cpu() - began)
        sql.execute('DEALLOCATE m')
    sql.execute('SELECT found FROM answers ORDER BY nr')
    answers = [set(found or ()) for found, in sql.fetchall()]
    return answers, (seconds[2] - seconds[0]) / len(answers)


# ---------- peers in a process of their own ----------

def megabytes_of(index, before):
    """The size of a flat index or a graph of faiss, otherwise what the process has grown by"""
    if faiss and isinstance(index, (faiss.IndexBinaryFlat, faiss.IndexBinaryHNSW)):
        return len(faiss.serialize_index_binary(index)) / 1e6
    return resident() - before


def resident():
    with open('/proc/self/status') as status:
        return int(re.search(r'VmRSS:\s+(\d+)', status.read())[1]) / 1e3


def in_child(make, find, queries):
    """make() makes an index, and find(index, query) a collection of ids: answers, seconds, seconds of a query, megabytes"""
    read, write = os.pipe()
    if os.fork() == 0:
        before, began = resident(), cpu('self')
        index = make()
        seconds, megabytes = cpu('self') - began, megabytes_of(index, before)
        answers = [find(index, query) for query in queries]		# fills the caches
        began = cpu('self')
        answers = [find(index, query) for query in queries]
        lookup = (cpu('self') - began) / len(queries)
        with os.fdopen(write, 'w') as out:
            json.dump([[[int(i) for i in answer] for answer in answers], seconds, lookup, megabytes], out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as text:
        answers, *rest = json.load(text)
    os.wait()
    return [[set(a) for a in answers], *rest]


def nearest(index, query):
    return index.search(query[None], 10)[1][0]


def within(index, query, k):
    return index.range_search(query[None], k + 1)[2]		# distances below


def flat(codes):
    index = faiss.IndexBinaryFlat(codes.shape[1] * 8)
    index.add(codes)
    return index


def hnsw(codes, ef):
    index = faiss.IndexBinaryHNSW(codes.shape[1] * 8, 16)
    index.hnsw.efConstruction = 64
    index.hnsw.efSearch = ef
    index.add(codes)
    return index


def multi_hash(codes, flips):
    index = faiss.IndexBinaryMultiHash(codes.shape[1] * 8, 4, 16)
    index.nflip = flips
    index.add(codes)
    return index


class BKTree:
    """The algorithm of pybktree: a node is a value, its id and its children by distance"""

    def __init__(self, values):
        values = iter(enumerate(values))
        first, value = next(values)
        self.root = (value, first, {})
        for nr, value in values:
            node = self.root
            while True:
                distance = bin(node[0] ^ value).count('1')
                child = node[2].get(distance)
                if child is None:
                    node[2][distance] = (value, nr, {})
                    break
                node = child

    def find(self, value, k):
        found, nodes = [], [self.root]
        while nodes:
            other, nr, children = nodes.pop()
            distance = bin(other ^ value).count('1')
            if distance <= k:
                found.append(nr)
            if children:
                nodes.extend(child for d, child in children.items() if distance - k <= d <= distance + k)
        return found


class MinHashLSH:
    """The algorithm of datasketch: 128 permutations modulo a Mersenne prime, and bands for a threshold"""

    prime = numpy.uint64((1 << 61) - 1)

    def __init__(self, threshold, n=1):
        self.n = n		# words of a feature
        generator = numpy.random.RandomState(1)
        self.a = generator.randint(1, 1 << 32, 128, dtype=numpy.uint64)
        self.b = generator.randint(0, 1 << 32, 128, dtype=numpy.uint64)
        s = (numpy.arange(1000) + 0.5) / 1000
        # The bands and rows with the smallest sum of false positives and false negatives
        self.bands, self.rows = min(
            ((b, r) for b in range(1, 129) for r in range(1, 128 // b + 1)),
            key=lambda n: (1 - (1 - s[s < threshold] ** n[1]) ** n[0]).sum() + ((1 - s[s >= threshold] ** n[1]) ** n[0]).sum())
        self.tables = [{} for _ in range(self.bands)]

    def keys(self, text):
        words = re.findall(r'\w+', text.lower())
        features = {' '.join(words[i:i + self.n]) for i in range(max(len(words) - self.n, 0) + 1)}
        words = numpy.array([zlib.crc32(f.encode()) for f in features], dtype=numpy.uint64)
        values = ((words[:, None] * self.a + self.b) % self.prime & numpy.uint64(0xffffffff)).min(0)
        return [values[i * self.rows:(i + 1) * self.rows].tobytes() for i in range(self.bands)]

    def add(self, nr, text):
        for table, key in zip(self.tables, self.keys(text)):
            table.setdefault(key, []).append(nr)

    def find(self, text):
        return {nr for table, key in zip(self.tables, self.keys(text)) for nr in table.get(key, ())}


def lsh(threshold, texts):
    index = MinHashLSH(threshold)
    for nr, text in enumerate(texts):
        index.add(nr, text)
    return index


# ---------- the parts of the table ----------

def bits(codes):
    return [row.tobytes().decode() for row in numpy.unpackbits(codes, axis=1) + 48]


def nearest_ten(codes, queries):
    width = codes.shape[1] * 8
    signs = numpy.unpackbits(codes, axis=1) * numpy.float32(2) - 1
    truth = []
    for some in numpy.array_split(numpy.unpackbits(queries, axis=1) * numpy.float32(2) - 1, 20):
        for alike in some @ signs.T:
            # As in ann-benchmarks a row counts that is as near as the tenth
            truth.append(set(numpy.flatnonzero(alike >= numpy.partition(alike, -10)[-10]).tolist()))

    def shown(what, exact, answers, *rest):
        show(what, exact, (sum(len(a & t) for a, t in zip(answers, truth)) / 10 / len(answers), ''), *rest)

    load('codes', f'fp bit({width})', bits(codes))
    set_queries(bits(queries))
    kind = f'bit({width})'
    seconds, megabytes = build('codes USING bitblock (fp)')
    answers, lookup = ask(kind, 'SELECT id FROM codes ORDER BY fp <-> $1 LIMIT 10')
    shown('**simhash, `bitblock`**', 'yes', answers, seconds, lookup, megabytes)
    if has_vector:
        seconds, megabytes = build('codes USING hnsw (fp bit_hamming_ops)')
        for ef in 40, 200:
            answers, lookup = ask(kind, 'SELECT id FROM codes ORDER BY fp <~> $1 LIMIT 10', f'SET hnsw.ef_search = {ef}')
            shown(f'pgvector, HNSW, `ef_search` {ef}', 'no', answers, seconds, lookup, megabytes)
        set_queries(bits(queries[:100]))
        answers, lookup = ask(kind, 'SELECT id FROM codes ORDER BY fp <~> $1 LIMIT 10', scan=True)
        shown('pgvector, scan, 100 queries', 'yes', answers, 0, lookup, 0)
    if faiss:
        for what, exact, make in (('faiss, `IndexBinaryFlat`', 'yes', lambda: flat(codes)),
                                  ('faiss, `IndexBinaryHNSW`, `efSearch` 40', 'no', lambda: hnsw(codes, 40)),
                                  ('faiss, `IndexBinaryHNSW`, `efSearch` 200', 'no', lambda: hnsw(codes, 200))):
            answers, seconds, lookup, megabytes = in_child(make, nearest, queries)
            shown(what, exact, answers, seconds, lookup, megabytes)


def part_blobs():
    try:
        from sklearn.datasets import make_blobs
        from sklearn.model_selection import train_test_split
    except ImportError:
        return skip('random-l-256-hamming: there is no scikit-learn')
    points, _ = make_blobs(n_samples=100000, n_features=256, centers=1000, random_state=1)
    codes, queries = train_test_split(points > 0, test_size=1000, random_state=1)
    title('random-l-256-hamming of ann-benchmarks: nearest 10 among 99,000 of 256 bits, 1,000 queries')
    nearest_ten(numpy.packbits(codes, axis=1), numpy.packbits(queries, axis=1))


def part_unrelated():
    codes = numpy.random.default_rng(1).integers(0, 256, (100300, 32), dtype=numpy.uint8)
    title('unrelated codes: nearest 10 among 100,000 uniform ones of 256 bits, 300 queries')
    nearest_ten(codes[:100000], codes[100000:])


def part_uniform():
    generator = numpy.random.default_rng(2)
    codes = generator.integers(0, 256, (rows_of_codes, 8), dtype=numpy.uint8)
    tenth = rows_of_codes // 10
    asked = {}
    for k in 4, 8, 10:
        # Each query differs in k bits from a row of the first tenth
        queries = numpy.unpackbits(codes[generator.integers(0, tenth, 20)], axis=1)
        for query in queries:
            query[generator.permutation(64)[:k]] ^= 1
        asked[k] = numpy.packbits(queries, axis=1)
    title(f'{rows_of_codes:,} uniform codes of 64 bits: 20 queries for each bound')
    load('codes', 'fp bit(64)', bits(codes))

    truth = {}
    for k, queries in asked.items():
        set_queries(bits(queries))
        truth[k], lookup = ask('bit(64)', f'SELECT id FROM codes WHERE fp <-> $1 <= {k}', scan=True)
        show(f'simhash, scan, within {k}', 'yes', quality(truth[k], truth[k]), 0, lookup, 0)
        if has_vector:
            answers, lookup = ask('bit(64)', f'SELECT id FROM codes WHERE fp <~> $1 <= {k}', scan=True)
            show(f'pgvector, scan, within {k}', 'yes', quality(answers, truth[k]), 0, lookup, 0)
    seconds, megabytes = build('codes USING bitblock (fp)')
    for k, queries in asked.items():
        set_queries(bits(queries))
        answers, lookup = ask('bit(64)', f'SELECT id FROM codes WHERE fp <-> $1 <= {k}')
        show(f'**simhash, `bitblock`**, within {k}', 'yes', quality(answers, truth[k]), seconds, lookup, megabytes)

    def in_process(what, make, find, truth):
        before, began = resident(), cpu('self')
        index = make()
        seconds, megabytes = cpu('self') - began, megabytes_of(index, before)
        for k, queries in asked.items():
            answers, _, lookup, _ = in_child(lambda: index, lambda index, query: find(index, query, k), queries)
            show(f'{what}, within {k}', 'yes', quality(answers, truth[k]), seconds, lookup, megabytes)

    if faiss:
        in_process('faiss, `IndexBinaryFlat`', lambda: flat(codes), within, truth)
        in_process('faiss, `IndexBinaryMultiHash`, 4 hashes of 16 bits, 2 flipped', lambda: multi_hash(codes, 2), within, truth)
    values = [int(v) for v in numpy.ascontiguousarray(codes[:tenth]).view('>u8').ravel()]
    in_process('BK-tree in Python, a tenth of the rows', lambda: BKTree(values),
               lambda tree, query, k: tree.find(int.from_bytes(query.tobytes(), 'big'), k),
               {k: [{i for i in t if i < tenth} for t in truth[k]] for k in truth})


def part_titles():
    texts, queries = [], []
    with open(f'{folder}/titles.tsv') as lines:
        for line in lines:
            edit, nr, text = line.rstrip('\n').split('\t')
            if edit == r'\N':
                texts.append(text)
            else:
                queries.append((text, {int(nr)}))
    truth = [t for _, t in queries]
    title(f'{len(texts):,} titles: the original of {len(queries)} edited ones')
    load('texts', "body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body, 256, 'characters', n => 2)) STORED", texts)
    set_queries(text for text, _ in queries)
    seconds, megabytes = build('texts USING bitblock (fp)')
    for k in 48, 64:
        answers, lookup = ask('text', f"SELECT id FROM texts WHERE fp <-> minhash_bits($1, 256, 'characters', n => 2) <= {k}")
        show(f'**simhash**, 2 characters, 256 bits, within {k}', 'yes', quality(answers, truth), seconds, lookup, megabytes)
    for name, definition in ('GIN', 'gin (body gin_trgm_ops)'), ('GiST', 'gist (body gist_trgm_ops (siglen = 64))'):
        seconds, megabytes = build('texts USING ' + definition)
        for threshold in .6, .5:
            answers, lookup = ask('text', 'SELECT id FROM texts WHERE body % $1', f'SET pg_trgm.similarity_threshold = {threshold}')
            show(f'pg_trgm, {name}, similarity {threshold}', 'yes', quality(answers, truth), seconds, lookup, megabytes)


def part_documents():
    for file, what in documents():
        texts, groups = [], {}
        with open(file) as lines:
            for line in lines:
                text, group = labelled.text_and_group(json.loads(line), len(texts))
                groups.setdefault(group, set()).add(len(texts))
                texts.append(text)
        pairs = [(nr, group - {nr}) for group in groups.values() if len(group) > 1 for nr in group]
        pairs = random.Random(1).sample(sorted(pairs, key=lambda p: p[0]), min(500, len(pairs)))
        truth = [others for _, others in pairs]
        title(f'{len(texts):,} {what}: the others of a document, {len(pairs)} queries')
        compare_documents(texts, [nr for nr, _ in pairs], truth)


def documents():
    yield f'{folder}/documents.jsonl', 'manual pages of Debian 12 and 13'
    data = os.environ.get('PUBLIC_DATA')
    for name in 'core', 'news-copy':
        if data and os.path.exists(f'{data}/{name}.jsonl'):
            yield f'{data}/{name}.jsonl', f'documents of {name.upper()}'
        else:
            skip(f'{name}.jsonl (PUBLIC_DATA)')


def compare_documents(texts, asked, truth):
    queries = [texts[nr] for nr in asked]

    def shown(what, exact, answers, *rest):
        show(what, exact, quality([a - {nr} for a, nr in zip(answers, asked)], truth[:len(answers)]), *rest)

    load('texts', 'body text, fp bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED', texts)
    load('plain', 'body text', texts)
    set_queries(queries)
    began = cpu()
    sql.execute('SELECT count(minhash_bits(body)) FROM plain')
    fingerprints = cpu() - began
    seconds, megabytes = build('texts USING bitblock (fp)')
    for what, condition in (('within 20', '<= 20'), ('within 48', '<= 48'),
                            ('within 48, `simhash_resemblance` at least .7', '<= 48 AND simhash_resemblance(body, $1) >= .7'),
                            ('within 20, `simhash_first_change` at most 1', '<= 20 AND simhash_first_change(body, $1) <= 1')):
        answers, lookup = ask('text', f'SELECT id FROM texts WHERE fp <-> minhash_bits($1) {condition}')
        shown(f'**simhash**, 256 bits, {what}', 'yes', answers, fingerprints + seconds, lookup, megabytes)
    for threshold in .5, .8:
        answers, *rest = in_child(lambda: lsh(threshold, texts), lambda index, text: index.find(text), queries)
        shown(f'MinHash LSH of datasketch in numpy, 128 permutations of words, threshold {threshold}', 'no', answers, *rest)
    for package in 'minhash', 'simhash':
        if not os.path.exists(f'{folder}/node_modules/{package}'):
            skip(f'{package} of npm')
            continue
        with open(f'{folder}/{package}.json', 'w') as out:
            json.dump({'texts': texts, 'asked': asked}, out)
        answers = json.loads(subprocess.run(
            ['node', '--no-deprecation', '--expose-gc', '--max-old-space-size=8192', f'{os.path.dirname(os.path.abspath(__file__))}/public.js', package, folder],
            stdout=subprocess.PIPE, check=True).stdout)
        shown(f"npm's {package}, {answers['how']}", 'no', [set(a) for a in answers['found']], answers['build'], answers['lookup'], answers['mb'])
    seconds, megabytes = build('plain USING gin (body gin_trgm_ops)')
    set_queries(queries[:20])
    answers, lookup = ask('text', 'SELECT id FROM plain WHERE body % $1', 'SET pg_trgm.similarity_threshold = 0.7')
    shown('pg_trgm, GIN, similarity 0.7, 20 queries', 'yes', answers, seconds, lookup, megabytes)


def part_inserts():
    """Rows a second of CPU time into an index that has 100,000"""
    generator = numpy.random.default_rng(3)
    print('\n| inserts of single rows of 256 bits, among 100,000 | rows/s | MB of index |\n|---|---|---|')
    load('codes', 'fp bit(256)', bits(generator.integers(0, 256, (100000, 32), dtype=numpy.uint8)))
    set_queries(bits(generator.integers(0, 256, (5000, 32), dtype=numpy.uint8)))
    for what, definition in (('no index', None), ('btree on the column', 'codes (fp)'), ('**simhash, `bitblock`**', 'codes USING bitblock (fp)'),
                             ('pgvector, HNSW', 'codes USING hnsw (fp bit_hamming_ops)' if has_vector else '')):
        if definition == '':
            continue
        sql.execute('DROP INDEX IF EXISTS tried')
        megabytes = build(definition)[1] if definition else 0
        began = cpu()
        sql.execute("DO 'DECLARE r record; BEGIN FOR r IN SELECT * FROM queries LOOP INSERT INTO codes VALUES (-1, r.q::bit(256)); END LOOP; END'")
        print(f'| {what} | {5000 / (cpu() - began):.0f} | {megabytes:.0f} |', flush=True)
        sql.execute('DELETE FROM codes WHERE id = -1')
        sql.execute('VACUUM codes')


def part_labelled():
    data = os.environ.get('PUBLIC_DATA')
    if not data:
        return skip('public labelled sets (PUBLIC_DATA)')
    labelled.table(data, sql, load, MinHashLSH, skip)


sql.execute("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
has_vector = sql.fetchone()[0] == 1
prepare_server(has_vector)
globals()['part_' + part]()
