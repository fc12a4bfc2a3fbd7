"""The alignment of a page's runs side by side: the step of each at each moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.export.page_runs import MAX_LABELS
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import NOT_BEGUN, Stops, Sync
from ccl_viewer.render.facts import run_names
from ccl_viewer.render.pace import seconds_per_step

_SYNC_WORDS: Final = {
    Sync.STEP: "launch by launch",
    Sync.ITERATION: "iteration by iteration",
    Sync.SHARE: "so that all end together",
    Sync.TIME: "as fast as their kernels were",
    Sync.BYTES: "by the bytes that they moved, as the emulator counts",
}


@dataclass(frozen=True, eq=False)
class PageComparison:
    """Runs side by side, and their moments.

    Parameters
    ----------
    names : tuple of str
        Name of each run.
    going : str
        How they are aligned, in words.
    moments : tuple of tuple of int
        For each moment, the index of each run's step among the run's shown steps;
        :data:`~ccl_viewer.recording.alignment.NOT_BEGUN` before its first.
    """

    names: tuple[str, ...]
    going: str
    moments: tuple[Stops, ...]

    @property
    def title(self) -> str:
        """All runs, in a line."""
        *others, last = dict.fromkeys(self.names)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def as_json(self) -> dict[str, Any]:
        """The data for the page's script, for JSON."""
        seconds = round(seconds_per_step(len(self.moments)), 3)
        return {
            "names": self.names,
            "going": self.going,
            "moments": self.moments,
            "seconds": [seconds] * len(self.moments),
        }


def steps_shown(frames: Sequence[Stops], number: int) -> Stops:
    """Return the steps of a run that are shown at any moment, in rising order.

    A run that has not begun at any of them gets its first step, so that the page can describe it.
    """
    return tuple(sorted({frame[number] for frame in frames} - {NOT_BEGUN})) or (0,)


def make_page_comparison(
    recordings: Sequence[Recording], frames: Sequence[Stops], sync: Sync
) -> PageComparison:
    """Return the alignment of runs on a page.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs.
    frames : sequence of tuple of int
        The step of each, for each moment.
    sync : Sync
        How these were chosen.

    Raises
    ------
    InputError
        If the runs are of different grids, or together too large.
    """
    _check_grids(recordings)
    _check_sizes(recordings, frames)
    places = [
        {step: place for place, step in enumerate(steps_shown(frames, number))}
        for number in range(len(recordings))
    ]
    moments = tuple(
        tuple(own.get(step, NOT_BEGUN) for own, step in zip(places, frame, strict=True))
        for frame in frames
    )
    return PageComparison(run_names(recordings), _SYNC_WORDS[sync], moments)


def _check_grids(recordings: Sequence[Recording]) -> None:
    first = recordings[0].image
    for number, recording in enumerate(recordings[1:], 2):
        if not np.array_equal(recording.image, first):
            raise InputError(
                f"A page plays runs of one grid side by side, and run {number} is of another than "
                "the first: choose runs of the same grid, or export each to a separate page."
            )


def _check_sizes(recordings: Sequence[Recording], frames: Sequence[Stops]) -> None:
    steps = sum(len(steps_shown(frames, number)) for number in range(len(recordings)))
    height, width = recordings[0].image.shape
    if height * width * steps > MAX_LABELS:
        raise InputError(
            f"A page can hold at most {MAX_LABELS // (height * width):,} steps of {width} x "
            f"{height} cells, all runs taken together, not {steps:,}: choose fewer steps or runs."
        )
