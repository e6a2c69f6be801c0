"""Filters of LlamaIndex in the form of the service."""

from __future__ import annotations

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)

from ._metadata import escaped
from .project import Filter

OPERATORS = {
    FilterOperator.EQ: "$eq",
    FilterOperator.NE: "$ne",
    FilterOperator.GT: "$gt",
    FilterOperator.GTE: "$gte",
    FilterOperator.LT: "$lt",
    FilterOperator.LTE: "$lte",
    FilterOperator.IN: "$in",
    FilterOperator.NIN: "$nin",
    FilterOperator.CONTAINS: "$contains",
    # Of an array, one element is enough.
    FilterOperator.ANY: "$in",
}

# That the service compares with metadata, in one filter.
MOST_VALUES = 200


def all_of(*conditions: Filter | None) -> Filter | None:
    """What satisfies every one of those that are there."""
    given = [condition for condition in conditions if condition is not None]
    return {"$and": given} if given else None


def filter_of(filters: MetadataFilters | None) -> Filter | None:
    """The same; None where nothing is asked for.

    Raises NotImplementedError that names an operator that the service does not have, and ValueError for a list of
    more values than it takes, and for groups without filters, which all nodes satisfy, within NOT and OR.
    """
    if filters is None:
        return None
    parts = [_part(each) for each in filters.filters]
    given = [part for part in parts if part is not None]
    condition = filters.condition
    if len(given) < len(parts) and condition in {FilterCondition.NOT, FilterCondition.OR}:
        raise ValueError(f"{condition.name} has a group without filters, which all nodes satisfy")
    if not given:
        return None
    if condition == FilterCondition.NOT:
        return {"$not": {"$or": given}}
    return {"$or" if condition == FilterCondition.OR else "$and": given}


def few_enough(key: str, values: object) -> object:
    """The same; a ValueError for more than the service compares with metadata."""
    if isinstance(values, list) and len(values) > MOST_VALUES:
        raise ValueError(f"{key!r} has {len(values)} values; a filter has at most {MOST_VALUES}")
    return values


def _part(part: MetadataFilter | MetadataFilters) -> Filter | None:
    if isinstance(part, MetadataFilters):
        return filter_of(part)
    field = _field(part.key)
    if part.operator == FilterOperator.ALL and part.value == []:
        return {field: {"$exists": True}}
    if part.operator == FilterOperator.ALL and isinstance(part.value, list):
        return {"$and": [{field: {"$contains": value}} for value in part.value]}
    if part.operator not in OPERATORS:
        raise NotImplementedError(f"Semblance has no filter for the operator {part.operator.name}")
    return {field: {OPERATORS[part.operator]: few_enough(part.key, part.value)}}


def _field(key: str) -> str:
    """One key of the metadata: no path, no operator, and none of the fields that filters reserve."""
    path = escaped(key)
    return f"\\{path}" if path.startswith("$") or path in {"text_id", "created_at"} else path
