"""Types of asyncpg: await register(connection), or create_pool(init=register)"""

from __future__ import annotations

from typing import Any

from ._fingerprint import Fingerprint
from ._types import FIND_SIMHASH, ExtensionMissing, dump_bits, load_bits, to_bits, to_simhash

__all__ = ["register"]


async def register(connection: Any, *, simhash: bool = True, bit: bool = True) -> None:
    """Return columns of the types simhash and bit as Fingerprint, and accept it as a parameter.

    With simhash=False, the database does not need the extension.  With bit=False, bit strings stay
    asyncpg.BitString.
    """
    if simhash:
        row = await connection.fetchrow(FIND_SIMHASH)
        if row is None:
            raise ExtensionMissing()
        await connection.set_type_codec(
            "simhash",
            schema=row["nspname"],
            encoder=lambda value: bytes(to_simhash(value)),
            decoder=Fingerprint,
            format="binary",
        )
    if bit:
        await connection.set_type_codec(
            "bit",
            schema="pg_catalog",
            encoder=lambda value: dump_bits(to_bits(value)),
            decoder=load_bits,
            format="binary",
        )
