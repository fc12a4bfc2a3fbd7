"""A lesson and its scenes: what to run, which step to show and what to ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from ccl_viewer.algorithms.own import CodeVersion
from ccl_viewer.diagnostics.phases import PhaseBoundary
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.render.layers import COUNTED, CellColours, Layers

COUNT_FIGURES: Final = (
    "loads", "stores", "atomics", "bytes", "coalescing", "bank_turns", "conflict_free",
    "contention", "barriers", "longest_walk", "active_lanes",
)  # fmt: skip
"""Figures that the emulator counts for a launch, or with the prefix ``all_`` for the whole run."""

_COUNTS: Final = re.compile(rf"\{{\s*(?:all_)?(?:{'|'.join(COUNT_FIGURES)})\b")


class QuestionKind(StrEnum):
    """What a question asks; the answer is computed from the recording."""

    NEXT_LABEL = "next-label"
    """Which label will a cell hold after the next step?"""

    MERGED_ROOTS = "merged-roots"
    """Which roots stop being roots in the next step?"""

    ITERATIONS_LEFT = "iterations-left"
    """How many iterations are left, after the one on display?"""

    ROOT = "root"
    """Which cell is the root of a cell's tree?"""

    COMPONENTS = "components"
    """How many components has the grid?"""

    ROOTS_LEFT = "roots-left"
    """How many roots are left after the next step?"""

    CHOICE = "choice"
    """Which of the author's answers is right?"""

    @property
    def needs_cell(self) -> bool:
        """Whether the question is about a cell."""
        return self in {QuestionKind.NEXT_LABEL, QuestionKind.ROOT}

    @property
    def wants_cells(self) -> bool:
        """Whether the answer is cells instead of a number."""
        return self in {QuestionKind.MERGED_ROOTS, QuestionKind.ROOT}


@dataclass(frozen=True)
class Question:
    """A question to the class about the step on display.

    Parameters
    ----------
    kind : QuestionKind
        Kind of the question.
    cell : tuple of (int, int) or None
        The cell that the question is about, for the kinds that need one.
    prompt : str
        The question in the author's words; empty for the usual words of its kind.
    choices : tuple of str
        The answers to choose from; empty for the other kinds.
    right : int or None
        Number of the right choice, from 1; None for the other kinds.
    why : tuple of str
        For each choice, why it is right or wrong. For the other kinds, at most one text, which
        replaces the usual explanation.
    """

    kind: QuestionKind
    cell: Cell | None = None
    prompt: str = ""
    choices: tuple[str, ...] = ()
    right: int | None = None
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """The right answer to a question, from the recording.

    Parameters
    ----------
    cells : tuple of (int, int)
        Columns and rows of the cells to click; empty if the answer is a number.
    number : int or None
        The number to type, or the number of the right choice, from 1; None if the answer is cells.
    why : str
        One or two sentences that explain it, with the numbers of this step.
    hint : str
        Help after a wrong answer; it does not give the answer away.
    reasons : tuple of str
        For each choice, why it is right or wrong; empty without choices.
    """

    cells: tuple[Cell, ...]
    number: int | None
    why: str
    hint: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class SceneLines:
    """Lines of a kernel's source, named by their text, so that edits above do not matter.

    Parameters
    ----------
    start : str
        Part of the first line; no other line contains it.
    end : str
        Part of the last line, the first one after `start` that contains it; empty for one line.
    kernel : str
        The kernel or other function that contains them; empty for the whole file of the step's
        kernel, and its includes.
    """

    start: str
    end: str = ""
    kernel: str = ""


@dataclass(frozen=True)
class ComparedAlgorithm:
    """A run of a comparison: an algorithm with its parameters."""

    algorithm: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)


@dataclass(frozen=True)
class ScenePhase:
    """A phase inside the launch of a scene's step, as a picture beside the words.

    Parameters
    ----------
    by : PhaseBoundary or None
        What ends a phase; None for the most informative kind.
    block : tuple of (int, int)
        Column and row of the block.
    warp : int or None
        The warp of the block to show; None for only its shared memory.
    index : int
        Index of the phase, from 0, or from -1 backwards from the end.
    """

    by: PhaseBoundary | None = None
    block: tuple[int, int] = (0, 0)
    warp: int | None = None
    index: int = 0


class DiagramKind(StrEnum):
    """What a diagram of a launch shows."""

    BANKS = "banks"
    """The banks of shared memory, in one access of a warp."""

    SECTORS = "sectors"
    """The sectors of global memory, in one access of a warp."""

    BITS = "bits"
    """How a lane finds the start of its run in a ballot."""

    WAITING = "waiting"
    """Threads that wait at barriers."""

    ORDER = "order"
    """Who stores and reads one element of shared memory, and when."""


@dataclass(frozen=True)
class SceneDiagram:
    """A diagram of the launch of a scene's step; what a kind does not need is ignored.

    Parameters
    ----------
    of : DiagramKind
        Kind of the diagram.
    block : tuple of (int, int)
        Column and row of the block.
    warp : int
        The warp of the block.
    line : str
        Part of the source line with the accesses; empty for all lines.
    kernel : str
        The kernel or other function that contains the line; empty for the whole file.
    index : int
        Index of the warp's access or ballot, from 0, or from -1 backwards from the end.
    lane : int
        The lane that looks for the start of its run.
    barriers : int
        Number of barriers to show.
    memory : str
        The shared variable of the element.
    element : int
        The element.
    """

    of: DiagramKind
    block: tuple[int, int] = (0, 0)
    warp: int = 0
    line: str = ""
    kernel: str = ""
    index: int = 0
    lane: int = 1
    barriers: int = 1
    memory: str = ""
    element: int = 0


@dataclass(frozen=True)
class Scene:
    """One picture of a lesson.

    Parameters
    ----------
    title : str
        A few words, for the list of chapters.
    caption : str
        What the class reads, in Markdown.
    grid : str
        A pattern (``pattern:NAME?key=value``), or text art: lines of ``#`` and ``.``, or of digits
        for several values.
    algorithm : str
        Key of the algorithm.
    connectivity : int
        4 or 8.
    schedule : str
        Schedule of the emulator. All lessons run on it, so that all readers see the same.
    parameters : mapping
        The algorithm's own parameters.
    multivalued : bool
        Whether only cells of equal non-zero value connect.
    step : int
        The step on display; negative ones count from the end.
    show : mapping
        Layers that differ from the usual ones, by their names.
    highlight : tuple of (int, int)
        Columns and rows of highlighted cells.
    follow : tuple of (int, int)
        Columns and rows of cells with arrows along their paths to the roots.
    pin : tuple of (int, int) or None
        A cell of the pinned component.
    more : str
        Further text that a reader can unfold below the caption, in Markdown.
    notes : str
        What the presenter reads, in Markdown.
    question : Question or None
        The question to the class.
    phase : ScenePhase or None
        A phase of the launch.
    diagram : SceneDiagram or None
        A diagram of the launch, below the caption.
    lines : SceneLines or None
        Source lines to show beside the picture.
    compare : tuple of ComparedAlgorithm
        Two to four runs side by side; the first is the run of the scene. Empty for one run.
    times : str
        The workload for the GPU times in the table of a comparison; empty for no times.
    fastest : tuple of str
        Workloads for a table of the fastest and the slowest run on a GPU.
    """

    title: str
    caption: str
    grid: str
    algorithm: str
    connectivity: int = 4
    schedule: str = "synchronous"
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    multivalued: bool = False
    step: int = -1
    show: Mapping[str, str | bool | float] = field(default_factory=dict)
    highlight: tuple[Cell, ...] = ()
    follow: tuple[Cell, ...] = ()
    pin: Cell | None = None
    more: str = ""
    notes: str = ""
    question: Question | None = None
    phase: ScenePhase | None = None
    diagram: SceneDiagram | None = None
    lines: SceneLines | None = None
    compare: tuple[ComparedAlgorithm, ...] = ()
    times: str = ""
    fastest: tuple[str, ...] = ()

    @property
    def needs_counts(self) -> bool:
        """Whether its run counts memory accesses, because colours, a table or texts need them."""
        question_texts = () if self.question is None else (self.question.prompt, *self.question.why)
        texts = (self.caption, self.more, self.notes, *question_texts)
        return (
            self.layers.colours in COUNTED
            or bool(self.compare)
            or any(_COUNTS.search(text) for text in texts)
        )

    @property
    def picture_shows_trees(self) -> bool:
        """Whether its picture shows trees; if not, texts beside it do not mention roots."""
        layers = self.layers
        followed = bool(self.follow) or layers.arrows
        return followed or layers.colours in {CellColours.TREE, CellColours.DEPTH}

    @property
    def run_scenes(self) -> tuple[Scene, ...]:
        """The scene itself; in a comparison, a scene for each run."""
        if not self.compare:
            return (self,)
        return tuple(
            replace(self, algorithm=run.algorithm, parameters=run.parameters)
            for run in self.compare
        )

    @property
    def layers(self) -> Layers:
        """The layers that are drawn."""
        shown: dict[str, Any] = dict(self.show)
        if "colours" in shown:
            shown["colours"] = CellColours(shown["colours"])
        return replace(Layers(), **shown)


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Parameters
    ----------
    key : str
        Name of its file in ``assets/lessons``, without the suffix.
    title : str
        The title.
    aims : tuple of str
        What the class learns, one sentence each.
    scenes : tuple of Scene
        In the order in which they are shown.
    minutes : int
        How long it takes a reader; 0 if unknown.
    path : Path or None
        Its file, for messages about scenes that cannot be shown; None for a built-in lesson.
    code : tuple of CodeVersion
        The user algorithms beside the file that the scenes use.
    """

    key: str
    title: str
    aims: tuple[str, ...]
    scenes: tuple[Scene, ...]
    minutes: int = 0
    path: Path | None = None
    code: tuple[CodeVersion, ...] = ()
