"""The type of a pattern (a computed grid) and of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import Grid, check_size
from ccl_viewer.support.spelling import find_nearest

Value: TypeAlias = int | float | str

MAX_SIDE = 16384
"""Longest side of a pattern, in cells."""


@dataclass(frozen=True)
class PatternParameter:
    """A number or text parameter of a pattern.

    Parameters
    ----------
    name, title, help : str
        Keyword, short name and one sentence for the user.
    default : int, float or str
        Default value.
    minimum, maximum : int or float
        Bounds, inclusive; for a text, bounds of its length in characters.
    kind : type
        ``int``, ``float``, ``str``, or ``bool`` for 0 or 1.
    """

    name: str
    title: str
    help: str
    default: Value
    minimum: int | float
    maximum: int | float
    kind: type[int | float | str | bool] = int

    def resolve(self, value: object) -> Value:
        """Return the value, converted to the parameter's type, if it is allowed.

        Raises
        ------
        InputError
            If the value has another type or is out of bounds.
        """
        if self.kind is str:
            if isinstance(value, str) and self.minimum <= len(value) <= self.maximum:
                return value
        elif (
            isinstance(value, int | float if self.kind is float else int)
            and isinstance(value, bool) <= (self.kind is bool)
            and self.minimum <= value <= self.maximum
        ):
            return self._type(value)
        raise InputError(self._refusal(value))

    def parse(self, text: str) -> Value:
        """Read the value from text.

        Raises
        ------
        InputError
            If the text cannot be read as the parameter's type, or the value is out of bounds.
        """
        try:
            value = self._type(text)
        except ValueError:
            raise InputError(self._refusal(text)) from None
        return self.resolve(value)

    @property
    def _type(self) -> type[int | float | str]:
        return int if self.kind is bool else self.kind

    def _refusal(self, value: object) -> str:
        if self.kind is str:
            return (
                f"The parameter {self.name} must be a text of {self.minimum} to {self.maximum} "
                f"characters, not {value!r}."
            )
        sort = "a number" if self.kind is float else "a whole number"
        return (
            f"The parameter {self.name} must be {sort} from {self.minimum} to {self.maximum}, not "
            f"{value!r}."
        )


@dataclass(frozen=True)
class Pattern:
    """One row of the table of patterns.

    Parameters
    ----------
    key : str
        Name in code and on the command line.
    title : str
        Name for people.
    summary : str
        One sentence: what it shows and what it is useful for.
    draw : callable
        Takes the parameters by keyword and returns the grid.
    parameters : tuple of PatternParameter
        Its parameters.
    multivalued : bool
        Whether the values of its cells divide it into segments.
    """

    key: str
    title: str
    summary: str
    draw: Callable[..., Grid]
    parameters: tuple[PatternParameter, ...] = ()
    multivalued: bool = False

    def parameter(self, name: str) -> PatternParameter:
        """Return a parameter by its name.

        Raises
        ------
        InputError
            If there is no parameter of this name.
        """
        parameters = {parameter.name: parameter for parameter in self.parameters}
        if name not in parameters:
            has = ", ".join(parameters) if parameters else "none"
            raise InputError(
                f"The pattern {self.key} has no parameter "
                f"{name!r}{closest_name_hint(name, parameters)}; it has {has}."
            )
        return parameters[name]

    def complete(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Return all parameters: the given ones, checked, and defaults for the rest.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        checked = {name: self.parameter(name).resolve(value) for name, value in given.items()}
        return {
            parameter.name: checked.get(parameter.name, parameter.default)
            for parameter in self.parameters
        }

    def make(self, **given: Any) -> Grid:
        """Draw the pattern.

        Parameters
        ----------
        **given : int, float or str
            Values of parameters; the rest have their defaults.

        Returns
        -------
        ndarray of uint8, shape (height, width)
            0 and 1, or values up to 255 if it is multi-valued.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        shape = self.shape(given)
        if shape is not None:
            check_size(shape)
        return self.draw(**self.complete(given))

    def shape(self, given: Mapping[str, object]) -> tuple[int, int] | None:
        """Return height and width without drawing; None if they do not follow from the parameters.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        match self.complete(given):
            case {"width": int(width), "height": int(height)}:
                return height, width
            case {"order": int(order)}:
                side = 2 ** (order + 1) - 1
                return side, side
            case {"text": _}:
                return None
            case {"size": int(size)}:
                return size, size
        return None


def closest_name_hint(name: str, known: Mapping[str, object]) -> str:
    """Return ``" (did you mean ...?)"`` if a known name is close to the given one, or ``""``."""
    close = find_nearest(name, known)
    return "" if close is None else f" (did you mean {close}?)"
