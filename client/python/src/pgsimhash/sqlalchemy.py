"""Types, comparisons and a constraint of SQLAlchemy"""

from __future__ import annotations

from typing import Any, Callable, Optional

from sqlalchemy import Boolean, Integer, literal_column
from sqlalchemy.dialects.postgresql import ExcludeConstraint
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import UserDefinedType

from ._fingerprint import Fingerprint
from ._types import to_bits, to_simhash

__all__ = ["Bit", "NearConstraint", "Simhash"]


class _Comparator(UserDefinedType.Comparator):
    def distance(self, other: Any) -> Any:
        """fp <-> other, for conditions (distance(q) <= 5) and order_by"""
        return self.op("<->", return_type=Integer())(other)

    def nearest(self, other: Any) -> Any:
        """For order_by: the nearest first"""
        return self.distance(other).asc()

    def near(self, other: Any) -> Any:
        """fp % other: within 5/64 of the bits"""
        return self.op("%", is_comparison=True, return_type=Boolean())(other)


class _FingerprintType(UserDefinedType):
    comparator_factory = _Comparator

    @property
    def python_type(self) -> type:
        return Fingerprint

    def _convert(self, value: Any) -> Fingerprint:
        raise NotImplementedError

    def bind_processor(self, dialect: Any) -> Callable[[Any], Any]:
        return lambda value: None if value is None else self._convert(value).binary()

    def literal_processor(self, dialect: Any) -> Callable[[Any], str]:
        return lambda value: f"'{self._convert(value).binary()}'"

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Optional[Fingerprint]]:
        return lambda value: None if value is None else self._convert(value)


class Simhash(_FingerprintType):
    """The type simhash"""

    cache_ok = True

    def get_col_spec(self, **kw: Any) -> str:
        return "SIMHASH"

    def _convert(self, value: Any) -> Fingerprint:
        return to_simhash(value)


class Bit(_FingerprintType):
    """bit(length) with fingerprints"""

    cache_ok = True

    def __init__(self, length: int) -> None:
        self.length = length

    def get_col_spec(self, **kw: Any) -> str:
        return f"BIT({self.length})"

    def _convert(self, value: Any) -> Fingerprint:
        return to_bits(value, self.length)

    def bind_processor(self, dialect: Any) -> Callable[[Any], Any]:
        process = super().bind_processor(dialect)
        if dialect.driver != "asyncpg":
            return process

        from asyncpg import BitString

        return lambda value: None if value is None else BitString(process(value))


ischema_names["simhash"] = Simhash


class NearConstraint(ExcludeConstraint):
    """EXCLUDE USING bitblock (tenant WITH =, fp WITH %): NearConstraint("tenant", "fp")"""

    def __init__(self, *columns: Any, name: Optional[str] = None, where: Any = None, **kw: Any) -> None:
        operators = ["="] * (len(columns) - 1) + ["%"]
        elements = [
            # SQLAlchemy copies a constraint by its pairs of column and operator
            column if isinstance(column, tuple) else (column, operator)
            for column, operator in zip(columns, operators)
        ]
        super().__init__(*elements, name=name, where=where, **{**kw, "using": "bitblock"})


@compiles(NearConstraint, "postgresql")
def _compile_near(constraint: Any, compiler: Any, **kw: Any) -> str:
    text = compiler.visit_exclude_constraint(constraint, **kw)
    # drivers whose parameters are %s need %% for an operator %
    percent = compiler.sql_compiler.process(literal_column("%"))
    return text.replace(" WITH %)", f" WITH {percent})", 1)
