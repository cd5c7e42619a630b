"""Public labelled sets, for public.py: how many of the pairs that people labelled "the same" does each method find?

Reads the sets as they were published, from the folder PUBLIC_DATA. What is absent is skipped with a message:

    articles_*.train, articles_*.truth      news with edited copies (McCormick)
    clough-stevenson/*.txt                  Clough and Stevenson's short answers, with file_information.csv: the
                                            columns File and Category of their list
    msr_paraphrase_{train,test}.txt         Microsoft Research Paraphrase Corpus (MRPC)
    cora.csv                                Cora: the class is the second column, without a header
    DBLP2.csv, ACM.csv, Abt.csv ...         Leipzig's benchmarks for entity resolution, with their *_perfectMapping.csv
    core.jsonl, news-copy.jsonl ...         CORE Deduplication 2020, NEWS-COPY, and any other set as lines of JSON:
                                            {"text": ..., "cluster": ...}
"""
import csv
import glob
import io
import itertools
import json


class Labelled:
    """Texts, the pairs of them that are the same, and those that were labelled. Pairs are (i, j), i < j"""

    def __init__(self, name, texts, wanted, labelled=None, counts=lambda pair: True):
        self.name, self.texts, self.labelled = name, list(texts), labelled
        self.wanted = {tuple(sorted(pair)) for pair in wanted}
        self.counts = counts if labelled is None else labelled.__contains__


def lines(path):
    with open(path, 'rb') as file:
        data = file.read()
    try:
        return io.StringIO(data.decode('utf-8-sig'), newline='')
    except UnicodeDecodeError:
        return io.StringIO(data.decode('latin-1'), newline='')


def pairs_within(groups):
    """All pairs of members of one group. groups: of each text, in order"""
    members = {}
    for nr, group in enumerate(groups):
        members.setdefault(group, []).append(nr)
    return {pair for group in members.values() for pair in itertools.combinations(group, 2)}


def articles(folder):
    for path in sorted(glob.glob(f'{folder}/articles_*.train')):
        names, texts = zip(*(line.rstrip().split(' ', 1) for line in lines(path)))
        pairs = [line.split() for line in lines(path[:-5] + 'truth')]
        yield Labelled(f'{len(texts):,} news with edited copies', texts, [map(names.index, pair) for pair in pairs])


def answers(folder):
    kinds = {row['File']: row['Category'] for row in csv.DictReader(lines(f'{folder}/clough-stevenson/file_information.csv'))}
    names = sorted(kinds, key=lambda name: (kinds[name] != 'orig', name))		# the sources first
    texts = [lines(f'{folder}/clough-stevenson/{name}').read() for name in names]
    source = {nr: names.index('orig_' + name.split('_')[1]) for nr, name in enumerate(names)}
    of_kind = {kind: {(source[nr], nr) for nr, name in enumerate(names) if kinds[name] == kind} for kind in kinds.values()}
    for kind in 'cut', 'light', 'heavy':
        counted = of_kind[kind] | of_kind['non']
        yield Labelled(f'Clough and Stevenson, {kind}', texts, of_kind[kind], counted)


def paraphrases(folder):
    texts, wanted = [], []
    for part in 'train', 'test':
        for row in csv.reader(itertools.islice(lines(f'{folder}/msr_paraphrase_{part}.txt'), 1, None), delimiter='\t', quoting=csv.QUOTE_NONE):
            wanted += [(len(texts), len(texts) + 1)] if row[0] == '1' else []
            texts += row[3:5]
    yield Labelled(f'MRPC, {len(texts) // 2:,} pairs of sentences', texts, wanted,
                   {(nr, nr + 1) for nr in range(0, len(texts), 2)})


def cora(folder):
    rows = list(csv.reader(lines(f'{folder}/cora.csv')))
    yield Labelled(f'Cora, {len(rows):,} references', (' '.join(row[2:]) for row in rows), pairs_within(row[1] for row in rows))


def text_and_group(line, nr):
    if 'labelled_duplicates' in line:		# CORE
        same = line['labelled_duplicates']
        same = json.loads(same.replace("'", '"')) if isinstance(same, str) else same
        text = f"{line.get('processed_title') or ''} {line.get('processed_abstract') or ''}"
        return text, min([str(line['core_id']), *map(str, same)])
    return line.get('article') or line['text'], str(line.get('cluster', nr))


def collections(folder):
    for path in sorted(glob.glob(f'{folder}/*.jsonl')):
        texts, groups = zip(*(text_and_group(json.loads(line), nr) for nr, line in enumerate(lines(path))))
        yield Labelled(f'{path.rsplit("/", 1)[1][:-6].upper()}: {len(texts):,} documents', texts, pairs_within(groups))


def of_two_tables(name, a, b, mapping):
    """Rows of two tables with ids, as one text. Only pairs of a row of each count"""
    def read(folder):
        tables = [[row for row in csv.reader(lines(f'{folder}/{table}.csv'))][1:] for table in (a, b)]
        places = [{row[0]: at + nr for nr, row in enumerate(table)} for at, table in zip((0, len(tables[0])), tables)]
        wanted = [(places[0][x], places[1][y]) for x, y in list(csv.reader(lines(f'{folder}/{mapping}_perfectMapping.csv')))[1:]]
        first = len(tables[0])
        yield Labelled(name, (' '.join(row[1:]) for table in tables for row in table), wanted,
                       counts=lambda pair: pair[0] < first <= pair[1])
    return read


SETS = {
    '*.jsonl': collections, 'articles_*.train': articles, 'clough-stevenson': answers, 'msr_paraphrase_train.txt': paraphrases, 'cora.csv': cora,
    'DBLP2.csv': of_two_tables('DBLP-ACM, records', 'DBLP2', 'ACM', 'DBLP-ACM'),
    'Abt.csv': of_two_tables('Abt-Buy, products', 'Abt', 'Buy', 'abt_buy'),
    'Amazon.csv': of_two_tables('Amazon-GoogleProducts', 'Amazon', 'GoogleProducts', 'Amzon_GoogleProducts')}

METHODS = {		# queries of pairs among the table texts (id, body); %(a)s and %(b)s: the labelled pairs, if only some are
    '`simhash_duplicates`': '''
        WITH members AS (SELECT id, original FROM simhash_duplicates('SELECT id, body FROM texts')),
          groups AS (SELECT * FROM members UNION SELECT original, original FROM members)
        SELECT a.id, b.id FROM groups a JOIN groups b USING (original) WHERE a.id < b.id''',
    'within 48, resemblance .7': '''
        SELECT a.id, b.id FROM simhash_pairs('SELECT id, minhash_bits(body)::bit(256) FROM texts', 48) p
        JOIN texts a ON a.id = p.a JOIN texts b ON b.id = p.b WHERE simhash_resemblance(a.body, b.body) >= .7''',
    'containment .3': '''
        SELECT a.id, b.id FROM unnest(%(a)s::int[], %(b)s::int[]) p (a, b) JOIN texts a ON a.id = p.a JOIN texts b ON b.id = p.b
        WHERE simhash_containment(b.body, a.body) >= .3''',
    '2 characters within 64, resemblance .5': '''
        SELECT a.id, b.id FROM simhash_pairs('SELECT id, minhash_bits(body, 256, ''characters'', n => 2)::bit(256) FROM texts', 64) p
        JOIN texts a ON a.id = p.a JOIN texts b ON b.id = p.b WHERE simhash_resemblance(a.body, b.body, 'characters', 2) >= .5''',
    '64-bit `simhash` within 3': "SELECT a, b FROM simhash_pairs('SELECT id, simhash(body) FROM texts', 3)",
    'exact (`simhash_copy_key`)': '''
        SELECT a.id, b.id FROM texts a JOIN texts b ON simhash_copy_key(a.body) = simhash_copy_key(b.body) AND a.id < b.id'''}


def table(folder, sql, load, new_lsh, skip):
    """Print the table. new_lsh(threshold, n): an index of groups of n words"""
    lsh = [(n, threshold) for n in (1, 5) for threshold in (.7, .8)]
    print('| recall / precision | pairs | ' + ' | '.join([*METHODS, *(f'LSH, {"words" if n == 1 else "5 words"}, {t}' for n, t in lsh)]) + ' |')
    print('|---' * (2 + len(METHODS) + len(lsh)) + '|')
    present = [pattern for pattern in SETS if glob.glob(f'{folder}/{pattern}')]
    for pattern in SETS:
        if pattern not in present:
            skip(f'{pattern} (PUBLIC_DATA)')
    for labelled in itertools.chain.from_iterable(SETS[pattern](folder) for pattern in present):
        load('texts', 'body text', labelled.texts)
        cells = []
        long = sum(len(text.split()) for text in labelled.texts) > 100 * len(labelled.texts)		# near each other by characters
        for query in METHODS.values():
            if ('%(a)s' in query and labelled.labelled is None) or ("'characters'" in query and long):
                cells.append('')
                continue
            sql.execute(query, {'a': [a for a, _ in labelled.labelled or ()], 'b': [b for _, b in labelled.labelled or ()]})
            cells.append(shown(labelled, sql.fetchall()))
        for n, threshold in lsh:
            index = new_lsh(threshold, n)
            found = []
            for nr, text in enumerate(labelled.texts):
                found += [(other, nr) for other in index.find(text)]
                index.add(nr, text)
            cells.append(shown(labelled, found))
        print(f'| {labelled.name} | {len(labelled.wanted):,} | ' + ' | '.join(cells) + ' |', flush=True)


def shown(labelled, found):
    """The cell of a method that has found these pairs"""
    found = {pair for pair in (tuple(sorted(map(int, pair))) for pair in found) if labelled.counts(pair)}
    right = len(found & labelled.wanted)
    return f'{right / max(len(labelled.wanted), 1):.2f} / ' + (f'{right / len(found):.2f}' if found else '-')
