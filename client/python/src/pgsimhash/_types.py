"""What the modules for database drivers have in common: the formats of the types simhash and bit"""

from __future__ import annotations

import struct
from typing import Any, Optional

from ._fingerprint import Fingerprint

# OID of bit, and of its array; they never change
BIT_OID = 1560
BIT_ARRAY_OID = 1561

# The type simhash of the extension, in whichever schema: oid, oid of the array, schema
FIND_SIMHASH = """
SELECT t.oid, t.typarray, n.nspname
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
  AND d.refobjid = e.oid AND d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
JOIN pg_catalog.pg_type t ON t.oid = d.objid
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE e.extname = 'simhash' AND t.typname = 'simhash'
"""


class ExtensionMissing(LookupError):
    def __init__(self) -> None:
        super().__init__("the database has no extension simhash: CREATE EXTENSION simhash, or register(…, simhash=False)")


def to_simhash(value: Any) -> Fingerprint:
    """A fingerprint of 64 bits; a string is read as PostgreSQL reads a simhash"""
    if isinstance(value, str) and len(value) == 64:
        return Fingerprint.from_binary(value)
    fp = Fingerprint(value)
    if fp.bits != 64:
        raise ValueError(f"a simhash has 64 bits, not {fp.bits}")
    return fp


def to_bits(value: Any, bits: Optional[int] = None) -> Fingerprint:
    """A fingerprint; a string has binary digits, or as many hexadecimal digits as "bits" asks for"""
    if isinstance(value, str) and (bits is None or len(value) == bits):
        fp = Fingerprint.from_binary(value)
    elif isinstance(value, int) and bits is not None:
        fp = Fingerprint(value, bits)
    elif hasattr(value, "to_int"):  # BitString of asyncpg
        fp = Fingerprint(value.to_int(), len(value))
    else:
        fp = Fingerprint(value)
    if bits is not None and fp.bits != bits:
        raise ValueError(f"fingerprint has {fp.bits} bits, not {bits}")
    return fp


def dump_bits(fp: Fingerprint) -> bytes:
    """The binary form of a bit"""
    n = (fp.bits + 7) // 8
    return struct.pack(">i", fp.bits) + (fp.value << (8 * n - fp.bits)).to_bytes(n, "big")


def load_bits(data: Any) -> Fingerprint:
    (bits,) = struct.unpack(">i", data[:4])
    return Fingerprint(int.from_bytes(data[4:], "big") >> (-bits % 8), bits)
