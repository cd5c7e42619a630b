from __future__ import annotations

import os
import uuid
from array import array
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from . import _core
from ._fingerprint import Fingerprint
from ._fingerprints import Fingerprints

Text = Union[str, bytes]
_Options = Tuple[int, int, int, int, int]

_FEATURES = {"words and pairs": 0, "words": 1, "characters": 2}
_WEIGHTS = {"once": 0, "frequency": 1, "logarithm": 2}
_DEFAULTS = (0, 0, 0, 0, 0)


def _option(name: str, value: Optional[str], values: Dict[str, int]) -> int:
    if value is None:
        return 0
    if value not in values:
        raise ValueError(
            f'unrecognized value for option "{name}": "{value}"; valid values are '
            + ", ".join(f'"{v}"' for v in values)
        )
    return values[value]


def _options(
    features: Optional[str] = None,
    n: Optional[int] = None,
    weight: Optional[str] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> _Options:
    """The options of SQL, where None is the default, as the C library has them"""
    if all(option is None for option in (features, n, weight, fold, normalization)):
        return _DEFAULTS
    if n is not None and not 1 <= n <= 1000:
        raise ValueError('option "n" must be between 1 and 1000')
    number = _option("features", features, _FEATURES)
    if n is not None and number == 0:
        raise ValueError('option "n" requires features="words" or features="characters"')
    return (
        number,
        n or 0,
        _option("weight", weight, _WEIGHTS),
        int(fold is not None and not fold),
        int(normalization is not None and not normalization),
    )


def _check_width(bits: int) -> None:
    if bits not in range(64, 1025, 64):
        raise ValueError(f"fingerprint of {bits} bits is not supported: use a multiple of 64 from 64 to 1024")


def _fingerprint(is_simhash: bool, text: Optional[Text], bits: int, options: _Options) -> Optional[Fingerprint]:
    _check_width(bits)
    return _of_bytes(_core.fingerprint(is_simhash, text, bits, options), bits)


def _of_bytes(raw: Optional[bytes], bits: int) -> Optional[Fingerprint]:
    return None if raw is None else Fingerprint._new(int.from_bytes(raw, "big"), bits)


def _many(is_simhash: bool, texts: Any, bits: int, threads: Optional[int], options: _Options) -> Fingerprints:
    _check_width(bits)
    count = os.cpu_count() or 1 if threads is None else threads
    words, valid = _core.fingerprint_many(is_simhash, texts, bits, options, min(count, 256))
    return Fingerprints._wrap(words, bits, valid)


def minhash(
    text: Optional[Text],
    *,
    features: Optional[str] = None,
    n: Optional[int] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Optional[Fingerprint]:
    """minhash(text, ...): 64 bits; None if the text has no word"""
    return _fingerprint(False, text, 64, _options(features, n, None, fold, normalization))


def simhash(
    text: Optional[Text],
    *,
    features: Optional[str] = None,
    n: Optional[int] = None,
    weight: Optional[str] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Optional[Fingerprint]:
    """simhash(text, ...): 64 bits; None if the text has no word"""
    return _fingerprint(True, text, 64, _options(features, n, weight, fold, normalization))


def minhash_bits(
    text: Optional[Text],
    bits: int = 256,
    *,
    features: Optional[str] = None,
    n: Optional[int] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Optional[Fingerprint]:
    """minhash_bits(text, bits, ...); bits is a multiple of 64 from 64 to 1024"""
    return _fingerprint(False, text, bits, _options(features, n, None, fold, normalization))


def simhash_bits(
    text: Optional[Text],
    bits: int = 256,
    *,
    features: Optional[str] = None,
    n: Optional[int] = None,
    weight: Optional[str] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Optional[Fingerprint]:
    """simhash_bits(text, bits, ...); bits is a multiple of 64 from 64 to 1024"""
    return _fingerprint(True, text, bits, _options(features, n, weight, fold, normalization))


def minhash_many(
    texts: Any,
    bits: int = 64,
    *,
    threads: Optional[int] = 1,
    features: Optional[str] = None,
    n: Optional[int] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Fingerprints:
    """minhash or, with another number of bits, minhash_bits of many texts

    texts is an iterable of str, bytes or None, a NumPy array, or an Arrow array of strings.
    threads=None means the number of processors.
    """
    return _many(False, texts, bits, threads, _options(features, n, None, fold, normalization))


def simhash_many(
    texts: Any,
    bits: int = 64,
    *,
    threads: Optional[int] = 1,
    features: Optional[str] = None,
    n: Optional[int] = None,
    weight: Optional[str] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Fingerprints:
    """simhash, or simhash_bits of so many bits, of many texts; see minhash_many"""
    return _many(True, texts, bits, threads, _options(features, n, weight, fold, normalization))


def minhash_from_features(features: Any, bits: int = 64) -> Optional[Fingerprint]:
    """minhash_from_features or, with another number of bits, minhash_bits_from_features: of a set of your own tokens

    features is an iterable of str, bytes or None, a NumPy array, or an Arrow array of strings.
    """
    _check_width(bits)
    return None if features is None else _of_bytes(_core.from_features(False, features, None, bits), bits)


def simhash_from_features(
    features: Any, weights: Optional[Iterable[Optional[float]]] = None, bits: int = 64
) -> Optional[Fingerprint]:
    """simhash_from_features or, with another number of bits, simhash_bits_from_features: each token has its weight, or 1

    features is as in minhash_from_features.
    """
    _check_width(bits)
    numbers = None if weights is None else array("d", (0 if w is None else w for w in weights))
    return None if features is None else _of_bytes(_core.from_features(True, features, numbers, bits), bits)


def resemblance(
    a: Optional[Text],
    b: Optional[Text],
    *,
    features: Optional[str] = None,
    n: Optional[int] = None,
    fold: Optional[bool] = None,
    normalization: Optional[bool] = None,
) -> Optional[float]:
    """simhash_resemblance(a, b, ...): the exact share of common features"""
    options = _options(features, n, None, fold, normalization)
    return None if a is None or b is None else _core.resemblance(a, b, options)


def containment(
    a: Optional[Text],
    b: Optional[Text],
    n: int = 8,
    *,
    fold: bool = True,
    normalization: bool = True,
) -> Optional[float]:
    """simhash_containment(a, b, n, ...): the share of the words of a that belong to n adjacent words also found in b"""
    options = _options(fold=fold, normalization=normalization)
    return None if a is None or b is None else _core.containment(a, b, n, options)


def passage_keys(
    text: Optional[Text],
    words: int = 30,
    n: int = 8,
    *,
    fold: bool = True,
    normalization: bool = True,
) -> Optional[List[int]]:
    """simhash_passage_keys(text, words, n, ...): texts that share this many adjacent words share a key"""
    options = _options(fold=fold, normalization=normalization)
    return None if text is None else _core.passage_keys(text, words, n, options)


class Passage(NamedTuple):
    """A passage that two texts have in common: a[a_start : a_start + a_length], and likewise in b

    Positions count from 0, whereas those of SQL count from 1.  In bytes they count bytes.
    """

    a_start: int
    a_length: int
    b_start: int
    b_length: int
    words: int


def passages(
    a: Optional[Text],
    b: Optional[Text],
    words: int = 20,
    gap: int = 15,
    *,
    fold: bool = True,
    normalization: bool = True,
) -> List[Passage]:
    """simhash_passages(a, b, words, gap, ...): the passages that two texts have in common, the longest first"""
    options = _options(fold=fold, normalization=normalization)
    if a is None or b is None:
        return []
    return [Passage(*p) for p in _core.passages(a, b, words, gap, options)]


def first_change(a: Optional[Text], b: Optional[Text], numbers: bool = True) -> Optional[int]:
    """simhash_first_change(a, b, numbers): at most 1 for a revision, if the texts begin with their titles"""
    return None if a is None or b is None else _core.first_change(a, b, numbers)


def same_document(a: Optional[Text], b: Optional[Text], numbers: bool = True) -> Optional[bool]:
    """simhash_same_document(a, b, numbers): whether two near texts are the same document, a copy or an edited version"""
    return None if a is None or b is None else _core.same_document(a, b, numbers)


def copy_key(text: Optional[Text]) -> Optional[uuid.UUID]:
    """simhash_copy_key(text): equal if and only if two texts are copies; None without visible characters"""
    key = None if text is None else _core.copy_key(text)
    return None if key is None else uuid.UUID(bytes=key)


class Change(NamedTuple):
    """A difference between two texts: a_text == a[a_start : a_start + a_length], and likewise in b

    Positions count from 0, whereas those of SQL count from 1.  In bytes they count bytes.
    """

    a_start: int
    a_length: int
    b_start: int
    b_length: int
    a_text: Text
    b_text: Text
    kind: str
    times: int


def changes(a: Optional[Text], b: Optional[Text], *, fold: bool = True) -> List[Change]:
    """simhash_changes(a, b, fold): the differences other than whitespace and case, in order"""
    options = _options(fold=fold)
    if a is None or b is None:
        return []
    return [
        Change(
            a_start,
            a_length,
            b_start,
            b_length,
            a[a_start : a_start + a_length],
            b[b_start : b_start + b_length],
            _core.change_kinds[kind],
            times,
        )
        for a_start, a_length, b_start, b_length, kind, times in _core.changes(a, b, options)
    ]
