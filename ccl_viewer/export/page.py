"""One self-contained HTML file that plays recordings in any browser, and loads nothing."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any, Final

from ccl_viewer.export.options import AUTO
from ccl_viewer.export.page_lanes import Lanes
from ccl_viewer.export.page_packing import Crate
from ccl_viewer.export.page_runs import OnEach, PageRun, check_size, describe_run
from ccl_viewer.export.page_source import Sources
from ccl_viewer.render import geometry
from ccl_viewer.render.layers import COLOURS_MEAN, Layers
from ccl_viewer.render.scene import DIGIT_WIDTH, LARGEST_NUMBER, SMALLEST_NUMBER
from ccl_viewer.render.step_view import MAX_DOTS
from ccl_viewer.render.themes import (
    COUNT_SHADES,
    DEEPEST,
    DIMMED_SHARE,
    DOTS,
    FIRST_COLOUR,
    FIRST_COUNT,
    FIRST_DEPTH,
    FIRST_DOTTED,
    HUES,
    LIT_SHARE,
    STAGE_PATHS,
    THEMES,
    CanvasTheme,
    canvas_colours,
    ink_over,
)
from ccl_viewer.storage.resources import assets_folder
from ccl_viewer.support.colours import Rgb

SCRIPTS: Final = (
    "unpack.js",
    "run.js",
    "cells.js",
    "board.js",
    "board_layers.js",
    "timeline.js",
    "source.js",
    "words.js",
    "lesson.js",
    "keys.js",
    "panels.js",
    "controls.js",
    "player.js",
)
"""The page's script, in the order of its parts, which share one scope."""

LANE_SCRIPTS: Final = (
    "lane.js",
    "lane_difference.js",
    "lane_boards.js",
    "lane_timeline.js",
    "lane_parts.js",
    "lane_panels.js",
    "lane_player.js",
)
"""What comes after it on a page that plays runs side by side."""

SIZES: Final = {
    "lines": geometry.LINES_FROM,
    "marks": geometry.MARKS_FROM,
    "arrows": geometry.ARROWS_FROM,
    "softContour": geometry.CONTOUR_LINES_FROM,
    "solidContour": geometry.SOLID_CONTOURS_FROM,
    "arrowStart": geometry.ARROW_START,
    "arrowEnd": geometry.ARROW_END,
    "arrowHead": geometry.HEAD,
    "root": geometry.ROOT,
    "dots": geometry.DOTS_BELOW,
    "mostDots": MAX_DOTS,
    "smallestPart": geometry.SMALLEST_PART,
    "haloSide": geometry.HALO_SIDE,
    "changedAlpha": geometry.CHANGED_ALPHA,
    "runInset": geometry.RUN_INSET,
    "runRound": geometry.RUN_ROUND,
    "rim": geometry.RIM,
    "numbers": geometry.NUMBERS_FROM,
    "smallestNumber": SMALLEST_NUMBER,
    "largestNumber": LARGEST_NUMBER,
    "digit": DIGIT_WIDTH,
    "dimmed": DIMMED_SHARE,
    "lit": LIT_SHARE,
    "firstColour": FIRST_COLOUR,
    "hues": len(HUES),
    "dot": geometry.DOT,
    "dotOf": {FIRST_DOTTED + place: dot for place, dot in enumerate(DOTS)},
    "firstDepth": FIRST_DEPTH,
    "deepest": DEEPEST,
    "firstCount": FIRST_COUNT,
    "countShades": COUNT_SHADES,
}
"""What the page's script draws by: from how large cells, in pixels, and how large, in cells."""

_PLACE = re.compile(r"\{\{(\w+)(?::([\w-]+))?\}\}")


@dataclass(frozen=True, eq=False)
class Page:
    """What a page shows.

    Parameters
    ----------
    title : str
        Its title, as plain text.
    runs : sequence of PageRun
        The runs; a page of more than one has scenes that say when each is shown, or lanes.
    layers : Layers
        What is drawn at first.
    pin : tuple of int or None
        Column and row of a cell whose component is pinned at first.
    follow : sequence of (int, int)
        Columns and rows of cells whose paths to their roots are drawn at first.
    theme : str
        ``"dark"``, ``"light"``, or ``"auto"`` for that of the reader's system.
    caption : bool
        Whether a caption says what each step does.
    scenes : sequence of mapping
        Chapters, as the page's script reads them; empty for a recording.
    passages : mapping of str to str
        Safe HTML of the scenes' texts, by the names that scenes have for them.
    lanes : Lanes or None
        How the runs are played side by side; None shows one at a time.
    """

    title: str
    runs: Sequence[PageRun]
    layers: Layers = field(default_factory=Layers)
    pin: tuple[int, int] | None = None
    follow: Sequence[tuple[int, int]] = ()
    theme: str = AUTO
    caption: bool = True
    scenes: Sequence[Mapping[str, Any]] = ()
    passages: Mapping[str, str] = field(default_factory=dict)
    lanes: Lanes | None = None


def page_html(page: Page, on_each: OnEach | None = None) -> str:
    """Return a page as HTML; the same page gives the same text.

    Parameters
    ----------
    page : Page
        What it shows.
    on_each : callable or None
        Told of each step; may raise to stop the work.

    Raises
    ------
    InputError
        If a run is too large for a page, or has no steps.
    """
    for run in page.runs:
        check_size(run)
    style, script = _style(page), _script(page)
    values = {
        "title": escape(page.title),
        "policy": _policy(script, style),
        "style": style,
        "script": script,
        "data": _data(page, on_each),
        "lanes": "" if page.lanes is None else _filled(_asset("lanes.html"), {}),
        "passages": "".join(
            f'<template id="{escape(name)}">{html}</template>'
            for name, html in page.passages.items()
        ),
    }
    return _filled(_asset("player.html"), values)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Fill the places in double braces with icons and values."""

    def filled(place: re.Match[str]) -> str:
        name, argument = place.groups()
        return _icon(argument) if name == "icon" else values[name]

    return _PLACE.sub(filled, text)


def _data(page: Page, on_each: OnEach | None) -> str:
    crate, sources = Crate(max(run.recording.image.size for run in page.runs)), Sources()
    told = _of_all(page.runs, on_each)
    runs = [
        describe_run(run, crate, sources, tell, run.layers or page.layers)
        for run, tell in zip(page.runs, told, strict=True)
    ]
    lanes = {} if page.lanes is None else {"lanes": page.lanes.described}
    return crate.close(
        {
            **lanes,
            "title": page.title,
            "runs": runs,
            "scenes": list(page.scenes),
            "layers": _layer_values(page.layers),
            "pin": page.pin,
            "follow": list(page.follow),
            "theme": page.theme,
            "caption": page.caption,
            # Side by side there is room for grids alone, and sources would be carried in vain.
            "files": sources.files if page.lanes is None else [],
            "programs": sources.programs,
            "colourings": dict(COLOURS_MEAN),
            "palettes": {name: _palette(theme) for name, theme in THEMES.items()},
            "stages": {stage.value: path for stage, path in STAGE_PATHS.items()},
        }
    )


def _of_all(runs: Sequence[PageRun], on_each: OnEach | None) -> Iterator[OnEach | None]:
    """Yield what each run is to tell of its steps, so that those of all runs are counted."""
    total, before = sum(len(run.steps) for run in runs), 0
    for run in runs:
        yield None if on_each is None else partial(_tell, on_each, before, total)
        before += len(run.steps)


def _tell(on_each: OnEach, before: int, total: int, done: int, _count: int) -> None:
    on_each(before + done, total)


def _layer_values(layers: Layers) -> dict[str, str | bool | float]:
    """Return layers by their names, for JSON."""
    return {
        name: str(value) if isinstance(value, str) else value
        for name, value in vars(layers).items()
    }


def _palette(theme: CanvasTheme) -> dict[str, Any]:
    """Return the colours of palette indices, and of text over them."""
    table = canvas_colours(theme).rgb[: FIRST_COUNT + COUNT_SHADES].tolist()
    colours: list[Rgb] = [(red, green, blue) for red, green, blue in table]
    return {
        "cells": [_hex(colour) for colour in colours],
        "inks": [_hex(ink_over(colour)) for colour in colours],
        "lit": "#ffffff" if theme.name == "dark" else "#000000",
    }


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _style(page: Page) -> str:
    return _asset("player.css") + ("" if page.lanes is None else _asset("lanes.css"))


def _script(page: Page) -> str:
    """Return the whole script; its parts share a scope of their own."""
    names = SCRIPTS if page.lanes is None else (*SCRIPTS, *LANE_SCRIPTS)
    player = "Player" if page.lanes is None else "LanePlayer"
    parts = "\n".join(_asset(name) for name in names)
    sizes = f"const SIZES = {json.dumps(SIZES)};"
    return f'"use strict";\n(() => {{\n{sizes}\n{parts}\nstart({player});\n}})();'


def _policy(script: str, style: str) -> str:
    """Return the content security policy: this script, this style, and nothing from anywhere."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {policy_digest(script)}",
            f"style-src {policy_digest(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def policy_digest(text: str) -> str:
    """Return how a content security policy names a script or style of a page."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return (assets_folder() / "page" / name).read_text("utf-8")


def _icon(name: str) -> str:
    """Return an icon as part of the page."""
    text = (assets_folder() / "icons" / f"{name}.svg").read_text("utf-8").strip()
    return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
