"""Types of psycopg2: register(connection)"""

from __future__ import annotations

from typing import Any, Optional

from psycopg2.extensions import (
    TRANSACTION_STATUS_IDLE,
    connection as Connection,
    cursor as Cursor,
    new_array_type,
    new_type,
    register_adapter,
    register_type,
)

from ._fingerprint import Fingerprint
from ._types import BIT_ARRAY_OID, BIT_OID, FIND_SIMHASH, ExtensionMissing

__all__ = ["register"]


class _Adapter:
    """Binary digits without a type, which PostgreSQL reads as simhash and as bit"""

    def __init__(self, fp: Fingerprint) -> None:
        self._fp = fp

    def getquoted(self) -> bytes:
        return b"'" + self._fp.binary().encode() + b"'"


def _load_simhash(text: Optional[str], cursor: Any) -> Optional[Fingerprint]:
    return None if text is None else Fingerprint(text)


def _load_bit(text: Optional[str], cursor: Any) -> Optional[Fingerprint]:
    return None if text is None else Fingerprint.from_binary(text)


def _register(connection: Any, name: str, oid: int, array_oid: int, load: Any) -> None:
    scalar = new_type((oid,), name, load)
    register_type(scalar, connection)
    register_type(new_array_type((array_oid,), name + "[]", scalar), connection)


def register(connection: Connection, *, simhash: bool = True, bit: bool = True) -> None:
    """Return columns of the types simhash and bit as Fingerprint, and accept it as a parameter.

    With simhash=False, the database does not need the extension.  With bit=False, bit strings stay str.
    As with register_adapter of psycopg2, parameters are accepted on every connection.
    """
    if simhash:
        was_idle = connection.info.transaction_status == TRANSACTION_STATUS_IDLE
        with connection.cursor(cursor_factory=Cursor) as cursor:
            cursor.execute(FIND_SIMHASH)
            row = cursor.fetchone()
        if was_idle and not connection.autocommit:
            connection.rollback()
        if row is None:
            raise ExtensionMissing()
        _register(connection, "simhash", row[0], row[1], _load_simhash)
    if bit:
        _register(connection, "bit", BIT_OID, BIT_ARRAY_OID, _load_bit)
    register_adapter(Fingerprint, _Adapter)
