from __future__ import annotations

from array import array
from typing import Any, Iterator, List, Optional, Tuple

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
        return bits * 5 // 64
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


def block_keys(fingerprint: Any, distance: int) -> List[int]:
    """simhash_blocks, bit_blocks: fingerprints within the distance have a key in common"""
    fp = Fingerprint(fingerprint)
    return _core.block_keys(words_of(fp), fp.bits, _bound(distance, fp.bits))


def bound(resemblance: float, bits: int, recall: float = 0.95) -> int:
    """minhash_bound(resemblance, bits, recall): the distance within which that share of pairs is"""
    return _core.bound(resemblance, bits, recall)
