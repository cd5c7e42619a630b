"""Types of psycopg 3: register(connection), await register_async(connection)"""

from __future__ import annotations

from typing import Any, Optional, Tuple, Type

from psycopg import AsyncConnection, Connection
from psycopg.adapt import Buffer, Dumper, Loader, PyFormat
from psycopg.pq import Format
from psycopg.types import TypeInfo

from ._fingerprint import Fingerprint
from ._types import BIT_OID, FIND_SIMHASH, ExtensionMissing, dump_bits, load_bits

__all__ = ["register", "register_async"]


class _TextDumper(Dumper):
    """Binary digits without a type, which PostgreSQL reads as simhash and as bit"""

    def dump(self, obj: Any) -> bytes:
        digits: str = obj.binary()
        return digits.encode()


class _BitTextDumper(_TextDumper):
    oid = BIT_OID


class _BitBinaryDumper(Dumper):
    oid = BIT_OID
    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        return dump_bits(obj)


class _AutoDumper(_TextDumper):
    """The dumper of %s: 64 bits may be a simhash or a bit(64), others are sent in binary"""

    def get_key(self, obj: Any, format: PyFormat) -> Any:
        return (self.cls, obj.bits == 64) if format == PyFormat.AUTO else self.cls

    def upgrade(self, obj: Any, format: PyFormat) -> Dumper:
        if format != PyFormat.AUTO:
            return self
        return (_TextDumper if obj.bits == 64 else _BitBinaryDumper)(self.cls)


class _BitLoader(Loader):
    def load(self, data: Buffer) -> Fingerprint:
        return Fingerprint.from_binary(bytes(data).decode())


class _BitBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Fingerprint:
        return load_bits(bytes(data))


class _SimhashLoader(Loader):
    def load(self, data: Buffer) -> Fingerprint:
        return Fingerprint(bytes(data).decode())


class _SimhashBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> Fingerprint:
        return Fingerprint(bytes(data))


def _simhash_dumpers(simhash_oid: int) -> Tuple[Type[Dumper], Type[Dumper]]:
    class SimhashTextDumper(_TextDumper):
        oid = simhash_oid

    class SimhashBinaryDumper(Dumper):
        oid = simhash_oid
        format = Format.BINARY

        def get_key(self, obj: Any, format: PyFormat) -> Any:
            return (self.cls, obj.bits == 64)

        def upgrade(self, obj: Any, format: PyFormat) -> Dumper:
            return self if obj.bits == 64 else _BitBinaryDumper(self.cls)

        def dump(self, obj: Any) -> bytes:
            return bytes(obj)

    return SimhashTextDumper, SimhashBinaryDumper


def _register(context: Any, simhash: Optional[TypeInfo], bit: bool) -> None:
    adapters = context.adapters
    adapters.register_dumper(Fingerprint, _BitTextDumper)
    adapters.register_dumper(Fingerprint, _BitBinaryDumper)
    if simhash is not None:
        simhash.register(context)
        for dumper in _simhash_dumpers(simhash.oid):
            adapters.register_dumper(Fingerprint, dumper)
        for loader in (_SimhashLoader, _SimhashBinaryLoader):
            adapters.register_loader(simhash.oid, loader)
    if bit:
        for bit_loader in (_BitLoader, _BitBinaryLoader):
            adapters.register_loader(BIT_OID, bit_loader)
    # the last one is the one of %s
    adapters.register_dumper(Fingerprint, _AutoDumper)


def _type_info(row: Any) -> TypeInfo:
    if row is None:
        raise ExtensionMissing()
    return TypeInfo("simhash", row[0], row[1])


def register(connection: Connection[Any], *, simhash: bool = True, bit: bool = True) -> None:
    """Return columns of the types simhash and bit as Fingerprint, and accept it as a parameter.

    With simhash=False, the database does not need the extension.  With bit=False, bit strings stay str.
    """
    info = None
    if simhash:
        with connection.transaction():
            info = _type_info(connection.cursor(row_factory=_tuples).execute(FIND_SIMHASH).fetchone())
    _register(connection, info, bit)


async def register_async(connection: AsyncConnection[Any], *, simhash: bool = True, bit: bool = True) -> None:
    """register for an asynchronous connection"""
    info = None
    if simhash:
        async with connection.transaction():
            cursor = await connection.cursor(row_factory=_tuples).execute(FIND_SIMHASH)
            info = _type_info(await cursor.fetchone())
    _register(connection, info, bit)


def _tuples(cursor: Any) -> Any:
    return tuple
