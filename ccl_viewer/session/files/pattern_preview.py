"""A pattern made away from the window's thread, as its parameters change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.grids.pattern import Pattern, Value
from ccl_viewer.session.facts.counting import count_components
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest

MOST_CELLS = 1 << 20
"""Larger patterns are not previewed."""


@dataclass(eq=False)
class _MakingWork:
    pattern: Pattern
    values: Mapping[str, Value]
    connectivity: int
    grid: Grid | None = None
    components: int = 0

    def perform(self, job: Job, /) -> None:
        self.grid = self.pattern.make(**self.values)
        self.components = count_components(
            self.grid,
            self.connectivity,
            multivalued=self.pattern.multivalued,
            check=job.cancel.check,
        )


class PatternPreview:
    """Makes patterns, of which the newest counts.

    Attributes
    ----------
    grid : ndarray of uint8, shape (height, width), or None
        The pattern; None while there is none.
    components : int
        How many components it has.
    error : str
        Why there can be none, as a sentence.
    note : str
        Why it is not shown, although there can be one.

    Parameters
    ----------
    runner : Runner
        Runs the work.
    connectivity : int
        4 or 8, for the number of components.
    changed : callable
        Called when there is another pattern, or none.
    """

    def __init__(self, runner: Runner, connectivity: int, changed: Callable[[], object]) -> None:
        self.grid: Grid | None = None
        self.components = 0
        self.error = ""
        self.note = ""
        self._latest = Latest(runner)
        self._connectivity = connectivity
        self._changed = changed
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether a pattern is being made."""
        return self._latest.busy

    def update(self, pattern: Pattern, values: Mapping[str, Value]) -> None:
        """Make a pattern instead of any that is being made."""
        if self._closed:  # a field may still change when it loses the focus with its dialog
            return
        cells = _cells(values)
        if cells > MOST_CELLS:
            self._latest.stop()
            self._show(None, 0, "", note=f"{cells:,} cells: too many for a preview.")
            return
        work = _MakingWork(pattern, values, self._connectivity)
        self._latest.start(
            "Previewing",
            work,
            lambda: self._show(work.grid, work.components, ""),
            self._fail,
        )

    def close(self) -> None:
        """Stop all work, and begin none any more."""
        self._closed = True
        self._latest.stop()

    def _fail(self, error: CCLViewerError) -> None:
        self._show(None, 0, str(error))

    def _show(self, grid: Grid | None, components: int, error: str, note: str = "") -> None:
        self.grid, self.components, self.error, self.note = grid, components, error, note
        self._changed()


def _cells(given: Mapping[str, Value]) -> int:
    """Return how many cells a pattern with these parameters has, as far as they say."""
    values = {name: value for name, value in given.items() if isinstance(value, int)}
    if "width" in values and "height" in values:
        return values["width"] * values["height"]
    if "order" in values:
        side: int = 2 ** (values["order"] + 1)
        return side * side
    letters = len(str(given.get("text", "x")))
    size: int = values.get("size", 1)
    return letters * size * size
