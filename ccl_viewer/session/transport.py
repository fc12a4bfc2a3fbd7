"""Where the window stands in a recording, and how fast it plays."""

from __future__ import annotations

from collections.abc import Sequence

from ccl_viewer.recording import Step

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Multiples of :data:`STEPS_PER_SECOND` that can be chosen."""

STEPS_PER_SECOND = 4.0
"""Steps shown in a second at speed 1."""


def faster(speed: float) -> float:
    """Return the next higher speed, or the highest."""
    return min((value for value in SPEEDS if value > speed), default=SPEEDS[-1])


def slower(speed: float) -> float:
    """Return the next lower speed, or the lowest."""
    return max((value for value in SPEEDS if value < speed), default=SPEEDS[0])


def next_group(steps: Sequence[Step], position: int) -> int:
    """Return the first step of the next iteration or level, or the last step."""
    group = group_of(steps[position])
    for index in range(position + 1, len(steps)):
        if group_of(steps[index]) != group:
            return index
    return len(steps) - 1


def previous_group(steps: Sequence[Step], position: int) -> int:
    """Return the first step of this iteration or level, or of the one before if it stands there."""
    start = _group_start(steps, position)
    return _group_start(steps, start - 1) if start == position and start > 0 else start


def group_of(step: Step) -> tuple[int | None, int | None]:
    """Return what makes steps belong together: iteration and level."""
    return step.iteration, step.level


def _group_start(steps: Sequence[Step], position: int) -> int:
    group = group_of(steps[position])
    while position > 0 and group_of(steps[position - 1]) == group:
        position -= 1
    return position
