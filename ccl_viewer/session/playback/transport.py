"""Speeds, sections and groups of steps: how the window moves through a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ccl_viewer.recording import Step

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Multiples of :data:`STEPS_PER_SECOND` that can be chosen."""

STEPS_PER_SECOND = 4.0
"""Steps shown in a second at speed 1."""


@dataclass(frozen=True)
class Section:
    """A part of a recording.

    Parameters
    ----------
    start, end : int
        Its first and its last step, from 0; they may be the same. It is empty if the last comes
        before the first, as where there are no steps.
    """

    start: int
    end: int

    def __contains__(self, step: int) -> bool:
        return self.start <= step <= self.end

    def __len__(self) -> int:
        return max(0, self.end - self.start + 1)


@dataclass(frozen=True)
class Group:
    """Steps one after the other that belong to one iteration or level.

    Parameters
    ----------
    start, end : int
        The first and the last step, from 0.
    iteration, level : int or None
        Which; both None for steps outside loops and hierarchies.
    """

    start: int
    end: int
    iteration: int | None
    level: int | None


def faster(speed: float) -> float:
    """Return the next higher speed, or the highest."""
    return min((value for value in SPEEDS if value > speed), default=SPEEDS[-1])


def slower(speed: float) -> float:
    """Return the next lower speed, or the lowest."""
    return max((value for value in SPEEDS if value < speed), default=SPEEDS[0])


def section_between(one: int, other: int) -> Section:
    """Return the section between two steps, in whichever order they are given."""
    return Section(min(one, other), max(one, other))


def move(
    position: int, steps: int, span: Section, *, looping: bool, backwards: bool
) -> tuple[int, bool]:
    """Return where playing stands after some more steps.

    Parameters
    ----------
    position : int
        Where it stands now. From outside the span, the first move is to the span's near end.
    steps : int
        How many steps are due, 1 or more.
    span : Section
        The steps that are played.
    looping : bool
        Whether the first step follows the last.
    backwards : bool
        Whether it plays towards the first step.

    Returns
    -------
    position : int
        A step of the span; where it stands now if that is empty.
    ended : bool
        Whether nothing follows.
    """
    if not len(span):
        return position, True
    if position not in span:
        position, steps = (span.end if backwards else span.start), steps - 1
    wanted = position - steps if backwards else position + steps
    if looping:
        return span.start + (wanted - span.start) % len(span), False
    last = span.start if backwards else span.end
    reached = max(wanted, last) if backwards else min(wanted, last)
    return reached, reached == last


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


def groups(steps: Sequence[Step]) -> Iterator[Group]:
    """Return the groups of steps, from the first to the last."""
    start = 0
    for index in range(1, len(steps) + 1):
        if index == len(steps) or group_of(steps[index]) != group_of(steps[start]):
            yield Group(start, index - 1, *group_of(steps[start]))
            start = index


def _group_start(steps: Sequence[Step], position: int) -> int:
    group = group_of(steps[position])
    while position > 0 and group_of(steps[position - 1]) == group:
        position -= 1
    return position
