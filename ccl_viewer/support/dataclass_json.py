"""Restore a dataclass from JSON; only valid values are taken."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_T = TypeVar("_T", bound="DataclassInstance")


def from_json(known: _T, values: object) -> _T:
    """Return a dataclass with values from JSON.

    Parameters
    ----------
    known : dataclass instance
        Default values, kept where the JSON has none or an invalid one: a value must have its
        field's type, and numbers must be finite.
    values : object
        Values by field name; anything but a mapping is ignored.
    """
    if not isinstance(values, Mapping):
        return known
    read = {}
    for name, hint in get_type_hints(type(known)).items():
        with suppress(KeyError, TypeError, ValueError):
            read[name] = _check_type(values[name], hint)
    return replace(known, **read)


def _check_type(value: Any, hint: Any) -> object:
    """Return a value if it has a type; raise ValueError or TypeError otherwise."""
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(value)
    if get_origin(hint) is Literal:
        fits = value in get_args(hint)
    elif isinstance(value, bool):
        fits = hint is bool
    else:
        fits = isinstance(value, hint) and (not isinstance(value, float) or isfinite(value))
    if not fits:
        raise ValueError(value)
    return value
