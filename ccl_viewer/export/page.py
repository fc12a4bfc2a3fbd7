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
from ccl_viewer.export.page_comparison import PageComparison
from ccl_viewer.export.page_packing import PayloadWriter
from ccl_viewer.export.page_runs import OnEach, PageRun, check_page_size, pack_run
from ccl_viewer.export.page_source import Sources
from ccl_viewer.render import geometry
from ccl_viewer.render.layers import COLOURS_MEAN, DIFFERENCE, SWITCHES, Layers, LayerSwitch
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
    STAGE_PATHS,
    THEMES,
    CanvasTheme,
    canvas_colours,
    ink_over,
)
from ccl_viewer.storage.resources import assets_folder
from ccl_viewer.support.label_colours import Rgb

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
"""The files of the page's script, in order; they share one scope."""

PANE_SCRIPTS: Final = (
    "moments.js",
    "pane_difference.js",
    "pane_boards.js",
    "pane_timeline.js",
    "pane_parts.js",
    "pane_texts.js",
    "pane_player.js",
)
"""Further files for a page that plays runs side by side."""

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
    "dotsShare": geometry.DOTS_SHARE,
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
    "firstColour": FIRST_COLOUR,
    "hues": len(HUES),
    "dot": geometry.DOT,
    "dotOf": {FIRST_DOTTED + place: dot for place, dot in enumerate(DOTS)},
    "firstDepth": FIRST_DEPTH,
    "deepest": DEEPEST,
    "firstCount": FIRST_COUNT,
    "countShades": COUNT_SHADES,
}
"""Limits for the page's script: sizes of cells in pixels, and of grids in cells."""

_PLACE = re.compile(r"\{\{(\w+)(?::([\w-]+))?\}\}")


@dataclass(frozen=True, eq=False)
class Page:
    """The contents of a page.

    Parameters
    ----------
    title : str
        Title, as plain text.
    runs : sequence of PageRun
        The runs. A page of several has scenes that say when each is shown, or is a comparison.
    layers : Layers
        What is drawn initially.
    pin : tuple of int or None
        Column and row of a cell of the initially pinned component.
    follow : sequence of (int, int)
        Columns and rows of cells with initially drawn paths to their roots.
    theme : str
        ``"dark"``, ``"light"``, or ``"auto"`` for the theme of the reader's system.
    caption : bool
        Whether a caption says what each step does.
    scenes : sequence of mapping
        Chapters, as the page's script reads them; empty for a recording.
    passages : mapping of str to str
        Safe HTML of the scenes' texts, by the names that scenes use.
    comparison : PageComparison or None
        How the runs are aligned; None shows one at a time.
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
    comparison: PageComparison | None = None


def page_html(page: Page, on_each: OnEach | None = None) -> str:
    """Return a page as HTML; the same page gives the same text.

    Parameters
    ----------
    page : Page
        The contents.
    on_each : callable or None
        Called after each step; may raise to stop the work.

    Raises
    ------
    InputError
        If a run is too large for a page, or has no steps.
    """
    for run in page.runs:
        check_page_size(run)
    style, script = _style(page), _script(page)
    values = {
        "title": escape(page.title),
        "policy": _policy(script, style),
        "style": style,
        "script": script,
        "data": _data(page, on_each),
        "switches": "\n".join(_button(name, switch) for name, switch in _switches(page).items()),
        "panes": "" if page.comparison is None else _fill(_asset("panes.html"), {}),
        "passages": "".join(
            f'<template id="{escape(name)}">{html}</template>'
            for name, html in page.passages.items()
        ),
    }
    return _fill(_asset("player.html"), values)


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Fill the placeholders in double braces with icons and values."""

    def filled(place: re.Match[str]) -> str:
        name, argument = place.groups()
        return _icon(argument) if name == "icon" else values[name]

    return _PLACE.sub(filled, text)


def _data(page: Page, on_each: OnEach | None) -> str:
    crate, sources = PayloadWriter(max(run.recording.image.size for run in page.runs)), Sources()
    told = _split_progress(page.runs, on_each)
    runs = [pack_run(run, crate, sources, tell) for run, tell in zip(page.runs, told, strict=True)]
    comparison = {} if page.comparison is None else {"comparison": page.comparison.as_json}
    return crate.close(
        {
            **comparison,
            "title": page.title,
            "runs": runs,
            "scenes": list(page.scenes),
            "layers": _layer_values(page.layers),
            "pin": page.pin,
            "follow": list(page.follow),
            "theme": page.theme,
            "caption": page.caption,
            # A comparison has room only for grids, so sources would only add size.
            "files": sources.files if page.comparison is None else [],
            "programs": sources.programs,
            "colourings": dict(COLOURS_MEAN),
            "palettes": {name: _palette(theme) for name, theme in THEMES.items()},
            "stages": {stage.value: path for stage, path in STAGE_PATHS.items()},
        }
    )


def _split_progress(runs: Sequence[PageRun], on_each: OnEach | None) -> Iterator[OnEach | None]:
    """Yield the steps' progress callbacks of each run, which count across all runs."""
    total, before = sum(len(run.steps) for run in runs), 0
    for run in runs:
        yield None if on_each is None else partial(_report_progress, on_each, before, total)
        before += len(run.steps)


def _report_progress(on_each: OnEach, before: int, total: int, done: int, _count: int) -> None:
    on_each(before + done, total)


def _layer_values(layers: Layers) -> dict[str, str | bool | float]:
    """Return layers by their names, for JSON."""
    return {
        name: str(value) if isinstance(value, str) else value
        for name, value in vars(layers).items()
    }


def _palette(theme: CanvasTheme) -> dict[str, Any]:
    """Return the colours of palette indices, and of text over them."""
    table = canvas_colours(theme).rgb_table[: FIRST_COUNT + COUNT_SHADES].tolist()
    colours: list[Rgb] = [(red, green, blue) for red, green, blue in table]
    return {
        "cells": [_hex(colour) for colour in colours],
        "inks": [_hex(ink_over(colour)) for colour in colours],
    }


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _style(page: Page) -> str:
    return _asset("player.css") + ("" if page.comparison is None else _asset("panes.css"))


def _script(page: Page) -> str:
    """Return the whole script, with its parts in one scope."""
    names = SCRIPTS if page.comparison is None else (*SCRIPTS, *PANE_SCRIPTS)
    player = "Player" if page.comparison is None else "PanePlayer"
    parts = "\n".join(_asset(name) for name in names)
    sizes = f"const SIZES = {json.dumps(SIZES)};"
    layers = f"const LAYERS = {json.dumps(_layer_rows(page))};"
    return f'"use strict";\n(() => {{\n{sizes}\n{layers}\n{parts}\nstart({player});\n}})();'


def _switches(page: Page) -> dict[str, LayerSwitch]:
    """Return the layers that have a button on a page, in the order of buttons."""
    switches = {name: switch for name, switch in SWITCHES.items() if switch.page_key}
    return switches if page.comparison is None else {**switches, "difference": DIFFERENCE}


def _button(name: str, switch: LayerSwitch) -> str:
    return (
        f'<button type="button" class="flat" data-layer="{name}" aria-label="{switch.name}" '
        f'title="{switch.tip} ({switch.page_key})">{_icon(switch.icon or name)}</button>'
    )


def _layer_rows(page: Page) -> list[dict[str, Any]]:
    """Return key and legend of each layer, for the page's script."""
    return [
        {
            "name": name,
            "key": switch.page_key,
            "tip": switch.tip,
            "legend": [
                {
                    "text": line.text,
                    "sample": line.sample,
                    "smallest": line.smallest,
                    "small": line.small,
                }
                for line in switch.legend
            ],
        }
        for name, switch in _switches(page).items()
    ]


def _policy(script: str, style: str) -> str:
    """Return the content security policy: this script, this style, and no loading."""
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
    """Return a script or style of a page as a content security policy names it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return (assets_folder() / "page" / name).read_text("utf-8")


def _icon(name: str) -> str:
    """Return an icon for inlining in the page."""
    text = (assets_folder() / "icons" / f"{name}.svg").read_text("utf-8").strip()
    return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
