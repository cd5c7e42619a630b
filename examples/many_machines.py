#!/usr/bin/env python3
"""Find the copies and revisions in files of JSON Lines, on many machines with Dask.

    python3 many_machines.py --field body [--title title] [--id id] [--known FILE] [--scheduler tcp://host:8786] FILE ... >report.tsv

The lines are those of "pgsimhash dedupe --report" up to its fourth column: id, original's id, kind and distance.  With
--known, they are those of new records, and known records are preferred as originals.  Every
machine needs Dask, NumPy and the package of client/python, and must see the files under the same names.  A name can be a
URL that fsspec knows, and can have wildcards.  Without --scheduler, the processors of this machine do the work.  A record without an id is named by
its file and first byte.

1. Divide the files into blocks.  The workers compute the fingerprints of the records in each block.
2. One worker gets the fingerprints, and the places of the records: 40 bytes for each record.
3. It joins the fingerprints within 40 bits.  Records that such pairs connect are a group.  A text is compared with texts of
   its group only, so each group can be searched alone.  Copies have equal fingerprints, so they are in one group.  A
   shuffle on block_keys(fp, 40) would find the same pairs, but its 41 keys have about 6 bits each, and a key of 6 bits
   brings a sixty-fourth of all records together.
4. The workers read the records of groups of two or more again, by their places, and search them with duplicates().
5. Collect what they find, in the order of the records.

If a worker is lost, Dask repeats its steps.
"""

import argparse
import itertools
import json
import os

import fsspec
import numpy
import pgsimhash
from dask.distributed import Client

BLOCK = 16 << 20  # bytes that a worker reads at a time
BATCH = 2000  # records that a worker searches at a time, unless a group has more
WITHIN = 40  # of 256 bits, as in pgsimhash dedupe
# The control characters of a terminal, as the command writes them
ESCAPES = {c: "".join(rf"\x{byte:02x}" for byte in chr(c).encode()) for c in (*range(0x20), *range(0x7F, 0xA0))}
ESCAPES.update(str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"}))


def divide(urls):
    """Return the file and the first byte of each block, in the order of the records."""
    blocks = []
    for url in urls:
        fs, path = fsspec.core.url_to_fs(url)
        for name in sorted(fs.glob(path)) or [path]:
            blocks += [(fs.unstrip_protocol(name), start) for start in range(0, fs.size(name), BLOCK)]
    return blocks


def escape(raw):
    """Return an id as COPY reads it; bytes that are not UTF-8 become escape sequences, too."""
    return raw.replace(b"\\", rb"\\").decode(errors="backslashreplace").translate(ESCAPES)


def escaped_id(record, name, place, args):
    if args.id not in record:
        return escape(os.fsencode(f"{name}:{place}"))
    value = record[args.id]
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise ValueError("the id is neither a string nor an integer")
    return escape(str(value).encode())


def read(line, name, place, args):
    """Return the id, the title and the text of a record."""
    try:
        record = json.loads(line)
        return escaped_id(record, name, place, args), record.get(args.title), record[args.field]
    except (AttributeError, KeyError, ValueError) as error:
        raise ValueError(f"{name}, byte {place}: {error!r}") from None


def fingerprint(block, args):
    """Return the fingerprints of the records that begin in a block, and their places."""
    name, start = block
    texts, places = [], []
    with fsspec.open(name) as file:
        if start > 0:
            file.seek(start - 1)
            file.readline()  # the end of a record of the block before
        while (place := file.tell()) < start + BLOCK and (line := file.readline()):
            if line.strip():
                _, title, text = read(line, name, place, args)
                texts.append(text if text is None else f"{title or ''} {text}")
                places.append(place)
    words = numpy.asarray(pgsimhash.minhash_many(texts, 256)).reshape(-1, 4)
    has_words = words.any(axis=1)  # other texts have no duplicates
    return words[has_words], numpy.array(places, dtype="u8")[has_words]


def find_groups(parts, blocks, n_known):
    """Return batches of whole groups, each with a record that is not in the first blocks, which are known.

    Of a record they have the number of the block, the file and the place.
    """
    block = numpy.repeat(numpy.arange(len(parts)), [len(places) for _, places in parts])
    words, places = map(numpy.concatenate, zip(*parts))
    groups = {}
    for record, first in enumerate(pgsimhash.groups(words, WITHIN)):
        if record != first:
            groups.setdefault(first, [first]).append(record)
    batches = []
    for group in groups.values():
        if block[group[-1]] < n_known:
            continue
        if not batches or len(batches[-1]) + len(group) > BATCH:
            batches.append([])
        batches[-1] += [(int(block[record]), blocks[block[record]][0], int(places[record])) for record in group]
    return [sorted(batch) for batch in batches]


def find_duplicates(batch, args, n_known):
    """Return the new duplicates in a batch: the place of each one, and its line of the report."""
    records = []
    for name, of_file in itertools.groupby(batch, key=lambda record: record[1]):
        with fsspec.open(name) as file:
            for _, _, place in of_file:
                file.seek(place)
                records.append(read(file.readline(), name, place, args))
    ids, titles, texts = zip(*records)
    known = sum(block < n_known for block, _, _ in batch)
    found = pgsimhash.duplicates(texts, titles if args.title else None, known=known, within=WITHIN)
    return [(batch[d.text], f"{ids[d.text]}\t{ids[d.original]}\t{d.kind}\t{d.distance}") for d in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--field", required=True, help="the field of the texts")
    parser.add_argument("--title", help="the field of the titles")
    parser.add_argument("--id", default="id", help="the field of the ids")
    parser.add_argument("--known", action="append", default=[], metavar="FILE", help="a file of known records")
    parser.add_argument("--scheduler", help="the address of a scheduler of Dask")
    args = parser.parse_args()
    known = divide(args.known)
    blocks = known + divide(args.files)
    with Client(args.scheduler) as client:
        parts = client.map(fingerprint, blocks, args=args)
        batches = client.submit(find_groups, parts, blocks, len(known)).result() if blocks else []
        found = client.gather(client.map(find_duplicates, batches, args=args, n_known=len(known)))
    for _, line in sorted(itertools.chain(*found)):
        print(line)


if __name__ == "__main__":
    main()
