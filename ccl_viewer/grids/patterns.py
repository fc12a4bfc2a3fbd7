"""The table of patterns: grids that are computed, each with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from ccl_viewer.errors import InputError
from ccl_viewer.grids import drawing
from ccl_viewer.grids.grid import Grid, check_size

Value: TypeAlias = int | float

MAX_SIDE = 16384
"""Longest side of a pattern, in cells."""


@dataclass(frozen=True)
class PatternParameter:
    """A number that a pattern can be given.

    Parameters
    ----------
    name, title, help : str
        Keyword, short name and one sentence for the user.
    default, minimum, maximum : int or float
        Value if none is given, and bounds, both allowed.
    kind : type
        ``int`` or ``float``.
    """

    name: str
    title: str
    help: str
    default: Value
    minimum: Value
    maximum: Value
    kind: type[int | float] = int

    def check(self, value: object) -> Value:
        """Return the value, as the parameter's own type, if it is allowed.

        Raises
        ------
        InputError
            If it is no such number or out of bounds.
        """
        accepted = int if self.kind is int else (int, float)
        if (
            isinstance(value, bool)
            or not isinstance(value, accepted)
            or not self.minimum <= value <= self.maximum
        ):
            raise InputError(self._refusal(value))
        return self.kind(value)

    def parse(self, text: str) -> Value:
        """Read the value from text.

        Raises
        ------
        InputError
            If the text is no such number, or it is out of bounds.
        """
        try:
            value = self.kind(text)
        except ValueError:
            raise InputError(self._refusal(text)) from None
        return self.check(value)

    def _refusal(self, value: object) -> str:
        sort = "a whole number" if self.kind is int else "a number"
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
        One sentence: what it shows and what it is good for.
    draw : callable
        Takes the parameters by keyword and returns the grid.
    parameters : tuple of PatternParameter
        What can be set.
    """

    key: str
    title: str
    summary: str
    draw: Callable[..., Grid]
    parameters: tuple[PatternParameter, ...] = ()

    def parameter(self, name: str) -> PatternParameter:
        """Return a parameter by its name.

        Raises
        ------
        InputError
            If there is none of this name.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        if name not in known:
            has = ", ".join(known) if known else "none"
            raise InputError(
                f"The pattern {self.key} has no parameter {name!r}{near(name, known)}; it has "
                f"{has}."
            )
        return known[name]

    def complete(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Return all parameters: those given, checked, and the others' defaults.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        checked = {name: self.parameter(name).check(value) for name, value in given.items()}
        return {
            parameter.name: checked.get(parameter.name, parameter.default)
            for parameter in self.parameters
        }

    def make(self, **given: Any) -> Grid:
        """Draw the pattern.

        Parameters
        ----------
        **given : int or float
            Values of parameters; the others have their defaults.

        Returns
        -------
        ndarray of uint8, shape (height, width)
            0 and 1.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        values = self.complete(given)
        if "width" in values:
            check_size((int(values["height"]), int(values["width"])))
        return self.draw(**values)


def near(name: str, known: Mapping[str, object]) -> str:
    """Return ``" (did you mean ...?)"`` if a known name is close to the one given, or nothing."""
    from difflib import get_close_matches

    matches = get_close_matches(name.lower(), known, n=1)
    return f" (did you mean {matches[0]}?)" if matches else ""


def _whole(name: str, title: str, text: str, default: int, low: int, high: int) -> PatternParameter:
    return PatternParameter(name, title, text, default, low, high)


def _size(default: int) -> PatternParameter:
    return _whole("size", "Size", "Width and height in cells.", default, 1, MAX_SIDE)


_WIDTH = _whole("width", "Width", "Width in cells.", 64, 1, MAX_SIDE)
_HEIGHT = _whole("height", "Height", "Height in cells.", 64, 1, MAX_SIDE)
_SEED = _whole("seed", "Seed", "Seed of the Mersenne Twister (MT19937).", 0, 0, 2**32 - 1)

_TABLE = (
    Pattern(
        "shibata",
        "Shibata's Figure 2",
        "The 10 x 10 example that Shibata's article follows step by step.",
        drawing.shibata,
    ),
    Pattern(
        "spiral",
        "Spiral",
        "One arm, one cell wide, wound clockwise from the top left corner to the middle: a single "
        "component whose ends lie as far apart as they can.",
        drawing.spiral,
        (_size(63),),
    ),
    Pattern(
        "zigzag",
        "Zigzag spiral",
        "A spiral whose arm runs in a sawtooth: a single 8-connected component in which no long "
        "straight line speeds a scan up.",
        drawing.zigzag,
        (
            _size(64),
            _whole("amplitude", "Amplitude", "Height of the teeth in cells.", 3, 1, 64),
        ),
    ),
    Pattern(
        "noise",
        "Noise",
        "Random squares: the density decides how many components there are, the granularity how "
        "large they are.",
        drawing.noise,
        (
            _WIDTH,
            _HEIGHT,
            PatternParameter(
                "density", "Density", "Probability of foreground.", 0.5, 0.0, 1.0, float
            ),
            _whole("granularity", "Granularity", "Side of a square in cells.", 1, 1, MAX_SIDE),
            _SEED,
        ),
    ),
    Pattern(
        "checkerboard",
        "Checkerboard",
        "Squares that meet at corners alone: as many components as there can be with connectivity "
        "4, and one with 8.",
        drawing.checkerboard,
        (_WIDTH, _HEIGHT, _whole("cell", "Cell", "Side of a square in cells.", 1, 1, MAX_SIDE)),
    ),
    Pattern(
        "comb",
        "Comb",
        "Teeth that only a spine along the bottom joins: every tooth has a root of its own until "
        "the last row merges them all.",
        drawing.comb,
        (
            _WIDTH,
            _HEIGHT,
            _whole("tooth", "Tooth", "Width of a tooth in cells.", 1, 1, MAX_SIDE),
            _whole("gap", "Gap", "Cells between two teeth.", 1, 1, MAX_SIDE),
        ),
    ),
    Pattern(
        "rings",
        "Concentric rings",
        "Rectangular rings, one inside the other: components that enclose each other and never "
        "touch.",
        drawing.rings,
        (
            _WIDTH,
            _HEIGHT,
            _whole("thickness", "Thickness", "Thickness of a ring in cells.", 1, 1, MAX_SIDE),
            _whole("gap", "Gap", "Cells between two rings.", 1, 1, MAX_SIDE),
        ),
    ),
    Pattern(
        "discs",
        "Discs",
        "Discs at random places, some of which overlap: compact components as in pictures of cells "
        "or grains.",
        drawing.discs,
        (
            _WIDTH,
            _HEIGHT,
            _whole("count", "Count", "Number of discs.", 12, 0, 100_000),
            _whole("radius", "Radius", "Radius in cells.", 6, 0, 1024),
            _SEED,
        ),
    ),
    Pattern("empty", "Empty", "Background alone, to draw on.", drawing.empty, (_WIDTH, _HEIGHT)),
    Pattern(
        "full",
        "Full",
        "Foreground alone: the largest component that fits.",
        drawing.full,
        (_WIDTH, _HEIGHT),
    ),
)

PATTERNS: Mapping[str, Pattern] = MappingProxyType({pattern.key: pattern for pattern in _TABLE})
"""All patterns by key, in the order in which they are shown."""
