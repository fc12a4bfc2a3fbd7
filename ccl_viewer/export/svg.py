"""A step as vectors: cells, numbers, arrows and boundaries for papers and slides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from ccl_viewer.export.job import ExportJob
from ccl_viewer.export.svg_layers import tile_shapes
from ccl_viewer.export.vectors import element, escape, text
from ccl_viewer.recording.together import Stops
from ccl_viewer.render.inks import LEVELS, Ink
from ccl_viewer.render.strip import BAR, GAP, Row, Strip
from ccl_viewer.render.text import ascent

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_FONT: Final = "Helvetica, Arial, sans-serif"


def write_svg(job: ExportJob, path: Path) -> int:
    """Write the last of the chosen steps.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    save_svg(job, job.frames[-1], path)
    return 1


def save_svg(job: ExportJob, steps: Stops, path: Path) -> None:
    """Write one picture.

    Parameters
    ----------
    job : ExportJob
        How it looks.
    steps : tuple of int
        The step of each recording.
    path : Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    width, height = job.renderer.size
    attributes = {
        "xmlns": _NAMESPACE,
        "width": width,
        "height": height,
        "viewBox": f"0 0 {width} {height}",
        "font_family": _FONT,
    }
    content = "\n".join(["", *_content(job, steps), ""])
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n{element("svg", attributes, content)}\n',
        encoding="utf-8",
    )


def _content(job: ExportJob, steps: Stops) -> Iterator[str]:
    renderer = job.renderer
    colours = _colours(renderer.palette)
    titles = (
        f"{run.algorithm}, step {step + 1}" for run, step in zip(job.recordings, steps, strict=True)
    )
    yield element("title", {}, escape("; ".join(titles), quote=False))
    yield element("rect", {"width": "100%", "height": "100%", "fill": colours[renderer.canvas]})
    for spot, tile, step in zip(renderer.spots, renderer.tiles, steps, strict=True):
        shapes = "\n".join(tile_shapes(tile, step, colours))
        place = f"translate({spot.left} {spot.top})" if spot.left or spot.top else ""
        yield element("g", {"transform": place}, f"\n{shapes}\n")
    for spot, strip, step in zip(renderer.spots, renderer.strips, steps, strict=False):
        shapes = "\n".join(_caption(strip, step, colours))
        yield element("g", {"transform": f"translate({spot.side} {spot.below})"}, f"\n{shapes}\n")


def _caption(strip: Strip, step: int, colours: list[str]) -> Iterator[str]:
    palette = strip.palette
    bar = {"y": GAP, "width": strip.width, "height": BAR}
    yield element("rect", {**bar, "fill": colours[palette.ink(Ink.DIM) + LEVELS // 4]})
    done = round(strip.width * (step + 1) / len(strip.recording))
    yield element("rect", {**bar, "width": done, "fill": colours[palette.accent]})
    top = 2 * GAP + BAR
    for row in strip.rows(step):
        yield from _line(row, top, strip, colours)
        top += row.height


def _line(row: Row, top: int, strip: Strip, colours: list[str]) -> Iterator[str]:
    base = top + ascent(row.size)
    ink = colours[strip.palette.ink(row.ink) + LEVELS - 1]
    yield text(row.text, 0, base, font_size=row.size, fill=ink)
    if row.right is not None:
        words, size = row.right
        dim = colours[strip.palette.ink(Ink.DIM) + LEVELS - 1]
        yield text(words, strip.width, base, font_size=size, fill=dim, text_anchor="end")


def _colours(palette: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[str]:
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in palette.tolist()]
