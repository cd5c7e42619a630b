from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Dict, Iterable, List, Optional, Tuple, overload

from ._fingerprint import Fingerprint


def word_count(bits: int) -> int:
    return (bits + 63) // 64


def words_of(fp: Fingerprint) -> bytes:
    """The words of the C library: 64 bits each, the first bits first, in the machine's order"""
    n = word_count(fp.bits)
    padded = fp.value << (64 * n - fp.bits)
    return struct.pack(f"={n}Q", *struct.unpack(f">{n}Q", padded.to_bytes(8 * n, "big")))


class Fingerprints(Sequence[Optional[Fingerprint]]):
    """A sequence of fingerprints of the same number of bits, or None, in one block of memory.

    numpy.asarray(fps) is an array of unsigned words of 64 bits, without a copy. Its words are 0
    where the sequence has None.
    """

    __slots__ = ("_words", "_bits", "_valid")
    _words: Any
    _bits: int
    _valid: Optional[bytes]

    def __init__(self, fingerprints: Iterable[Any] = (), bits: Optional[int] = None) -> None:
        fps = [None if fp is None else Fingerprint(fp) for fp in fingerprints]
        known = next((fp.bits for fp in fps if fp is not None), 64) if bits is None else bits
        for fp in fps:
            if fp is not None and fp.bits != known:
                raise ValueError(f"fingerprints have {known} and {fp.bits} bits")
        zeros = bytes(8 * word_count(known))
        self._words = b"".join(zeros if fp is None else words_of(fp) for fp in fps)
        self._bits = known
        self._valid = bytes(fp is not None for fp in fps) if None in fps else None

    @classmethod
    def _wrap(cls, words: Any, bits: int, valid: Optional[bytes] = None) -> Fingerprints:
        fps = cls.__new__(cls)
        fps._words = words
        fps._bits = bits
        fps._valid = valid
        return fps

    @classmethod
    def of(cls, fingerprints: Any) -> Fingerprints:
        """Return the argument, or the fingerprints of a sequence or of an array of 64-bit numbers.

        In an array of two dimensions, each row is a fingerprint.  A contiguous array is not copied.
        """
        if isinstance(fingerprints, Fingerprints):
            return fingerprints
        try:
            view = memoryview(fingerprints)
        except TypeError:
            return cls(fingerprints)
        if view.itemsize != 8 or view.format.lstrip("@=<") not in ("Q", "q", "L", "l") or view.ndim > 2:
            raise TypeError("array of fingerprints must have numbers of 64 bits")
        bits = 64 * (view.shape[1] if view.shape is not None and view.ndim == 2 else 1)
        return cls._wrap(view if view.c_contiguous else view.tobytes(), bits)

    @property
    def bits(self) -> int:
        """The number of bits of each fingerprint"""
        return self._bits

    def present(self) -> Tuple[Any, Optional[List[int]]]:
        """Return the words of all that are not None, and their indexes, or None for all indexes."""
        if self._valid is None:
            return self._words, None
        size = 8 * word_count(self._bits)
        places = [i for i, valid in enumerate(self._valid) if valid]
        words = memoryview(self._words)
        return b"".join(words[size * i : size * (i + 1)] for i in places), places

    def __len__(self) -> int:
        return memoryview(self._words).nbytes // (8 * word_count(self._bits))

    @overload
    def __getitem__(self, index: int) -> Optional[Fingerprint]: ...

    @overload
    def __getitem__(self, index: slice) -> Fingerprints: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Fingerprints([self[i] for i in range(*index.indices(len(self)))], self._bits)
        n = len(self)
        place = index + n if index < 0 else index
        if not 0 <= place < n:
            raise IndexError("no such fingerprint")
        if self._valid is not None and not self._valid[place]:
            return None
        words = word_count(self._bits)
        raw = memoryview(self._words).cast("B")[8 * words * place : 8 * words * (place + 1)]
        value = 0
        for word in struct.unpack(f"={words}Q", raw):
            value = value << 64 | word
        return Fingerprint._new(value >> (64 * words - self._bits), self._bits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprints):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} fingerprints of {self._bits} bits>"

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        words = word_count(self._bits)
        n = len(self)
        return {
            "version": 3,
            "shape": (n,) if words == 1 else (n, words),
            "typestr": "=u8",
            "data": self._words,
        }
