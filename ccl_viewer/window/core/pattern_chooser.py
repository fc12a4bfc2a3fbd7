"""The pattern chosen in the gallery, and its preview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from psygnal import Signal

from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.grids import Grid
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.pattern_type import Pattern, Value
from ccl_viewer.grids.specs import format_pattern
from ccl_viewer.reference import label_reference
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

_PREVIEWED_CELLS: Final = 1 << 20
"""Larger patterns are not previewed."""

_GROUP: Final = "pattern preview"
_SMALL: Final = {
    "size": 24,
    "width": 24,
    "height": 24,
    "count": 6,
    "radius": 3,
    "grain": 8,
    "order": 4,
    "cell": 3,
}


@dataclass(frozen=True, eq=False)
class PatternPreview:
    """The preview of a pattern: a grid, uint8 of shape (height, width), and its components.

    A note says why a valid pattern is not shown; an error why it cannot be made.
    """

    grid: Grid | None = None
    component_count: int = 0
    note: str = ""
    error: str = ""


class PatternChooser(Model):
    """The pattern chosen in the gallery, with its parameters by name."""

    pattern_changed = Signal()
    values_changed = Signal()
    preview_changed = Signal()

    def __init__(self, tasks: TaskQueue, connectivity: int = 4) -> None:
        super().__init__()
        self.pattern: Pattern = PATTERNS["spiral"]
        self.values: dict[str, Value] = self.pattern.complete({})
        self.preview = PatternPreview()
        self.connectivity = connectivity
        self._tasks = tasks

    @property
    def spec(self) -> str:
        """The choice, as ``pattern:NAME?key=value``."""
        return format_pattern(self.pattern.key, self.values)

    def choose(self, key: str) -> None:
        self.pattern = PATTERNS[key]
        self.values = self.pattern.complete({})
        self._announce(self.pattern_changed, self.values_changed)
        self._update_preview()

    def set_values(self, values: Mapping[str, Value]) -> None:
        self.values = {**self.values, **values}
        self._announce(self.values_changed)
        self._update_preview()

    def close(self) -> None:
        self._tasks.abandon(_GROUP)
        super().close()

    def _update_preview(self) -> None:
        pattern, values, connectivity = self.pattern, dict(self.values), self.connectivity
        try:
            cells = _pattern_cells(pattern, values)
        except InputError as error:
            self._stop(PatternPreview(error=str(error)))
            return
        if cells > _PREVIEWED_CELLS:
            self._stop(PatternPreview(note=f"{cells:,} cells: too many for a preview."))
            return

        def work(_task: BackgroundTask) -> PatternPreview:
            grid = pattern.make(**values)
            _, count = label_reference(grid, connectivity, multivalued=pattern.multivalued)
            return PatternPreview(grid, count)

        def failed(error: CCLViewerError) -> None:
            self._show(PatternPreview(error=str(error)))

        self._tasks.start("Previewing", work, self._show, failed, group=_GROUP)

    def _stop(self, preview: PatternPreview) -> None:
        self._tasks.abandon(_GROUP)
        self._show(preview)

    def _show(self, preview: PatternPreview) -> None:
        self.preview = preview
        self._announce(self.preview_changed)


@cache
def small_pattern(key: str) -> Grid:
    """Return a small example of a pattern, for a thumbnail: uint8 of shape (height, width)."""
    pattern = PATTERNS[key]
    names = {parameter.name for parameter in pattern.parameters}
    return pattern.make(**{name: value for name, value in _SMALL.items() if name in names})


def _pattern_cells(pattern: Pattern, values: Mapping[str, Value]) -> int:
    """Return the number of cells of a pattern, as far as its parameters tell."""
    shape = pattern.shape(values)
    if shape is not None:
        return shape[0] * shape[1]
    size = values.get("size", 1)
    return len(str(values.get("text", ""))) * (size * size if isinstance(size, int) else 1)
