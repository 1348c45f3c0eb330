"""Values between Arrow and Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql import types as t

Convert = Callable[[Any], Any]

_ATOMIC: dict[type, pa.DataType] = {
    t.BooleanType: pa.bool_(),
    t.ByteType: pa.int8(),
    t.ShortType: pa.int16(),
    t.IntegerType: pa.int32(),
    t.LongType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.StringType: pa.string(),
    t.BinaryType: pa.binary(),
    t.DateType: pa.date32(),
    t.TimestampType: pa.timestamp("us", tz="UTC"),
    t.TimestampNTZType: pa.timestamp("us"),
    t.DayTimeIntervalType: pa.duration("us"),
    t.NullType: pa.null(),
}


_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")


def time_zone(name: str) -> tzinfo:
    """A session's time zone: a region, or a distance from UTC such as `+08:00`."""
    offset = _OFFSET.fullmatch(name)
    if offset is None:
        return ZoneInfo(name)
    hours, minutes, seconds = (int(part or 0) for part in offset.groups()[1:])
    distance = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-distance if offset.group(1) == "-" else distance)


def arrow_type(spark: t.DataType) -> pa.DataType:
    """The Arrow type in which values of a Spark type travel. Raises TypeError if there is none."""
    if isinstance(spark, t.DecimalType):
        return pa.decimal128(spark.precision, spark.scale)
    if isinstance(spark, t.ArrayType):
        return pa.list_(pa.field("element", arrow_type(spark.elementType), nullable=spark.containsNull))
    if isinstance(spark, t.MapType):
        value = pa.field("value", arrow_type(spark.valueType), nullable=spark.valueContainsNull)
        return pa.map_(pa.field("key", arrow_type(spark.keyType), nullable=False), value)
    if isinstance(spark, t.StructType):
        return pa.struct([pa.field(f.name, arrow_type(f.dataType), nullable=f.nullable) for f in spark.fields])
    if type(spark) not in _ATOMIC:
        raise TypeError(f"values of type {spark.simpleString()} cannot travel between Spark and Python")
    return _ATOMIC[type(spark)]


def to_python(values: pa.Array) -> list[Any]:
    """The values as a Python UDF gets them: structs as rows, maps as dictionaries, times in the session's time zone."""
    convert = _from_arrow(values.type)
    found: list[Any] = values.to_pylist()
    return found if convert is None else [None if v is None else convert(v) for v in found]


def _from_arrow(arrow: pa.DataType) -> Convert | None:
    if pa.types.is_timestamp(arrow):
        return None if arrow.tz is None else lambda v: v.replace(tzinfo=None)
    if pa.types.is_map(arrow):
        key, item = _or_same(_from_arrow(arrow.key_type)), _or_same(_from_arrow(arrow.item_type))
        return lambda v: {key(k): item(i) for k, i in v}
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow):
        element = _from_arrow(arrow.value_type)
        if element is None:
            return None
        nullable = _or_same(element)
        return lambda v: [nullable(e) for e in v]
    if pa.types.is_struct(arrow):
        make = Row(*[f.name for f in arrow])
        fields = [_or_same(_from_arrow(f.type)) for f in arrow]
        return lambda v: make(*[convert(value) for convert, value in zip(fields, v.values())])
    return None


def _or_same(convert: Convert | None) -> Convert:
    if convert is None:
        return lambda v: v
    return lambda v: None if v is None else convert(v)


def to_arrow(values: Sequence[Any], spark: t.DataType, zone: tzinfo) -> pa.Array:
    """The values in the Arrow type of a Spark type.

    Timestamps without a zone are in `zone`; structs are tuples or dictionaries. Raises pyarrow.ArrowException for a
    value of another type.
    """
    convert = _from_python(spark, zone)
    if convert is not None:
        values = [None if v is None else convert(v) for v in values]
    return pa.array(values, type=arrow_type(spark))


def _from_python(spark: t.DataType, zone: tzinfo) -> Convert | None:
    if isinstance(spark, t.TimestampType):
        return lambda v: v.replace(tzinfo=zone) if v.tzinfo is None else v
    if isinstance(spark, t.ArrayType):
        element = _from_python(spark.elementType, zone)
        if element is None:
            return None
        nullable = _or_same(element)
        return lambda v: [nullable(e) for e in v]
    if isinstance(spark, t.MapType):
        key, item = _or_same(_from_python(spark.keyType, zone)), _or_same(_from_python(spark.valueType, zone))
        return lambda v: [(key(k), item(i)) for k, i in v.items()]
    if isinstance(spark, t.StructType):
        names = [f.name for f in spark.fields]
        fields = [_or_same(_from_python(f.dataType, zone)) for f in spark.fields]

        def struct(value: Any) -> dict[str, Any]:
            parts = [value[name] for name in names] if isinstance(value, dict) else value
            return {n: convert(part) for n, convert, part in zip(names, fields, parts)}

        return struct
    return None


def buffer_copier(schema: t.StructType) -> Convert | None:
    """Copies what can be changed of a buffer, a tuple; None if nothing can. See `_copier`."""
    return _fields_copier(schema, "a buffer", tuple)


def _copier(spark: t.DataType, place: str) -> Convert | None:
    """Copies what can be changed of a value; None if nothing can.

    The copy has the types that another stage of the query gets: lists, dictionaries and rows. Raises TypeError for
    values of other types, with which an aggregator could behave otherwise, such as NumPy's arrays. `place` names the
    value in errors.
    """
    if isinstance(spark, t.ArrayType):
        element = _copier(spark.elementType, f"an element of {place}")

        def array(value: Any) -> Any:
            if type(value) is not list and type(value) is not tuple:
                return _refused(value, place, "a list")
            return list(value) if element is None else [element(e) for e in value]

        return _or_same(array)
    if isinstance(spark, t.MapType):
        item = _or_same(_copier(spark.valueType, f"a value of {place}"))

        def mapping(value: Any) -> Any:
            if type(value) is not dict:
                return _refused(value, place, "a dictionary")
            return {k: item(i) for k, i in value.items()}

        return _or_same(mapping)
    if isinstance(spark, t.BinaryType):
        return lambda v: None if v is None else type(v)(v)
    if isinstance(spark, t.StructType):
        row = Row(*[f.name for f in spark.fields])
        return _fields_copier(spark, place, lambda parts: row(*parts))
    return None


def _fields_copier(spark: t.StructType, place: str, make: Convert) -> Convert | None:
    names = [f.name for f in spark.fields]
    fields = [_copier(f.dataType, f"the field {f.name} of {place}") for f in spark.fields]
    if all(f is None for f in fields):
        return None
    each = [_or_same(f) for f in fields]

    def struct(value: Any) -> Any:
        parts = [value[name] for name in names] if isinstance(value, dict) else value
        return make([copy(part) for copy, part in zip(each, parts)])

    return _or_same(struct)


def _refused(value: Any, place: str, allowed: str) -> Any:
    kind = type(value)
    raise TypeError(f"{place} is a {kind.__module__}.{kind.__qualname__}, but must be {allowed} or None")
