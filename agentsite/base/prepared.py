"""Prepared statements of the hot path: the ORM builds the SQL once, and each execution only fills in the values.

Building the same SQL again was 60 % of the CPU of a step. Django has no cache for compiled queries, so this module
keeps them, for each database vendor:

    _due = PreparedQuery(lambda turn, now: Turn.objects.filter(pk=turn, not_before__lte=now))
    _due.first(turn=turn_id, now=now)

    insert_rows([part, other_part])
    save_fields(session, ("title", "updated_at"))
    update_rows(Turn, Q(pk=turn_id, lease_token=token), {"lease_until": until})

The SQL is Django's own, as are the converters of values in both directions, so a prepared statement returns the same
values as its query set. Statements run on the default connection, inside its transaction.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from inspect import signature
from itertools import count
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import connection, models
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=models.Model)
_MAX_SHAPES: Final = 2_000
"""Maximum number of compiled updates. The code has about a hundred updates; more than the maximum means that values
became part of the keys."""
_CONSTANT_LOOKUPS: Final = frozenset(models.Field().get_lookups()) - {"exact", "gt", "gte", "lt", "lte"}
"""Names of lookups whose SQL may depend on the value, which is therefore part of the statement."""
_SCALARS: Final = (UUID, datetime, str, int)


class Slot(models.Expression):
    """A placeholder for a value in a prepared statement; each execution supplies the value."""

    def __init__(self, name: str) -> None:
        super().__init__(output_field=models.Field())
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "%s", [self]


class PreparedQuery(Generic[M]):
    """A prepared SELECT.

    `build` returns the query set; it is called once, with a slot for each of its parameters. Values are compared
    unchanged: None does not become IS NULL, and lists are not supported.
    """

    def __init__(self, build: Callable[..., models.QuerySet[M, Any]]) -> None:
        self._build = build
        self._names = tuple(signature(build).parameters)
        self._compiled: dict[str, _Select] = {}

    def all(self, **values: Any) -> list[M]:
        """Return the rows as model instances, with related rows and annotations as the query set declares them."""
        return list(self._statement().instances(values))

    def first(self, **values: Any) -> M | None:
        """Return the first row, or None. The query set should be limited to one row."""
        return next(self._statement().instances(values), None)

    def tuples(self, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows as tuples. The query set must use `values_list`."""
        return self._statement().tuples(values)

    def _statement(self) -> "_Select":
        found = self._compiled.get(connection.vendor)
        if found is None:
            slots = {name: Slot(name) for name in self._names}
            found = self._compiled[connection.vendor] = _Select(self._build(**slots))
        return found


class _Select:
    """A compiled prepared query: the SQL of a query set, to execute with a value for each slot."""

    def __init__(self, rows: models.QuerySet[Any, Any]) -> None:
        compiler: Any = rows.query.get_compiler(connection=connection)
        self._sql, self._params = compiler.as_sql()
        select, info = compiler.select, compiler.klass_info
        populators: Any = get_related_populators
        self._converters = tuple(compiler.get_converters([each[0] for each in select[: compiler.col_count]]).items())
        if not rows.query.default_cols:  # of `values_list`
            return
        self.model = info["model"]
        self._first, self._end = info["select_fields"][0], info["select_fields"][-1] + 1
        self._names = [each[0].target.attname for each in select[self._first : self._end]]
        self._related = populators(info, select, connection.alias)
        self._annotations = tuple(compiler.annotation_col_map.items())

    def instances(self, values: Mapping[str, Any]) -> Iterator[Any]:
        return map(self._instance, self._rows(values))

    def tuples(self, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._rows(values)]

    def _rows(self, values: Mapping[str, Any]) -> list[list[Any]]:
        with connection.cursor() as cursor:
            cursor.execute(self._sql, _filled(self._params, values))
            rows = [list(row) for row in cursor.fetchall()]
        for position, (converters, expression) in self._converters:
            for row in rows:
                for convert in converters:
                    row[position] = convert(row[position], expression, connection)
        return rows

    def _instance(self, row: Sequence[Any]) -> Any:
        instance = self.model.from_db(connection.alias, self._names, row[self._first : self._end])
        for related in self._related:
            related.populate(row, instance)
        for name, position in self._annotations:
            setattr(instance, name, row[position])
        return instance


def _filled(params: Sequence[Any], values: Mapping[str, Any]) -> list[Any]:
    return [adapted(values[each.name]) if isinstance(each, Slot) else each for each in params]


def adapted(value: Any) -> Any:
    """Convert a value to the form that the database driver accepts."""
    if isinstance(value, UUID):
        return value if connection.features.has_native_uuid_field else value.hex
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value.value if isinstance(value, Enum) else value


def insert_rows(rows: Sequence[models.Model], *, unique: str = "", replacing: Sequence[str] = ()) -> None:
    """Insert rows of one model with one statement. An automatic primary key is not read back. No signals are sent.

    If a row with the same values of the columns `unique` exists, its columns `replacing` are updated instead.
    """
    if not rows:
        return
    model = type(rows[0])
    fields = _inserted_fields(model)
    line = f"({', '.join(['%s'] * len(fields))})"
    sql = f"{_insert_head(model)} {', '.join([line] * len(rows))}"
    if unique:
        meta = _meta_of(model)
        columns = [connection.ops.quote_name(meta.get_field(name).column) for name in replacing]
        sql += f" ON CONFLICT ({unique}) DO UPDATE SET {', '.join(f'{each} = EXCLUDED.{each}' for each in columns)}"
    params = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for row in rows for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias  # noqa: SLF001 - as bulk_create does


_field_lists: Final[dict[Any, tuple[Any, ...]]] = {}


def _inserted_fields(model: type[models.Model]) -> tuple[Any, ...]:
    found = _field_lists.get(model)
    if found is None:
        concrete = _meta_of(model).concrete_fields
        found = _field_lists[model] = tuple(each for each in concrete if not isinstance(each, models.AutoField))
    return found


def _insert_head(model: type[models.Model]) -> str:
    quote = connection.ops.quote_name
    columns = ", ".join(quote(each.column) for each in _inserted_fields(model))
    return f"INSERT INTO {quote(_meta_of(model).db_table)} ({columns}) VALUES"


def save_fields(row: models.Model, names: Sequence[str]) -> None:
    """Update these fields of an existing row, as `row.save(update_fields=names)` does, without signals."""
    update_rows(type(row), models.Q(pk=row.pk), {name: getattr(row, name) for name in names})


def update_rows(model: type[models.Model], where: models.Q, fields: Mapping[str, Any]) -> int:
    """Update the rows that match `where` and return their number, as `filter(where).update(**fields)` does.

    The statement is cached by the shape of `where` and the names of `fields`. Expressions are not supported as values.
    """
    compared: list[Any] = []
    key = (connection.vendor, model, tuple(fields), _shape_of(where, compared))
    statement = _updates.get(key) or _compile_update(key, where)
    meta = _meta_of(model)
    given = {
        f"set {name}": meta.get_field(name).get_db_prep_save(_plain(value), connection)
        for name, value in fields.items()
    }
    given |= {f"is {index}": adapted(value) for index, value in enumerate(compared)}
    with connection.cursor() as cursor:
        cursor.execute(
            statement.sql, [given[each.name] if isinstance(each, Slot) else each for each in statement.params]
        )
        return int(cursor.rowcount)


class _Update(NamedTuple):
    sql: str
    params: Sequence[Any]


_updates: Final[dict[Any, _Update]] = {}


def _compile_update(key: Any, where: models.Q) -> _Update:
    _, model, names, _ = key
    query = UpdateQuery(model)
    query.add_q(_with_slots(where, count()))
    query.add_update_values({name: Slot(f"set {name}") for name in names})
    if len(_updates) >= _MAX_SHAPES:
        _updates.clear()
    _updates[key] = _Update(*query.get_compiler(connection=connection).as_sql())
    return _updates[key]


def _is_slot(lookup: str, value: Any) -> bool:
    """Return whether `value` becomes a parameter of a prepared statement that can have another value at each
    execution."""
    return (
        isinstance(value, _SCALARS)
        and not isinstance(value, bool)
        and lookup.rpartition("__")[2] not in _CONSTANT_LOOKUPS
    )


def _shape_of(where: models.Q, compared: list[Any]) -> tuple[Any, ...]:
    """Return the parts of a condition that determine its SQL, as a hashable key. Values that do not change the SQL are
    appended to `compared`, in order."""
    shape: list[Any] = [where.connector, where.negated]
    children: list[Any] = where.children
    for child in children:
        if isinstance(child, models.Q):
            shape.append(_shape_of(child, compared))
            continue
        lookup, value = child
        if _is_slot(lookup, value):
            compared.append(value)
            shape.append(lookup)
        else:
            shape.append((lookup, tuple(value) if isinstance(value, list) else value))
    return tuple(shape)


def _with_slots(where: models.Q, numbers: Iterator[int]) -> models.Q:
    """Return a copy of the condition in which each value that `_shape_of` collects is replaced by a numbered `Slot`, in
    the same order."""
    changed = models.Q(_connector=where.connector, _negated=where.negated)
    children: list[Any] = where.children
    for child in children:
        if isinstance(child, models.Q):
            changed.children.append(_with_slots(child, numbers))
        elif _is_slot(*child):
            changed.children.append((child[0], Slot(f"is {next(numbers)}")))
        else:
            changed.children.append(child)
    return changed


def _plain(value: Any) -> Any:
    return value.pk if isinstance(value, models.Model) else value


def _meta_of(model: type[models.Model]) -> Any:
    return model._meta  # noqa: SLF001 - public in spite of its name, see Django's documentation
