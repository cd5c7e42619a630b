from __future__ import annotations

from array import array
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from . import _core
from ._fingerprint import Fingerprint
from ._fingerprints import Fingerprints, words_of

_METHODS = {"components": 0, "star": 1}
_MOST_DISTANCE = 1 << 30  # more bits than any fingerprint has


def _fingerprint(value: Any, bits: int) -> Fingerprint:
    return Fingerprint(value, bits) if isinstance(value, int) else Fingerprint(value)


def _bound(distance: Optional[int], bits: int) -> int:
    """None is the distance of the operator %"""
    if distance is None:
        return bits * _core.near_of_64 // 64
    return max(-1, min(distance, _MOST_DISTANCE))


def distance(a: Any, b: Any) -> int:
    """a <-> b: the number of bits that differ"""
    return Fingerprint(a).distance(b)


def distances(fingerprints: Any, q: Any) -> array[int]:
    """The distances of many fingerprints from one; 65535 of None"""
    fps = Fingerprints.of(fingerprints)
    words, places = fps.present()
    query = _check(fps, q)
    found = array("H", _core.distances(words, words_of(query), fps.bits))
    if places is None:
        return found
    result = array("H", [65535]) * len(fps)
    for place, d in zip(places, found):
        result[place] = d
    return result


def within(fingerprints: Any, q: Any, distance: Optional[int] = None) -> List[int]:
    """The indexes of the fingerprints within a distance of q, by default that of %"""
    fps = Fingerprints.of(fingerprints)
    words, places = fps.present()
    query = _check(fps, q)
    found = _core.within(words, words_of(query), fps.bits, _bound(distance, fps.bits))
    return found if places is None else [places[i] for i in found]


def _check(fps: Fingerprints, q: Any) -> Fingerprint:
    query = Fingerprint(q)
    if query.bits != fps.bits:
        raise ValueError(f"fingerprints have {fps.bits} and {query.bits} bits")
    return query


def pairs(fingerprints: Any, distance: Optional[int] = None) -> Iterator[Tuple[int, int, int]]:
    """simhash_pairs, bit_pairs: (a, b, distance) of all pairs within a distance

    a and b are indexes, a < b.  The pairs come in no particular order.  The distance is by
    default that of %.
    """
    fps = Fingerprints.of(fingerprints)
    words, places = fps.present()
    return _pairs(_core.pairs_begin(words, fps.bits, _bound(distance, fps.bits)), places)


def _pairs(search: Any, places: Optional[List[int]]) -> Iterator[Tuple[int, int, int]]:
    while True:
        found = _core.pairs_next(search)
        if not found:
            return
        if places is None:
            yield from found
        else:
            yield from ((places[a], places[b], d) for a, b, d in found)


def groups(fingerprints: Any, distance: Optional[int] = None, method: str = "components") -> List[Optional[int]]:
    """simhash_clusters, bit_clusters: for each fingerprint the smallest index of its group

    The result has None for None.
    """
    if method not in _METHODS:
        raise ValueError(f'unrecognized value for option "method": "{method}"; valid values are "components", "star"')
    fps = Fingerprints.of(fingerprints)
    words, places = fps.present()
    raw = _core.groups(words, fps.bits, _bound(distance, fps.bits), _METHODS[method])
    found = array("I", raw)
    if places is None:
        return list(found)
    result: List[Optional[int]] = [None] * len(fps)
    for place, group in zip(places, found):
        result[place] = places[group]
    return result


def stars(edges: Iterable[Tuple[Any, Any]], keep: Optional[Iterable[Any]] = None) -> Dict[Any, Any]:
    """simhash_stars: for each id the keeper of its star

    Edges are pairs of ids, such as rows of a NumPy array.  keep has ids in the order of a wish,
    best first; ids that it leaves out come last, the smallest first.  In this order each id joins
    the earliest keeper to which it has an edge, or else becomes a keeper.  None is no id.
    """
    numbers: Dict[Any, int] = {}
    ends = array("I")
    for a, b in _plain(edges):
        for id in (b if a is None else a, a if b is None else b):
            if id is not None:
                ends.append(numbers.setdefault(id, len(numbers)))
    order = {id: None for id in _plain(() if keep is None else keep) if id in numbers}
    ids = list(order) + sorted(id for id in numbers if id not in order)
    ranks = array("I", bytes(4 * len(ids)))
    for rank, id in enumerate(ids):
        ranks[numbers[id]] = rank
    keepers = array("I", _core.stars(array("I", map(ranks.__getitem__, ends)), len(ids)))
    return {id: ids[keeper] for id, keeper in zip(ids, keepers)}


class Duplicate(NamedTuple):
    """A text that is a copy or an edited version of another one; texts are places from 0 on"""

    text: int
    original: int
    kind: str
    distance: int


def duplicates(
    texts: Any,
    titles: Any = None,
    *,
    keep: Optional[Iterable[int]] = None,
    numbers: bool = True,
    within: int = 20,
    memory: int = 0,
) -> List[Duplicate]:
    """simhash_duplicates: the texts that are copies or edited versions of others

    Texts and titles are those of minhash_many.  keep has places of texts, the most preferred first;
    places that it leaves out come last, in ascending order.  memory is the number of bytes, besides
    the texts' own; 0 keeps everything in memory, and otherwise there are temporary files.
    """
    order = None
    if keep is not None:
        preferred = dict.fromkeys(_plain(keep))
        n = len(texts)
        order = array("I", list(preferred) + [i for i in range(n) if i not in preferred])
        if len(order) != n:
            raise ValueError("keep must have places of texts")
    found = _core.duplicates(texts, titles, numbers, within, None if order is None else order.tobytes(), memory)
    return [Duplicate(text, original, ("copy", "revision")[kind], distance) for text, original, kind, distance in found]


def _plain(values: Iterable[Any]) -> Iterable[Any]:
    """An array's numbers as Python's"""
    return values.tolist() if hasattr(values, "tolist") else values


def block_keys(fingerprint: Any, distance: int) -> List[int]:
    """simhash_blocks, bit_blocks: fingerprints within the distance have a key in common"""
    fp = Fingerprint(fingerprint)
    return _core.block_keys(words_of(fp), fp.bits, _bound(distance, fp.bits))


def bound(resemblance: float, bits: int, recall: float = 0.95) -> int:
    """minhash_bound(resemblance, bits, recall): the distance within which that share of pairs is"""
    return _core.bound(resemblance, bits, recall)
