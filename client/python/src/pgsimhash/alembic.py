"""Alembic: migrations with the types and the constraint, made by autogenerate

env.py imports render_item. Importing this module also registers the operation
op.create_near_constraint and the comparison of tables.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Optional

from alembic.autogenerate import comparators, renderers
from alembic.operations import MigrateOperation, Operations
from sqlalchemy import Column, MetaData, Table, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.types import NullType

from .sqlalchemy import Bit, NearConstraint, Simhash

__all__ = ["render_item"]


def _for_text(sql: Optional[str]) -> Optional[str]:
    """For text(), which takes :word as a parameter"""
    return None if sql is None else re.sub(r"(?<![:\w\\]):(?=\w)", r"\\:", sql)


def _where(constraint: Any) -> Optional[str]:
    """The condition as SQL. "named" is a style of parameters that leaves a % as it is."""
    if constraint.where is None:
        return None
    values = {"literal_binds": True, "include_table": False}
    return _for_text(str(constraint.where.compile(dialect=PGDialect(paramstyle="named"), compile_kwargs=values)))


def _arguments(columns: List[str], **options: Optional[str]) -> str:
    """The arguments of a call: columns, and those of the options that are not None"""
    named = [f"{key}={str(value)!r}" for key, value in options.items() if value is not None]
    return ", ".join([repr(str(column)) for column in columns] + named)


def render_item(type_: str, obj: Any, autogen_context: Any) -> Any:
    """For render_item of Alembic's context.configure: what migrations have"""
    if type_ == "type" and isinstance(obj, Simhash):
        call = "Simhash()"
    elif type_ == "type" and isinstance(obj, Bit):
        call = f"Bit({obj.length})"
    elif type_ == "exclude" and isinstance(obj, NearConstraint):
        arguments = _arguments([c.name for c in obj.columns], name=obj.name, where=_where(obj))
        call = f"NearConstraint({arguments})"
    else:
        return False
    autogen_context.imports.add("import pgsimhash.sqlalchemy")
    return "pgsimhash.sqlalchemy." + call


class _NearOp(MigrateOperation):
    """A constraint of a table that exists"""

    def __init__(self, name: Optional[str], table: str, columns: List[str], where: Optional[str] = None, schema: Optional[str] = None) -> None:
        self.arguments = (name, table, columns, where, schema)

    def to_constraint(self) -> NearConstraint:
        name, table, columns, where, schema = self.arguments
        constraint = NearConstraint(*columns, name=name, where=None if where is None else text(where))
        Table(table, MetaData(), *[Column(column, NullType()) for column in columns], constraint, schema=schema)
        return constraint


@Operations.register_operation("create_near_constraint")
class _CreateNearOp(_NearOp):
    @classmethod
    def create_near_constraint(cls, operations: Any, name: Optional[str], table: str, *columns: str, **options: Optional[str]) -> Any:
        """ALTER TABLE table ADD EXCLUDE USING bitblock (column WITH =, ..., fp WITH %). Options: where, schema"""
        # Alembic's proxies lose parameters that have no place
        return operations.invoke(cls(name, table, list(columns), **options))

    def reverse(self) -> MigrateOperation:
        return _DropNearOp(*self.arguments)

    def to_diff_tuple(self) -> Any:
        return ("add_constraint", self.to_constraint())


class _DropNearOp(_NearOp):
    """A migration has op.drop_constraint for it."""

    def reverse(self) -> MigrateOperation:
        return _CreateNearOp(*self.arguments)

    def to_diff_tuple(self) -> Any:
        return ("remove_constraint", self.to_constraint())


@Operations.implementation_for(_CreateNearOp)
def _create(operations: Any, operation: _CreateNearOp) -> None:
    operations.impl.add_constraint(operation.to_constraint())


@renderers.dispatch_for(_CreateNearOp)
def _render_create(autogen_context: Any, operation: _CreateNearOp) -> str:
    name, table, columns, where, schema = operation.arguments
    autogen_context.imports.add("import pgsimhash.alembic")
    prefix = autogen_context.opts["alembic_module_prefix"] or ""
    arguments = _arguments([table, *columns], where=where, schema=schema)
    return f"{prefix}create_near_constraint({name if name is None else str(name)!r}, {arguments})"


@renderers.dispatch_for(_DropNearOp)
def _render_drop(autogen_context: Any, operation: _DropNearOp) -> str:
    name, table, _, _, schema = operation.arguments
    prefix = autogen_context.opts["alembic_module_prefix"] or ""
    return f"{prefix}drop_constraint({_arguments([name or '', table], schema=schema)})"


def _existing(autogen_context: Any, schema: Optional[str], table: str) -> Iterator[_DropNearOp]:
    """The constraints that the table has in the database"""
    found = autogen_context.connection.execute(
        text(
            "SELECT con.conname, array(SELECT a.attname::text FROM unnest(con.conkey) WITH ORDINALITY AS k (number, place)"
            " JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = k.number ORDER BY place),"
            " pg_get_expr(i.indpred, i.indrelid)"
            " FROM pg_constraint con JOIN pg_class c ON c.oid = con.conrelid JOIN pg_index i ON i.indexrelid = con.conindid"
            " JOIN pg_class ic ON ic.oid = con.conindid JOIN pg_am am ON am.oid = ic.relam"
            " WHERE con.contype = 'x' AND am.amname = 'bitblock' AND c.relname = :table"
            " AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = coalesce(:schema, current_schema()))"
            " ORDER BY con.conname"
        ),
        {"table": table, "schema": schema},
    )
    for name, columns, where in found.fetchall():
        yield _DropNearOp(name, table, list(columns), _for_text(where), schema)


def _wanted(schema: Optional[str], table: Any) -> Iterator[_CreateNearOp]:
    """The constraints that the table has in the metadata"""
    for constraint in table.constraints:
        if isinstance(constraint, ExcludeConstraint) and constraint.using == "bitblock":
            yield _CreateNearOp(constraint.name, table.name, [c.name for c in constraint.columns], _where(constraint), schema)


@comparators.dispatch_for("table")
def _compare(autogen_context: Any, modify_table_ops: Any, schema: Optional[str], name: str, existing: Any, wanted: Any) -> None:
    """Compare names and columns. PostgreSQL stores a condition in other words, so it does not count."""
    if existing is None or wanted is None or autogen_context.dialect.name != "postgresql":
        return  # the table is created or dropped with its constraints
    drop: Dict[Any, _DropNearOp] = {}
    for operation in _existing(autogen_context, schema, name):
        drop[operation.arguments[0], tuple(operation.arguments[2])] = operation
    create = []
    for operation in _wanted(schema, wanted):
        constraint_name, _, columns, _, _ = operation.arguments
        found = [key for key in drop if key[1] == tuple(columns) and constraint_name in (None, key[0])]
        if found:
            del drop[found[0]]
        else:
            create.append(operation)
    for operation in [*drop.values(), *create]:
        constraint = operation.to_constraint()
        if autogen_context.run_object_filters(constraint, constraint.name, "exclude_constraint", operation in drop.values(), None):
            modify_table_ops.ops.append(operation)
