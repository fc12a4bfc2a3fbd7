"""How long the explanations of a run's steps can become, told before they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.explanation import explain, explain_atomics
from ccl_viewer.render.facts import Facts


@dataclass
class _Kind:
    """What came about in the steps of one caption."""

    first: bool = False
    changed: bool = False
    hooked: bool = False
    merged: bool = False
    atomics: int = 0


def longest_texts(recording: Recording) -> tuple[str, ...]:
    """Return an explanation for each kind of step, about as long as any of its steps has.

    Nothing is counted for it: numbers are as long as half the grid's cells are many. So it stays
    the same when a few cells are drawn.

    Parameters
    ----------
    recording : Recording
        The run, which may still grow.
    """
    cells = int("8" * len(str(recording.image.size // 2)))
    layers = tuple((name, cells) for name in recording.layers)
    kinds = _kinds(recording.steps)
    return tuple(f"{caption} {_text(kind, cells, layers)}" for caption, kind in kinds.items())


def _kinds(steps: Sequence[Step]) -> dict[str, _Kind]:
    kinds: dict[str, _Kind] = {}
    for before, step in pairwise([None, *steps]):
        if step is None:
            continue
        kind = kinds.setdefault(step.caption, _Kind())
        kind.first |= before is None
        kind.changed |= step.changed > 0
        kind.hooked |= before is not None and before.roots > step.roots
        kind.merged |= step.roots == steps[-1].roots
        kind.atomics = max(kind.atomics, step.atomics or 0)
    return kinds


def _text(kind: _Kind, cells: int, layers: tuple[tuple[str, int], ...]) -> str:
    facts = Facts(
        first=cells if kind.first else 0,
        smaller=cells if kind.changed and not kind.first else 0,
        roots_before=0 if kind.first else cells,
        roots=cells,
        hooked=cells if kind.hooked else 0,
        made=cells if kind.first else 0,
        indirect=cells if kind.changed else 0,
        layers=layers,
        components=cells if kind.merged else None,
        wrong=cells,
    )
    return f"{explain(facts)} {explain_atomics(kind.atomics)}".strip()
