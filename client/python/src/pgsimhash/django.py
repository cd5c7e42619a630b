"""Fields, lookups, an index and a migration operation of Django"""

from __future__ import annotations

from typing import Any, Optional

from django.contrib.postgres.indexes import PostgresIndex
from django.contrib.postgres.operations import CreateExtension
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Lookup

from ._fingerprint import Fingerprint
from ._types import to_bits, to_simhash

__all__ = ["BitField", "BitblockIndex", "HammingDistance", "SimhashExtension", "SimhashField"]


class _FingerprintField(models.Field):
    def _convert(self, value: Any) -> Fingerprint:
        raise NotImplementedError

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Optional[Fingerprint]:
        return None if value is None else self._convert(value)

    def to_python(self, value: Any) -> Optional[Fingerprint]:
        if value is None or value == "":
            return None
        try:
            return self._convert(value)
        except (TypeError, ValueError) as error:
            raise ValidationError(str(error), code="invalid") from error

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        if value is None or hasattr(value, "as_sql"):
            return value
        return self._convert(value).binary()

    def value_to_string(self, obj: Any) -> str:
        value = self.value_from_object(obj)
        return "" if value is None else str(self._convert(value))


class SimhashField(_FingerprintField):
    """The type simhash"""

    description = "Fingerprint of 64 bits"

    def db_type(self, connection: Any) -> str:
        return "simhash"

    def _convert(self, value: Any) -> Fingerprint:
        return to_simhash(value)


class BitField(_FingerprintField):
    """The type bit(bits) with fingerprints"""

    description = "Fingerprint of %(bits)s bits"

    def __init__(self, *args: Any, bits: int = 256, **kwargs: Any) -> None:
        self.bits = bits
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "bits": self.bits}

    def db_type(self, connection: Any) -> str:
        return f"bit({self.bits})"

    def _convert(self, value: Any) -> Fingerprint:
        return to_bits(value, self.bits)


class _AnyField(_FingerprintField):
    """The field of a fingerprint in an expression"""

    def _convert(self, value: Any) -> Fingerprint:
        return to_bits(value)


class HammingDistance(models.Func):
    """a <-> b: names of fields, expressions, and fingerprints"""

    template = "(%(expressions)s)"
    arg_joiner = " <-> "
    arity = 2

    def __init__(self, a: Any, b: Any, **extra: Any) -> None:
        extra.setdefault("output_field", models.IntegerField())
        super().__init__(*(_expression(e) for e in (a, b)), **extra)


def _expression(value: Any) -> Any:
    return models.Value(value, output_field=_AnyField()) if isinstance(value, Fingerprint) else value


def _compile(lookup: Any, value: Any, compiler: Any) -> Any:
    """The SQL of a right side that is an expression or a fingerprint"""
    if hasattr(value, "as_sql"):
        return compiler.compile(value)
    return "%s", [lookup.lhs.output_field.get_prep_value(value)]


@_FingerprintField.register_lookup
class Within(Lookup):
    """fp__within=(q, distance)"""

    lookup_name = "within"

    def get_prep_lookup(self) -> Any:
        q, distance = self.rhs
        if not isinstance(distance, int) and not hasattr(distance, "as_sql"):
            raise TypeError("distance must be an int, because only integers can use the index")
        return q, distance

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        q, distance = self.rhs
        lhs, lhs_params = self.process_lhs(compiler, connection)
        rhs, rhs_params = _compile(self, q, compiler)
        bound, bound_params = compiler.compile(distance) if hasattr(distance, "as_sql") else ("%s", [distance])
        return f"{lhs} <-> {rhs} <= {bound}", [*lhs_params, *rhs_params, *bound_params]


@_FingerprintField.register_lookup
class Near(Lookup):
    """fp__near=q: within 5/64 of the bits"""

    lookup_name = "near"

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        lhs, lhs_params = self.process_lhs(compiler, connection)
        rhs, rhs_params = self.process_rhs(compiler, connection)
        return f"{lhs} %% {rhs}", [*lhs_params, *rhs_params]


class BitblockIndex(PostgresIndex):
    """USING bitblock"""

    suffix = "bitblock"


class SimhashExtension(CreateExtension):
    """CREATE EXTENSION simhash"""

    def __init__(self) -> None:
        super().__init__("simhash")
