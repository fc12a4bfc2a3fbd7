"""Fills placeholders in texts with figures of a recording."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from ccl_viewer.errors import InputError
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.faults import did_you_mean
from ccl_viewer.lessons.figures import CELL_FIGURES, RUN_FIGURES, STEP_FIGURES, Figure, layer_value
from ccl_viewer.recording import Recording

RunStep: TypeAlias = tuple[Recording, int]
"""A run, and the step on display, from 0 or backwards from -1."""

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAMED = re.compile(
    r"(?:(?P<other>\w{1,40})\.)?(?P<name>[a-z_]{1,99})"
    r"(?::(?P<x>\d{1,9}),\s*(?P<y>\d{1,9}))?(?:@(?P<step>-?\d{1,9}))?"
)


def fill(text: str, here: RunStep, elsewhere: Callable[[str], RunStep] | None = None) -> str:
    """Fill the placeholders of a text.

    Parameters
    ----------
    text : str
        ``{NAME}`` is a figure of the step on display, ``{NAME:X,Y}`` of a cell after it;
        ``{NAME@STEP}`` refers to another step of the run, ``{SCENE.NAME}`` to another scene,
        counted from 1, ``{KEY.NAME}`` to another run of a comparison. Double braces are literal
        braces.
    here : tuple of Recording and int
        The run and the step on display.
    elsewhere : callable or None
        Returns the run and the step of a scene, by its number from 1, or of an algorithm's key.

    Raises
    ------
    InputError
        If a placeholder names nothing known, or the run has no such figure.
    """

    def filled(match: re.Match[str]) -> str:
        if match.group() in ("{{", "}}"):
            return match.group()[0]
        if match[1] is None:
            raise InputError(f"A single {match.group()} has no meaning: double it, or close it.")
        figure = _find_figure(match[1].strip(), here, elsewhere)
        return f"{figure:,}" if isinstance(figure, int) else figure

    return _PLACE.sub(filled, text)


def _find_figure(
    text: str, run_step: RunStep, elsewhere: Callable[[str], RunStep] | None
) -> Figure:
    named = _NAMED.fullmatch(text)
    if named is None:
        raise InputError(
            f"{{{text}}} names no figure: write such as {{roots}}, {{label:3,4}} or {{changed@2}}."
        )
    recording, step = run_step
    if named["other"] is not None:
        if elsewhere is None:
            raise InputError(f"{{{text}}} names another scene, which cannot be seen from here.")
        recording, step = elsewhere(named["other"])
    if named["step"] is not None:
        step = int(named["step"])
    index = recording.step(step).index
    if named["x"] is None:
        return _compute_step_figure(named["name"], recording, index)
    return _compute_cell_figure(named["name"], recording, index, (int(named["x"]), int(named["y"])))


def _compute_step_figure(name: str, recording: Recording, step: int) -> Figure:
    if name in RUN_FIGURES:
        return RUN_FIGURES[name](recording)
    if name in STEP_FIGURES:
        return STEP_FIGURES[name](recording, step)
    if name in CELL_FIGURES or name in recording.layers:
        raise InputError(f"{{{name}}} needs a cell: write {{{name}:X,Y}}.")
    names = (*RUN_FIGURES, *STEP_FIGURES, *CELL_FIGURES, *recording.layers)
    raise InputError(f"There is no figure {{{name}}}: {did_you_mean(name, names)}")


def _compute_cell_figure(name: str, recording: Recording, step: int, cell: Cell) -> Figure:
    height, width = recording.image.shape
    if cell[0] >= width or cell[1] >= height:
        raise InputError(
            f"{{{name}:{cell[0]},{cell[1]}}} is outside the grid of {width} x {height} cells."
        )
    if name in CELL_FIGURES:
        return CELL_FIGURES[name](recording, step, cell)
    if name in recording.layers:
        return layer_value(recording, step, name, cell)
    if name in RUN_FIGURES or name in STEP_FIGURES:
        raise InputError(f"{{{name}}} takes no cell: leave the cell out.")
    names = (*CELL_FIGURES, *recording.layers)
    raise InputError(f"There is no figure {{{name}:X,Y}}: {did_you_mean(name, names)}")
