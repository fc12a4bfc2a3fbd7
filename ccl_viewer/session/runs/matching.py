"""Which step of a new run stands where one of the run before did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ccl_viewer.recording import Step

_Name: TypeAlias = tuple[str, str, int | None, int | None]


def matching_step(old: Sequence[Step], position: int, new: Sequence[Step]) -> int:
    """Return the index of the step that corresponds to one of another run.

    The last step stays the last one, since it is the result. Otherwise a step corresponds to the
    one of the same stage, kernel, iteration and level, and of the same count among those where a
    kernel runs more than once so. Where the new run has none, as when it converges earlier, it is
    the last of the same stage and kernel; and where that kernel does not run at all, the step of
    the same index, or the last.

    Parameters
    ----------
    old : sequence of Step
        Steps of the run before, one at least.
    position : int
        Index of the step on display.
    new : sequence of Step
        Steps of the new run, one at least.
    """
    if position >= len(old) - 1:
        return len(new) - 1
    step = old[position]
    count = sum(_name(other) == _name(step) for other in old[:position])
    same = [index for index, other in enumerate(new) if _name(other) == _name(step)]
    if count < len(same):
        return same[count]
    alike = [
        index
        for index, other in enumerate(new)
        if (other.stage, other.kernel) == (step.stage, step.kernel)
    ]
    return (same or alike or [min(position, len(new) - 1)])[-1]


def _name(step: Step) -> _Name:
    return str(step.stage), step.kernel, step.iteration, step.level
