from __future__ import annotations

from typing import Any, Iterable, Optional

_MINHASH_LENGTHS = range(64, 1025, 16)


class Fingerprint:
    """An immutable fingerprint of any number of bits.

    Fingerprint(value) accepts

    - a number of 64 bits, signed or unsigned; the second argument gives another number of bits;
    - a string of hexadecimal digits, with or without 0x;
    - bytes;
    - a Fingerprint, an ImageHash of imagehash, or a MinHash of datasketch, which is converted to
      the lowest bit of each value.

    Bit 0 is the most significant bit of the number, and the first bit of the string, the bytes or
    the values.
    """

    __slots__ = ("_value", "_bits")
    _value: int
    _bits: int

    def __new__(cls, value: Any, bits: Optional[int] = None) -> Fingerprint:
        if isinstance(value, int):
            return cls._of_int(value, 64 if bits is None else bits)
        fp = cls._of_object(value)
        if bits is not None and bits != fp._bits:
            raise ValueError(f"fingerprint has {fp._bits} bits, not {bits}")
        return fp

    @classmethod
    def _new(cls, value: int, bits: int) -> Fingerprint:
        fp = object.__new__(cls)
        object.__setattr__(fp, "_value", value)
        object.__setattr__(fp, "_bits", bits)
        return fp

    @classmethod
    def _of_int(cls, value: int, bits: int) -> Fingerprint:
        if bits < 1:
            raise ValueError("number of bits must be 1 or more")
        if not -1 << (bits - 1) <= value < 1 << bits:
            raise ValueError(f"number has more than {bits} bits")
        return cls._new(int(value) & ((1 << bits) - 1), bits)

    @classmethod
    def _of_object(cls, value: Any) -> Fingerprint:
        if isinstance(value, Fingerprint):
            return value
        if isinstance(value, str):
            return cls._of_hex(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return cls._new(int.from_bytes(value, "big"), cls._some(8 * len(bytes(value))))
        if hasattr(value, "hashvalues"):
            values = [int(v) & 1 for v in value.hashvalues]
            if len(values) not in _MINHASH_LENGTHS:
                raise ValueError("number of values must be a multiple of 16 from 64 to 1024")
            return cls._of_booleans(values)
        if hasattr(value, "hash") and hasattr(value.hash, "flatten"):
            return cls._of_booleans(value.hash.flatten())
        if hasattr(value, "__index__"):  # a number of NumPy
            return cls._of_int(int(value), 64)
        raise TypeError(f"{type(value).__name__} is not a fingerprint")

    @staticmethod
    def _some(bits: int) -> int:
        if bits == 0:
            raise ValueError("fingerprint has no bits")
        return bits

    @classmethod
    def _of_hex(cls, digits: str) -> Fingerprint:
        text = digits.strip()
        prefixed = text[:2] in ("0x", "0X")
        if prefixed:
            text = text[2:]
        if not text or not set(text) <= set("0123456789abcdefABCDEF"):
            raise ValueError(f"invalid hexadecimal digits of a fingerprint: {digits!r:.100}")
        if not prefixed and len(text) >= 64 and set(text) <= {"0", "1"}:
            raise ValueError(
                f"{len(text)} digits 0 and 1 are ambiguous: use Fingerprint.from_binary(), or add 0x")
        return cls._new(int(text, 16), 4 * len(text))

    @classmethod
    def _of_booleans(cls, values: Iterable[Any]) -> Fingerprint:
        return cls.from_binary("".join("1" if v else "0" for v in values))

    @classmethod
    def from_binary(cls, digits: str) -> Fingerprint:
        """Return the fingerprint of binary digits, as PostgreSQL writes a bit(n)."""
        if not digits or not set(digits) <= {"0", "1"}:
            raise ValueError(f"invalid binary digits of a fingerprint: {digits!r:.100}")
        return cls._new(int(digits, 2), len(digits))

    @property
    def value(self) -> int:
        """The unsigned number"""
        return self._value

    @property
    def signed(self) -> int:
        """The signed number, for PostgreSQL's bigint if there are 64 bits"""
        return self._value - ((self._value >> (self._bits - 1)) << self._bits)

    @property
    def bits(self) -> int:
        """The number of bits"""
        return self._bits

    def hex(self) -> str:
        """Return hexadecimal digits, as PostgreSQL writes a simhash; bits must be a multiple of 4."""
        if self._bits % 4:
            raise ValueError(f"{self._bits} bits cannot be written as hexadecimal digits")
        return f"{self._value:0{self._bits // 4}x}"

    def binary(self) -> str:
        """Return binary digits, as PostgreSQL writes a bit(n)."""
        return f"{self._value:0{self._bits}b}"

    def distance(self, other: Any) -> int:
        """Return the number of bits that differ."""
        fp = other if isinstance(other, Fingerprint) else Fingerprint(other)
        if fp._bits != self._bits:
            raise ValueError(f"fingerprints have {self._bits} and {fp._bits} bits")
        return bin(self._value ^ fp._value).count("1")

    def __sub__(self, other: Any) -> int:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        return self.distance(other)

    def __xor__(self, other: Any) -> Fingerprint:
        if not isinstance(other, Fingerprint) or other._bits != self._bits:
            return NotImplemented
        return self._new(self._value ^ other._value, self._bits)

    def __invert__(self) -> Fingerprint:
        return self._new(self._value ^ ((1 << self._bits) - 1), self._bits)

    def __index__(self) -> int:
        return self._value

    __int__ = __index__

    def __bytes__(self) -> bytes:
        if self._bits % 8:
            raise ValueError(f"{self._bits} bits cannot be written as bytes")
        return self._value.to_bytes(self._bits // 8, "big")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        return self._value == other._value and self._bits == other._bits

    def __lt__(self, other: Any) -> bool:
        if not isinstance(other, Fingerprint) or other._bits != self._bits:
            return NotImplemented
        return self._value < other._value

    def __le__(self, other: Any) -> bool:
        if not isinstance(other, Fingerprint) or other._bits != self._bits:
            return NotImplemented
        return self._value <= other._value

    def __hash__(self) -> int:
        return hash((self._value, self._bits))

    def __str__(self) -> str:
        return self.binary() if self._bits % 4 else self.hex()

    def __repr__(self) -> str:
        if self._bits % 4:
            return f"Fingerprint({self._value}, {self._bits})"
        return f"Fingerprint('0x{self.hex()}')"

    def __reduce__(self) -> Any:
        return Fingerprint, (self._value, self._bits)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a fingerprint is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a fingerprint is immutable")
