"""How lanes lie so that cells are as large as can be; without a widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

ScaleOf: TypeAlias = Callable[[float, float], float]
"""Returns the size of cells on a canvas of this width and height."""


@dataclass(frozen=True)
class Frame:
    """What lies around the canvases.

    Parameters
    ----------
    gap : float
        Between lanes.
    header, low_header : float
        Height of a header of two lines, and of one line, with what parts it from the canvas.
    least : float
        Width of a lane from which on all of its header can stand in one line.
    """

    gap: float = 0.0
    header: float = 0.0
    low_header: float = 0.0
    least: float = 0.0


@dataclass(frozen=True)
class Places:
    """How lanes lie.

    Parameters
    ----------
    columns : int
        Beside each other, from 1 to all of them.
    low : bool
        Whether headers have one line.
    """

    columns: int
    low: bool = False


def places_of(lanes: int, width: float, height: float, scale_of: ScaleOf, frame: Frame) -> Places:
    """Return how lanes lie with the largest cells.

    Parameters
    ----------
    lanes : int
        How many there are, 1 or more.
    width, height : float
        Room for all of them.
    scale_of : callable
        Returns the size of the cells of a lane.
    frame : Frame
        What lies around the canvases.

    Returns
    -------
    Places
        Of choices that are as good, the one with the fewest places left empty, then one with whole
        headers, and then the one with the most columns.
    """

    def worth(places: Places) -> tuple[float, int, bool, int]:
        columns = places.columns
        rows = -(-lanes // columns)
        across = (width - frame.gap * (columns - 1)) / columns
        down = (height - frame.gap * (rows - 1)) / rows
        if places.low and across < frame.least:
            return 0.0, 0, False, 0
        header = frame.low_header if places.low else frame.header
        scale = scale_of(across, max(down - header, 1.0))
        return scale, lanes - rows * columns, not places.low, columns

    choices = product(range(1, lanes + 1), (False, True))
    return max((Places(*choice) for choice in choices), key=worth)
