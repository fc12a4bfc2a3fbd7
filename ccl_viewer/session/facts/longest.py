"""How long the explanations of a run's steps can become, told before they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ccl_viewer.recording import Recording
from ccl_viewer.render.explanation import explain, explain_atomics
from ccl_viewer.render.facts import Facts


@dataclass
class _Kind:
    """What came about in the steps of one kernel."""

    caption: str = ""
    first: bool = False
    changed: bool = False
    hooked: bool = False
    made: bool = False
    merged: bool = False
    waiting: bool = False
    atomics: int = 0


def longest_texts(recording: Recording) -> tuple[str, ...]:
    """Return an explanation for each kernel, about as long as any of its steps has.

    No labels are looked at for it: numbers are as long as half the grid's cells are many. So it
    stays the same when a few cells are drawn.

    Parameters
    ----------
    recording : Recording
        The run, which may still grow.
    """
    cells = int("8" * len(str(recording.image.size // 2)))
    layers = tuple((name, cells) for name in recording.layers)
    return tuple(_text(kind, cells, layers) for kind in _kinds(recording).values())


def _kinds(recording: Recording) -> dict[str, _Kind]:
    steps = recording.steps
    kinds: dict[str, _Kind] = {}
    # What has changed less often than the grid has cells has left some without a label.
    unlabelled = int(np.count_nonzero(recording.image))
    for before, step in pairwise([None, *steps]):
        if step is None:
            continue
        kind = kinds.setdefault(step.kernel, _Kind())
        unlabelled -= step.changed
        kind.caption = max(kind.caption, step.caption, key=len)
        kind.first |= before is None
        kind.changed |= before is not None and step.changed > 0
        kind.hooked |= before is not None and step.roots != before.roots
        kind.made |= before is not None and step.roots > before.roots
        kind.merged |= step.roots == steps[-1].roots
        kind.waiting |= unlabelled > 0
        kind.atomics = max(kind.atomics, step.atomics or 0)
    return kinds


def _text(kind: _Kind, cells: int, layers: tuple[tuple[str, int], ...]) -> str:
    facts = Facts(
        first=cells if kind.first or kind.made else 0,
        smaller=cells if kind.changed else 0,
        roots_before=cells if kind.hooked or not kind.first else 0,
        roots=cells,
        hooked=cells if kind.hooked else 0,
        made=cells if kind.first or kind.made else 0,
        indirect=cells if kind.first or kind.changed else 0,
        layers=layers,
        components=cells if kind.merged else None,
        wrong=cells,
    )
    done = max((explain(ending) for ending in _endings(facts, kind)), key=len)
    return f"{kind.caption} {done} {explain_atomics(kind.atomics)}".strip()


def _endings(facts: Facts, kind: _Kind) -> Iterator[Facts]:
    """Return what can be said of cells that are wrong, or have no label."""
    yield facts
    if kind.waiting:
        cells = facts.roots
        for wrong, waiting in ((cells, cells - 1), (cells, cells), (0, 0)):
            yield replace(facts, unlabelled=cells, wrong=wrong, waiting=waiting)
