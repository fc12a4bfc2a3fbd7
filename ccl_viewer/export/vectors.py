"""Shapes as SVG writes them, as short as can be."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.marks import Placing

_NO_XML: Final = re.compile("[^\t\n\r -\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have, and control characters."""

Points = npt.NDArray[np.float64]


def number(value: float) -> str:
    """Return a number with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def numbers(values: Iterable[float]) -> str:
    """Return numbers with spaces between."""
    return " ".join(map(number, values))


def escape(words: str, *, quote: bool = True) -> str:
    """Return text as XML writes it, with a question mark in place of what it cannot have.

    Parameters
    ----------
    words : str
        The text.
    quote : bool
        Whether it is put between quotes.
    """
    return html.escape(_NO_XML.sub("?", words), quote)


def element(name: str, attributes: Mapping[str, object], content: str | None = None) -> str:
    """Return an element; without content if that is None, which is written as it is given.

    Underscores in the names of attributes stand for hyphens.
    """
    written = "".join(
        f' {key.replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def _text(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def text(words: str, x: float, y: float, **attributes: object) -> str:
    """Return a line of text, whose base is at y."""
    places = {"x": number(x), "y": number(y)}
    return element("text", {**places, **attributes}, escape(words, quote=False))


def squares(mask: npt.NDArray[np.bool_], placing: Placing, inset: float = 0.0) -> str:
    """Return the path of cells, each row's neighbours in one rectangle unless they are inset.

    Parameters
    ----------
    mask : ndarray of bool, shape (height, width)
        Which cells.
    placing : Placing
        Where cells lie.
    inset : float
        How far inside its cell each square lies, in pixels.
    """
    if inset:
        rows, starts = np.nonzero(mask)
        ends = starts + 1
    else:
        steps = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
        rows, starts = np.nonzero(steps == 1)
        _, ends = np.nonzero(steps == -1)
    scale, left, top = placing.scale, placing.left, placing.top
    side = number(scale - 2 * inset)
    pieces = []
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
        width = number((end - start) * scale - 2 * inset)
        corner = numbers((left + start * scale + inset, top + row * scale + inset))
        pieces.append(f"M{corner}h{width}v{side}h-{width}z")
    return "".join(pieces)


def corners(mask: npt.NDArray[np.bool_], placing: Placing, side: int, inset: int) -> str:
    """Return the path of a small square in the upper right corner of each cell.

    Parameters
    ----------
    mask : ndarray of bool, shape (height, width)
        Which cells.
    placing : Placing
        Where cells lie.
    side, inset : int
        Side of a square, and its distance from the cell's edges, in pixels.
    """
    rows, columns = np.nonzero(mask)
    scale = placing.scale
    return "".join(
        f"M{placing.left + (x + 1) * scale - inset - side} {placing.top + y * scale + inset}"
        f"h{side}v{side}h-{side}z"
        for y, x in zip(rows.tolist(), columns.tolist(), strict=True)
    )


def strokes(segments: Points) -> str:
    """Return the path of lines across and down, shape (segments, 4)."""
    return "".join(
        f"M{numbers((x0, y0))}" + (f"H{number(x1)}" if y0 == y1 else f"V{number(y1)}")
        for x0, y0, x1, y1 in segments.tolist()
    )


def bends(curves: Points) -> str:
    """Return the path of quadratic curves, shape (curves, 3, 2)."""
    return "".join(
        f"M{numbers(start)}Q{numbers(control)} {numbers(end)}"
        for start, control, end in curves.tolist()
    )


def triangles(shapes: Points) -> str:
    """Return the path of triangles, shape (triangles, 3, 2)."""
    return "".join(f"M{numbers(a)}L{numbers(b)} {numbers(c)}z" for a, b, c in shapes.tolist())


def rounded(boxes: Points, radius: float) -> str:
    """Return rounded boxes, given as left, top, right and bottom."""
    return "".join(
        element(
            "rect",
            {"x": left, "y": top, "width": right - left, "height": bottom - top, "rx": radius},
        )
        for left, top, right, bottom in boxes.tolist()
    )
