"""What the caption of a frame says."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ccl_viewer.algorithms import algorithm
from ccl_viewer.counted import counted, duration
from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.text import SEPARATOR


@dataclass(frozen=True)
class Caption:
    """The texts under a frame.

    Parameters
    ----------
    title, place : str
        The algorithm, and which step of how many.
    step, counts, setting : str
        What the step is; its time and counts; what was run, where and how.
    error : str or None
        What went wrong with the run, on its last step.
    legend : str
        What the lines over the grid are; empty if there are none.
    """

    title: str
    place: str
    step: str
    counts: str
    setting: str
    error: str | None = None
    legend: str = ""


def caption_of(recording: Recording, index: int) -> Caption:
    """Return the caption of a step.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        The step, from 0.

    Returns
    -------
    Caption
        Its texts, each one line if there is room.
    """
    step = recording.step(index)
    count = len(recording)
    return Caption(
        title=algorithm_title(recording.algorithm),
        place=f"step {index + 1} of {count}",
        step=SEPARATOR.join(_what(step)),
        counts=SEPARATOR.join(_counts(step)),
        setting=_setting(recording),
        error=_error(recording) if index == count - 1 else None,
    )


def caption_before(recording: Recording) -> Caption:
    """Return the caption of the moment before the first step has ended."""
    return Caption(
        title=algorithm_title(recording.algorithm),
        place=f"0 of {counted(len(recording), 'step')}",
        step="not ended yet: the first step",
        counts="",
        setting=_setting(recording),
    )


def algorithm_title(key: str) -> str:
    """Return an algorithm's title; its key where the table does not have it."""
    try:
        return algorithm(key).title
    except InputError:
        return key


def _setting(recording: Recording) -> str:
    height, width = recording.image.shape
    parts = (
        f"{width} \N{MULTIPLICATION SIGN} {height} cells",
        f"connectivity {recording.connectivity}" + (", by value" if recording.multivalued else ""),
        f"{recording.device_title}, {recording.schedule}",
    )
    return SEPARATOR.join(parts)


def _what(step: Step) -> list[str]:
    parts = [step.stage.value]
    if step.iteration is not None:
        parts.append(f"iteration {step.iteration}")
    if step.level is not None:
        parts.append(f"level {step.level}")
    return [*parts, step.kernel]


def _counts(step: Step) -> list[str]:
    parts = [] if math.isnan(step.milliseconds) else [duration(step.milliseconds)]
    return [*parts, f"{counted(step.changed, 'cell')} changed", counted(step.roots, "root")]


def _error(recording: Recording) -> str | None:
    verdict = recording.verdict
    if verdict is None or not verdict.correct or not recording.converged:
        return recording.sentence
    return None
