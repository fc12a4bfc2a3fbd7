"""Compared runs, their panes, and the cells that two runs put in different components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ccl_viewer.execution.plan import StageLevel
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.render.forest import Mask, Partition, number_trees
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.window.core.run_display import RunDisplay, StatusKind
from ccl_viewer.window.core.run_settings import RunSettings


@dataclass(eq=False)
class Pane:
    """A run with its own settings and display.

    `failure` says in a sentence why there is no run; it is empty if nothing failed.
    """

    display: RunDisplay
    settings: RunSettings
    failure: str = ""

    @property
    def title(self) -> str:
        """The algorithm, with the parameters that are not the defaults."""
        return algorithm_title(self.settings.algorithm, self.settings.parameters)

    @property
    def ready(self) -> bool:
        """Whether there is a run of the current grid."""
        return self.display.recording is not None and not self.display.stale

    @property
    def shows_result(self) -> bool:
        """Whether the last step of a finished run is shown."""
        display = self.display
        recording = display.recording
        return recording is not None and recording.complete and display.index == len(recording) - 1

    @property
    def shows_error(self) -> bool:
        """Whether the last step of a broken-off or wrong run is shown."""
        display = self.display
        return display.index == display.count - 1 and display.status.kind is StatusKind.ERROR


@dataclass(frozen=True)
class PaneHeading:
    """The texts above a pane.

    `spent` is the time so far, or the bytes moved in a race by bytes. `difference` counts the cells
    that differ, if that is shown. `state` says why there is no run, or why it is out of date. Texts
    are empty where they do not apply.
    """

    title: str
    details: str = ""
    stage: StageLevel | None = None
    place: str = ""
    spent: str = ""
    finished: bool = False
    difference: str = ""
    state: str = ""
    failed: bool = False


def choose_columns(
    count: int, shape: tuple[int, int], size: tuple[int, int], header: int, gap: int
) -> int:
    """Return the number of columns for `count` panes that gives the largest cells.

    `shape` is height and width of the grid; `size` is width and height of the area in pixels, of
    which each pane's `header` and each `gap` take some.
    """

    def scale(columns: int) -> float:
        rows = -(-count // columns)
        width = (size[0] - gap * (columns - 1)) / columns
        height = (size[1] - gap * (rows - 1)) / rows - header
        return min(max(width, 1.0) / shape[1], max(height, 1.0) / shape[0])

    # Among equally good choices, take the one with the fewest empty places.
    return max(range(1, count + 1), key=lambda columns: (scale(columns), -(-count % columns)))


Side: TypeAlias = tuple[Recording, int]
"""A run and its step on display."""


@dataclass(frozen=True, eq=False)
class RunDifference:
    """Where runs of one grid differ, at the step that each shows.

    Each is compared with the first, and the first with all. `masks` have the cells that differ on
    each side; shape (height, width).
    """

    sides: tuple[Side, ...]
    partitions: tuple[Partition, ...]
    masks: tuple[Mask, ...]

    @classmethod
    def between(
        cls,
        sides: tuple[Side, ...],
        before: RunDifference | None = None,
        check: Check = never_cancel,
    ) -> RunDifference:
        """Compare runs; steps already compared `before` are reused.

        `check` is called every few milliseconds and raises to stop the work.
        """
        known = {} if before is None else dict(zip(before.sides, before.partitions, strict=True))
        for recording, step in sides:
            if (recording, step) not in known:
                labels = recording.labels(step)
                check()
                known[recording, step] = number_trees(labels, recording.layout, recording.image)
        own, *others = partitions = [known[side] for side in sides]
        masks = [other != own for other in others]
        return cls(sides, tuple(partitions), (np.logical_or.reduce(masks), *masks))
