"""The data of a run for a page: steps in words and numbers, labels, and their colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import LabelLayout, LaunchStructure, PartKind
from ccl_viewer.export.page_packing import PayloadRange, PayloadWriter
from ccl_viewer.export.page_source import Sources
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.metrics import find_wrong_at_end
from ccl_viewer.render.facts import (
    SEPARATOR,
    FactCounter,
    Facts,
    algorithm_title,
    explain,
    run_totals,
    step_caption,
)
from ccl_viewer.render.geometry import (
    group_structures,
    run_boxes,
    smallest_side,
    structure_line_styles,
    structure_lines,
    structure_name,
)
from ccl_viewer.render.layers import COUNTED, TILES
from ccl_viewer.render.pace import SHORT_RUN, new_caption_length, seconds_per_step
from ccl_viewer.render.palette import colour_run
from ccl_viewer.render.themes import DARK, canvas_colours, stage_colour
from ccl_viewer.support.units import duration

MAX_LABELS: Final = 1 << 26
"""Most cells times steps on a page, which a browser unpacks in a few seconds."""

_MAX_PARTS: Final = 20_000

OnEach = Callable[[int, int], None]
"""Called with the number of steps packed, and of all; may raise to stop the work."""


@dataclass(frozen=True, eq=False)
class PageRun:
    """A run as a page shows it.

    Parameters
    ----------
    recording : Recording
        The run.
    steps : tuple of int
        Its steps to show, from 0, in rising order.
    note : str
        A note about the choice of steps; may be empty.
    total : bool or None
        Whether the packed counts of memory accesses are those of all steps so far, or each step's;
        None packs none.
    timed : bool
        Whether the times of its steps are shown.
    """

    recording: Recording
    steps: tuple[int, ...]
    note: str = ""
    total: bool | None = None
    timed: bool = True


def make_page_run(recording: Recording) -> PageRun:
    """Return a recording with all its steps."""
    return PageRun(recording, tuple(range(len(recording))))


def check_page_size(run: PageRun) -> None:
    """Raise if a run is too large for a page.

    Raises
    ------
    InputError
        If it is too large, or has no steps.
    """
    height, width = run.recording.image.shape
    if not run.steps:
        raise InputError("There is no step to show: the recording is empty.")
    if height * width * len(run.steps) > MAX_LABELS:
        most = MAX_LABELS // (height * width)
        if not most:
            raise InputError(
                f"A grid of {width} x {height} cells is too large for a page: export a smaller one."
            )
        raise InputError(
            f"A page can hold at most {most:,} steps of {width} x {height} cells, not "
            f"{len(run.steps):,}: choose fewer steps."
        )


def pack_run(
    run: PageRun, crate: PayloadWriter, sources: Sources, on_each: OnEach | None = None
) -> dict[str, Any]:
    """Pack a run and return its description.

    Parameters
    ----------
    run : PageRun
        The run, with a size that was checked.
    crate : PayloadWriter
        The packer of arrays.
    sources : Sources
        The collection of sources.
    on_each : callable or None
        Called after each step.

    Returns
    -------
    dict
        For JSON, as the page's script expects it.
    """
    recording, layout = run.recording, run.recording.layout
    colouring = colour_run(recording)
    structures, wrong = _Structures(recording), find_wrong_at_end(recording)
    height, width = recording.image.shape
    steps = list(_steps(run, sources, structures, on_each))
    return {
        "algorithm": algorithm_title(recording.algorithm),
        "citation": _citation(recording.algorithm),
        "setting": step_caption(recording, run.steps[0]).setting,
        "sentence": recording.sentence,
        "totals": SEPARATOR.join(run_totals(recording, timed=run.timed)),
        "standing": _standing(recording),
        "fault": _fault_cell(recording),
        "note": run.note,
        "width": width,
        "height": height,
        "recorded": len(recording),
        "multivalued": recording.multivalued,
        "layout": _layout(layout),
        "image": crate.add_bytes(recording.image),
        "components": crate.add_numbers(colouring.components),
        "componentColours": crate.add_bytes(colouring.component_colours),
        "colours": crate.add_bytes(colouring.colours),
        "wrong": None if wrong is None else crate.add_bytes(wrong.view(np.uint8)),
        "labels": crate.add_frames(_labels(run)),
        "layers": {
            name: crate.add_frames(_layer(run, name))
            for name in recording.layers
            if _fits(_layer(run, name))
        },
        "counts": _counts(run, crate),
        "references": recording.references,
        "structures": structures.described,
        "steps": steps,
        "seconds": step_seconds([recording.step(index) for index in run.steps]),
    }


def step_seconds(steps: Sequence[Step]) -> list[float]:
    """Return the seconds that each of these steps is shown, as in the window."""
    count = len(steps)
    read = [new_caption_length(steps, index) if count <= SHORT_RUN else 0 for index in range(count)]
    return [round(seconds_per_step(count, length), 3) for length in read]


def _labels(run: PageRun) -> Iterator[npt.NDArray[np.int32]]:
    """Return the labels before the first shown step, and after each shown step."""
    recording, first = run.recording, run.steps[0]
    background = np.int32(recording.layout.background)
    yield recording.labels(first - 1) if first else np.full(recording.image.shape, background)
    for step in run.steps:
        yield recording.labels(step)


def _layer(run: PageRun, name: str) -> Iterator[npt.NDArray[Any]]:
    """Return an array as :func:`_labels` does; before the very first step, it is unknown."""
    for step in (max(run.steps[0] - 1, 0), *run.steps):
        yield run.recording.layer(name, step)


def _counts(run: PageRun, crate: PayloadWriter) -> dict[str, PayloadRange]:
    """Pack the memory accesses per cell of each step, or of all steps up to it."""
    recording, total = run.recording, run.total
    if total is None or not recording.has_counts:
        return {}
    nothing = np.zeros(recording.image.shape, np.int32)
    return {
        kind: crate.add_frames(
            chain(
                [nothing],
                (recording.counts(step, kind, total=total) for step in run.steps),
            )
        )
        for kind in COUNTED
    }


def _fits(frames: Iterator[npt.NDArray[Any]]) -> bool:
    """Whether numbers can be packed in 32 bits."""
    limits = np.iinfo(np.int32)
    return all(limits.min <= frame.min() and frame.max() <= limits.max for frame in frames)


def _steps(
    run: PageRun, sources: Sources, structures: _Structures, on_each: OnEach | None
) -> Iterator[dict[str, Any]]:
    recording = run.recording
    for done, (index, facts) in enumerate(zip(run.steps, _facts(run), strict=True)):
        step = recording.step(index)
        time = duration(step.milliseconds, "", emulated=recording.emulated)
        yield {
            "index": index,
            "stage": step.stage.value,
            "colour": stage_colour(step.stage_level),
            "kernel": step.kernel,
            "paper": step.paper,
            "iteration": step.iteration,
            "level": step.level,
            "caption": step.caption,
            "explanation": explain(facts),
            "time": time if run.timed else "",
            "changed": facts.changed,
            "roots": facts.roots,
            "wrong": facts.wrong,
            "grid": step.grid,
            "block": step.block,
            "arguments": [[one.name, one.type, one.value] for one in step.arguments],
            "macros": step.macros,
            "program": sources.add_program(step),
            "lines": sources.find_kernel_lines(step),
            "structures": structures.of(step),
        }
        if on_each is not None:
            on_each(done + 1, len(run.steps))


def _facts(run: PageRun) -> Iterator[Facts]:
    """Return what happened between consecutive shown steps."""
    counter, before = FactCounter(run.recording), run.steps[0] - 1
    for index in run.steps:
        yield counter.between(before, index)
        before = index


class _Structures:
    """The divisions of the grid that steps of a run make, each once."""

    def __init__(self, recording: Recording) -> None:
        self.described: list[dict[str, Any]] = []
        self._recording = recording
        self._places: dict[LaunchStructure, int] = {}

    def of(self, step: Step) -> list[list[int]]:
        """Return number and rank of each division of a step, and 1 for tiles."""
        return [
            [self._place(group[0]), rank, int(any(one.part in TILES for one in group))]
            for group, rank in group_structures(step.structures)
        ]

    def _place(self, structure: LaunchStructure) -> int:
        if structure not in self._places:
            self._places[structure] = len(self.described)
            self.described.append(self._describe(structure))
        return self._places[structure]

    def _describe(self, structure: LaunchStructure) -> dict[str, Any]:
        layout, image = self._recording.layout, self._recording.image
        whole = (0, 0, layout.width, layout.height)
        runs = structure.part is PartKind.RUN
        if runs:
            parts = run_boxes(image, structure, layout, whole)
        else:
            parts = structure_lines(structure, layout, whole)
        drawn = parts if len(parts) <= _MAX_PARTS else parts[:0]
        line = structure_line_styles(structure.part, math.inf, 0, 1.0, canvas_colours(DARK))[-1]
        return {
            "text": structure_name(structure),
            "runs": runs,
            "parts": drawn.reshape(-1).tolist(),
            "side": smallest_side(structure, layout),
            "width": line.width,
            "dash": [length / line.width for length in line.dash],
        }


def _layout(layout: LabelLayout) -> dict[str, int]:
    return {
        "pitch": layout.pitch,
        "margin": layout.margin,
        "origin": layout.origin,
        "background": layout.background,
    }


def _citation(key: str) -> str:
    try:
        return find_algorithm(key).citation
    except InputError:
        return ""


def _fault_cell(recording: Recording) -> int | None:
    """Return the cell at which the last step failed, as ``y * width + x``."""
    if recording.fault is None or recording.fault.cell is None:
        return None
    x, y = recording.fault.cell
    return y * recording.layout.width + x


def _standing(recording: Recording) -> str:
    verdict = recording.verdict
    if verdict is not None and not verdict.correct:
        return "error"
    return "ok" if verdict is not None and recording.converged else "warning"
