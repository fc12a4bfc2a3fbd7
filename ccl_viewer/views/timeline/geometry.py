"""Where things are on the timeline: steps, pooled pixels, curves and labels, without Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ccl_viewer.session.facts.course import Course
from ccl_viewer.session.playback.transport import Group, Section

Values = npt.NDArray[np.float64]

_LOG_SHARE = 0.1
_NICE = (1, 2, 5)


@dataclass(frozen=True)
class Track:
    """The line of steps, from left to right.

    Parameters
    ----------
    left, width : float
        Where it lies, in pixels.
    count : int
        Steps; 0 if there are none.
    """

    left: float
    width: float
    count: int

    @property
    def pitch(self) -> float:
        """Pixels from one step to the next."""
        return self.width / max(self.count, 1)

    def left_of(self, step: float) -> float:
        """Return where a step begins."""
        return self.left + step * self.pitch

    def centre_of(self, step: int) -> float:
        """Return the middle of a step."""
        return self.left_of(step + 0.5)

    def step_at(self, x: float) -> int:
        """Return the step at a place; beyond the ends, the nearest."""
        share = (x - self.left) / max(self.width, 1)
        return min(max(int(share * self.count), 0), max(self.count - 1, 0))

    def extent(self, section: Section) -> tuple[float, float]:
        """Return where a section begins and ends."""
        return self.left_of(section.start), self.left_of(section.end + 1)


@dataclass(frozen=True)
class Label:
    """A text over a group of steps.

    Parameters
    ----------
    left, right : float
        Where the group lies.
    text : str
        What fits there.
    """

    left: float
    right: float
    text: str


def pooled_codes(codes: npt.NDArray[np.int64], columns: int) -> npt.NDArray[np.int64]:
    """Return the most frequent code of the steps under each pixel.

    Parameters
    ----------
    codes : ndarray of int64, shape (steps,)
        Stages by number; there are at least as many steps as columns.
    columns : int
        Pixels.

    Returns
    -------
    ndarray of int64, shape (columns,)
        Of codes that are equally frequent, the lowest.
    """
    kinds = int(codes.max(initial=0)) + 1
    column = np.arange(codes.size, dtype=np.int64) * columns // codes.size
    counts = np.bincount(column * kinds + codes, minlength=columns * kinds)
    most: npt.NDArray[np.int64] = counts.reshape(columns, kinds).argmax(axis=1)
    return most


def pooled_highest(values: Values, columns: int) -> Values:
    """Return the highest known value of the steps under each pixel; NaN where none is known.

    Parameters
    ----------
    values : ndarray of float64, shape (steps,)
        NaN where they are not known; there are at least as many steps as columns.
    columns : int
        Pixels.
    """
    starts = -(-np.arange(columns, dtype=np.int64) * values.size // columns)
    highest: Values = np.fmax.reduceat(values, starts)
    return highest


def wants_log(values: Values) -> bool:
    """Return whether a logarithmic scale shows more: half the values lie in the lowest tenth."""
    positive = values[values > 0]
    if not positive.size:
        return False
    # Not np.median, which imports masked arrays while this is drawn.
    ordered = np.sort(positive)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return bool(middle < _LOG_SHARE * ordered[-1])


def heights(values: Values, *, log: bool) -> Values:
    """Return the share of the height that each value takes, from 0 to 1; NaN stays NaN."""
    known = values[~np.isnan(values)]
    highest = known.max() if known.size else 0.0
    if not highest:
        return values * 0.0
    shares: Values = np.log1p(values) / np.log1p(highest) if log else values / highest
    return shares


def curve(values: Values, track: Track, top: float, bottom: float) -> list[tuple[float, float]]:
    """Return the points of a curve over the track, pooled to pixels where steps are narrower.

    Parameters
    ----------
    values : ndarray of float64, shape (steps,)
        NaN where they are not known.
    track : Track
        Where the steps are.
    top, bottom : float
        Where the highest value and 0 are, in pixels.
    """
    log = wants_log(values)
    columns = int(track.width)
    if values.size > columns > 0:
        values = pooled_highest(values, columns)
        xs = track.left + np.arange(columns) + 0.5
    else:
        xs = track.left + (np.arange(values.size) + 0.5) * track.pitch
    ys = bottom - (bottom - top) * heights(values, log=log)
    known = ~np.isnan(ys)
    return list(zip(xs[known].tolist(), ys[known].tolist(), strict=True))


def curves_in_words(course: Course) -> str:
    """Return what the curves show, in a few lines."""
    lines = ["Dashed: roots that are left."]
    drawn = [course.roots]
    if not np.isnan(course.wrong).all():
        lines.append("Solid: cells that do not lead to their final root yet (wrong root).")
        drawn.append(course.wrong)
    lines.append("Each curve is as high as its own largest count.")
    if any(wants_log(values) for values in drawn):
        lines.append("Log scale: ten times as many is always as much higher, so that few show too.")
    return "\n".join(lines)


def group_labels(
    groups: Sequence[Group], track: Track, width_of: Callable[[str], float]
) -> Iterator[Label]:
    """Return the labels of iterations and levels for which there is room.

    Where not every number fits, each second, fifth or tenth is shown, and so on.

    Parameters
    ----------
    groups : sequence of Group
        All groups.
    track : Track
        Where the steps are.
    width_of : callable
        Returns the width of a text in pixels.
    """
    named = [group for group in groups if group.iteration is not None or group.level is not None]
    if not named:
        return
    widest = width_of(max((_short(group) for group in named), key=len)) + 6
    narrowest = track.pitch * sum(group.end - group.start + 1 for group in named) / len(named)
    stride = nice_stride(widest / max(narrowest, 1e-9))
    for group in named:
        number = group.iteration or group.level or 0
        if stride > 1 and number % stride:
            continue
        left, right = track.left_of(group.start), track.left_of(group.end + 1)
        full = _full(group)
        fits = right - left >= width_of(full) + 10
        yield Label(left, right, full if fits else _short(group))


def nice_stride(least: float) -> int:
    """Return the least of 1, 2, 5, 10, 20, 50 and so on that is not less."""
    power = 1
    while True:
        for factor in _NICE:
            if factor * power >= least:
                return factor * power
        power *= 10


def _full(group: Group) -> str:
    parts = []
    if group.iteration is not None:
        parts.append(f"iteration {group.iteration:,}")
    if group.level is not None:
        parts.append(f"level {group.level}")
    return ", ".join(parts)


def _short(group: Group) -> str:
    if group.iteration is None:
        return f"L{group.level}"
    return f"{group.iteration:,}" if group.level is None else f"{group.iteration:,} L{group.level}"
