from __future__ import annotations

from array import array
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from . import _core
from ._fingerprint import Fingerprint
from ._fingerprints import Fingerprints, words_of

_METHODS = {"components": 0, "star": 1}
_MOST_DISTANCE = 1 << 30  # more bits than any fingerprint has
_DUPLICATES_BITS = 256


def _fingerprint(value: Any, bits: int) -> Fingerprint:
    return Fingerprint(value, bits) if isinstance(value, int) else Fingerprint(value)


def _bound(distance: Optional[int], bits: int, default_of_64: int = _core.near_of_64) -> int:
    """None is the default, that of the operator % unless another share of the bits is given."""
    if distance is None:
        return bits * default_of_64 // 64
    return max(-1, min(distance, _MOST_DISTANCE))


def distance(a: Any, b: Any) -> int:
    """Return a <-> b, the number of bits that differ."""
    return Fingerprint(a).distance(b)


def distances(fingerprints: Any, q: Any) -> array[int]:
    """Return the distance of each fingerprint from q, and 65535 for None."""
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
    """Return the indexes of the fingerprints within a distance of q, by default that of %."""
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
    """Return an iterator of all pairs within a distance: simhash_pairs.

    A pair is (a, b, distance), with indexes a < b.  The pairs are in no particular order.  The
    default distance is that of %.
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
    """Return for each fingerprint the smallest index of its group: simhash_clusters.

    The result is None for None.
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
    """Return for each id the keeper of its star: simhash_stars.

    Edges are pairs of ids, such as the rows of a NumPy array.  keep has ids, the most preferred
    first; other ids come after these, the smallest first.  In this order each id joins the first
    keeper to which it has an edge, or else becomes a keeper.  None is not an id.
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
    """A text that is a copy or an edited version of another one, by their indexes"""

    text: int
    original: int
    kind: str
    distance: int


def duplicates(
    texts: Any,
    titles: Any = None,
    *,
    keep: Optional[Iterable[int]] = None,
    known: int = 0,
    numbers: bool = True,
    within: Optional[int] = None,
    memory: int = 0,
    threads: Optional[int] = None,
) -> List[Duplicate]:
    """Return the texts that are copies or edited versions of others: simhash_duplicates.

    Texts and titles are as in minhash_many.  keep has indexes of texts, the most preferred first;
    other indexes come after these, in ascending order.  The first "known" texts are known: they are
    preferred to all others, and not returned.  Texts that differ in numbers only are different
    documents; with numbers=False, as for dates, counters and reference numbers, they are not.  within is the largest distance of the fingerprints, by default 40 of 256 bits.  memory is
    the number of bytes to use besides the texts themselves, with temporary files; 0 keeps
    everything in memory.  threads is by default the number of processors; the result does not
    depend on it.
    """
    if threads is not None and threads < 1:
        raise ValueError("threads must be at least 1")
    order = None
    if keep is not None:
        preferred = dict.fromkeys(_plain(keep))
        n = len(texts)
        order = array("I", list(preferred) + [i for i in range(n) if i not in preferred])
        if len(order) != n:
            raise ValueError("keep must have indexes of texts")
    raw_order = None if order is None else order.tobytes()
    most = _bound(within, _DUPLICATES_BITS, _core.candidates_of_64)
    found = _core.duplicates(texts, titles, numbers, most, raw_order, memory, threads or 0, known)
    return [Duplicate(text, original, ("copy", "revision")[kind], distance) for text, original, kind, distance in found]


def _plain(values: Iterable[Any]) -> Iterable[Any]:
    """An array's numbers as Python's"""
    return values.tolist() if hasattr(values, "tolist") else values


def block_keys(fingerprint: Any, distance: int) -> List[int]:
    """Return keys; fingerprints within the distance share a key: simhash_blocks, bit_blocks."""
    fp = Fingerprint(fingerprint)
    return _core.block_keys(words_of(fp), fp.bits, _bound(distance, fp.bits))


def bound(resemblance: float, bits: int, recall: float = 0.95) -> int:
    """Return the smallest distance that includes that share of the pairs with that resemblance: minhash_bound."""
    return _core.bound(resemblance, bits, recall)
