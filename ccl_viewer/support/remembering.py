"""Values that were remembered in a file, back into a dataclass: only what fits is taken."""

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


def recalled(known: _T, values: object) -> _T:
    """Return a dataclass with what was remembered of it, as JSON has it.

    Parameters
    ----------
    known : dataclass instance
        What stays where nothing was remembered, or something damaged: a value must have the type
        of its field, and numbers are finite.
    values : object
        Values by the names of fields; anything else is no memory at all.
    """
    if not isinstance(values, Mapping):
        return known
    read = {}
    for name, hint in get_type_hints(type(known)).items():
        with suppress(KeyError, TypeError, ValueError):
            read[name] = _checked(values[name], hint)
    return replace(known, **read)


def _checked(value: Any, hint: Any) -> object:
    """Return a value of a type; raises ValueError or TypeError if it is none."""
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
