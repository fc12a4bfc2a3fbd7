"""Grids by name, as a user types it: a file, or ``pattern:NAME?key=value&...``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.grids.files import Loaded, load_image, load_segments
from ccl_viewer.grids.grid import DEFAULT_PIXELS
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.pattern_type import Pattern, Value, closest_name_hint
from ccl_viewer.grids.picture_selector import PictureSelector
from ccl_viewer.grids.thresholds import Threshold

_PREFIX = "pattern:"
_TIMES = "\N{MULTIPLICATION SIGN}"


def is_pattern(spec: str) -> bool:
    """Return whether a text names a pattern, not a file."""
    return spec.startswith(_PREFIX)


def is_multivalued_pattern(spec: str) -> bool:
    """Return whether a text names a pattern of segments.

    False for unknown or malformed names: opening them says what is wrong.
    """
    try:
        return is_pattern(spec) and parse_pattern(spec)[0].multivalued
    except InputError:
        return False


def open_grid(
    spec: str,
    threshold: Threshold = "otsu",
    *,
    invert: bool = False,
    max_pixels: int = DEFAULT_PIXELS,
    index: int | Sequence[int] | None = None,
    channel: int | None = None,
) -> Loaded:
    """Make the grid that a text names.

    Parameters
    ----------
    spec : str
        A path, or ``pattern:NAME?key=value&...``, for example ``pattern:spiral?size=255``.
    threshold : float, "otsu" or None
        How grey values are divided, as for :func:`~ccl_viewer.grids.files.load_image`; patterns
        have none, and all values but 0 are foreground.
    invert : bool
        Exchange foreground and background.
    max_pixels : int
        Most pixels to read of a file.
    index, channel
        Which picture of a file that holds several, as for
        :func:`~ccl_viewer.grids.files.load_image`.

    Returns
    -------
    Loaded
        The grid and how it was made.

    Raises
    ------
    InputError
        If there is no such file or pattern, or it cannot be used as given.
    """
    if not is_pattern(spec):
        return load_image(
            Path(spec),
            threshold,
            invert=invert,
            max_pixels=max_pixels,
            index=index,
            channel=channel,
        )
    PictureSelector.of(index, channel).check_alone("A pattern")
    pattern, values = parse_pattern(spec)
    grid = pattern.make(**values)
    if pattern.multivalued:
        grid = (grid != 0).astype(np.uint8)
    note = f"{pattern.title}."
    if invert:
        grid = grid ^ np.uint8(1)
        note += " Foreground and background were exchanged."
    return Loaded(grid, format_pattern(pattern.key, values), None, note)


def open_segments(
    spec: str,
    max_pixels: int = DEFAULT_PIXELS,
    *,
    index: int | Sequence[int] | None = None,
    channel: int | None = None,
) -> Loaded:
    """Make the multi-valued grid that a text names.

    Parameters
    ----------
    spec : str
        As for :func:`open_grid`. Most patterns have the values 0 and 1.
    max_pixels : int
        Most pixels to read of a file.
    index, channel
        As for :func:`open_grid`.

    Returns
    -------
    Loaded
        The grid, as :func:`~ccl_viewer.grids.files.load_segments` returns it.

    Raises
    ------
    InputError
        If there is no such file or pattern, or it cannot be used as given.
    """
    if not is_pattern(spec):
        return load_segments(Path(spec), max_pixels, index=index, channel=channel)
    PictureSelector.of(index, channel).check_alone("A pattern")
    pattern, values = parse_pattern(spec)
    source = format_pattern(pattern.key, values)
    return Loaded(pattern.make(**values), source, None, f"{pattern.title}.", multivalued=True)


def parse_pattern(spec: str) -> tuple[Pattern, dict[str, Value]]:
    """Read a pattern and the values given to it.

    Parameters
    ----------
    spec : str
        ``pattern:NAME?key=value&...``.

    Returns
    -------
    pattern : Pattern
        The row of the table.
    values : dict
        The parameters that were given, checked.

    Raises
    ------
    InputError
        If there is no such pattern or parameter, or a value is not allowed.
    """
    key, _, query = spec.removeprefix(_PREFIX).partition("?")
    pattern = _find_pattern(key)
    values: dict[str, Value] = {}
    for setting in query.split("&") if query else ():
        name, equals, text = setting.partition("=")
        if not equals:
            raise InputError(
                f"{setting!r} in {spec!r} sets nothing: write pattern:{key}?key=value&key=value."
            )
        if name in values:
            raise InputError(f"The parameter {name!r} is given twice in {spec!r}: give it once.")
        values[name] = pattern.parameter(name).parse(unquote(text))
    return pattern, values


def format_pattern(key: str, values: Mapping[str, object] | None = None) -> str:
    """Write a pattern and its values as :func:`open_grid` reads them.

    Parameters
    ----------
    key : str
        Key of the pattern.
    values : mapping or None
        Values by parameter name; those left out keep their defaults.

    Returns
    -------
    str
        For example ``pattern:noise?width=64&density=0.5``, in the order of the table.

    Raises
    ------
    InputError
        If there is no such pattern or parameter, or a value is not allowed.
    """
    chosen = values or {}
    complete = _find_pattern(key).complete(chosen)
    settings = "&".join(
        f"{name}={_format_value(value)}" for name, value in complete.items() if name in chosen
    )
    return f"{_PREFIX}{key}?{settings}" if settings else f"{_PREFIX}{key}"


def describe_pattern(spec: str) -> str:
    """Return a pattern and the values given to it, as shown to the user.

    Parameters
    ----------
    spec : str
        ``pattern:NAME?key=value&...``.

    Returns
    -------
    str
        The title, width and height, and other values: ``Noise 64 x 48, density 0.5``.

    Raises
    ------
    InputError
        As :func:`parse_pattern`.
    """
    pattern, values = parse_pattern(spec)
    size = ""
    if {"width", "height"} <= values.keys():
        size = f" {values.pop('width')} {_TIMES} {values.pop('height')}"
    others = (f"{name.replace('_', ' ')} {value}" for name, value in values.items())
    return ", ".join((f"{pattern.title}{size}", *others))


def _format_value(value: Value) -> str:
    return quote(value, safe="") if isinstance(value, str) else repr(value)


def _find_pattern(key: str) -> Pattern:
    if key not in PATTERNS:
        raise InputError(
            f"There is no pattern {key!r}{closest_name_hint(key, PATTERNS)}; there are "
            f"{', '.join(PATTERNS)}."
        )
    return PATTERNS[key]
