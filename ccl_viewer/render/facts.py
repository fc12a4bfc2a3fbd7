"""What a step did, counted from its labels; and steps and runs in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import algorithm
from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.counted import counted, duration
from ccl_viewer.errors import InputError
from ccl_viewer.pieces import bands
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.metrics import final_roots, wrong_cells

Labels = npt.NDArray[np.int32]
Indices = npt.NDArray[np.int64]
NOT_COUNTED = -1
"""Final root of a cell that cannot be wrong: background, or left without a label."""

SEPARATOR: Final = "  \u00b7  "
"""Between parts of a line of words."""

_BAND = 1 << 18
"""Cells that are looked at in one go: few enough to stop at once, and to stay in the cache."""


@dataclass(frozen=True)
class Facts:
    """What a step did.

    Parameters
    ----------
    first, smaller, larger, lost : int
        Cells that had no label before; that took a smaller or a larger one; that have none now.
    roots_before, roots : int
        Foreground cells that are their own parent, before and after.
    hooked, made : int
        Cells that were roots and are no longer; that were none and are now.
    indirect_before, indirect : int
        Cells whose parent is no root, before and after: 0 if all trees are flat.
    layers : tuple of (str, int)
        Each array that is recorded beside the labels, and how many of its cells changed.
    components : int or None
        Components of the grid; None if that is not known.
    wrong : int or None
        Cells that do not lead to the root that their component ends with; None if not known.
    unlabelled : int
        Foreground cells that have no label now.
    waiting : int
        Those of them that count as wrong, because the run does not leave them without.
    """

    first: int = 0
    smaller: int = 0
    larger: int = 0
    lost: int = 0
    roots_before: int = 0
    roots: int = 0
    hooked: int = 0
    made: int = 0
    indirect_before: int = 0
    indirect: int = 0
    layers: tuple[tuple[str, int], ...] = ()
    components: int | None = None
    wrong: int | None = None
    unlabelled: int = 0
    waiting: int = 0

    def without_outlook(self) -> Facts:
        """Return the same without what compares the step with the end of its run."""
        return replace(self, components=None, wrong=None)

    @property
    def changed(self) -> int:
        """Cells whose label changed."""
        return self.first + self.smaller + self.larger + self.lost


@dataclass(frozen=True, eq=False)
class Forest:
    """The labels of a step, as trees.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels.
    is_root : ndarray of bool, shape (height, width)
        Foreground cells that are their own parent.
    roots, indirect, unlabelled : int
        How many roots there are, how many foreground cells have a parent that is no root, and how
        many have no parent.
    """

    labels: Labels
    is_root: npt.NDArray[np.bool_]
    roots: int
    indirect: int
    unlabelled: int = 0


def no_forest(layout: LabelLayout) -> Forest:
    """Return the forest before the first step, when no cell has a label."""
    shape = (layout.height, layout.width)
    return Forest(
        np.full(shape, layout.background, np.int32), np.zeros(shape, np.bool_), roots=0, indirect=0
    )


def forest_of(
    labels: Labels, image: npt.NDArray[np.uint8], layout: LabelLayout, check: Check = unchecked
) -> Forest:
    """Return the trees of a step's labels."""
    is_root = np.zeros(labels.shape, np.bool_)
    own = np.arange(layout.width, dtype=np.int64)
    for rows in bands(labels.shape, _BAND):
        check()
        starts = layout.width * np.arange(rows.start, rows.stop, dtype=np.int64)
        parents = layout.parents(labels[rows])
        is_root[rows] = (parents == starts[:, None] + own) & (image[rows] != 0)
    flat, indirect, unlabelled = is_root.ravel(), 0, 0
    for rows in bands(labels.shape, _BAND):
        check()
        parents = layout.parents(labels[rows])[image[rows] != 0]
        unlabelled += int(np.count_nonzero(parents < 0))
        # A faulty run may point anywhere.
        inside = parents[(parents >= 0) & (parents < flat.size)]
        indirect += int(inside.size) - int(np.count_nonzero(flat[inside]))
    return Forest(labels, is_root, int(np.count_nonzero(is_root)), indirect, unlabelled)


def difference(
    before: Forest, after: Forest, layout: LabelLayout, check: Check = unchecked
) -> Facts:
    """Return what led from one forest to the next.

    Parameters
    ----------
    before, after : Forest
        Of two steps.

    Returns
    -------
    Facts
        Without layers, components and wrong cells.
    """
    counts = np.zeros(6, np.int64)
    for rows in bands(after.labels.shape, _BAND):
        check()
        old, new = before.labels[rows], after.labels[rows]
        was, now = old != layout.background, new != layout.background
        both = was & now
        roots_then, roots_now = before.is_root[rows], after.is_root[rows]
        counts += [
            np.count_nonzero(found)
            for found in (
                now & ~was,
                both & (new < old),
                both & (new > old),
                was & ~now,
                roots_then & ~roots_now,
                roots_now & ~roots_then,
            )
        ]
    first, smaller, larger, lost, hooked, made = (int(count) for count in counts)
    return Facts(
        first=first,
        smaller=smaller,
        larger=larger,
        lost=lost,
        roots_before=before.roots,
        roots=after.roots,
        hooked=hooked,
        made=made,
        indirect_before=before.indirect,
        indirect=after.indirect,
        unlabelled=after.unlabelled,
    )


def changed_layers(recording: Recording, index: int) -> tuple[tuple[str, int], ...]:
    """Return how many cells of each recorded layer a step changed, if any.

    Before the first step there is nothing that a layer could be compared with.
    """
    if index == 0:
        return ()
    counts = (
        (name, np.count_nonzero(recording.layer(name, index) != recording.layer(name, index - 1)))
        for name in recording.layers
    )
    return tuple((name, int(count)) for name, count in counts if count)


def facts_at(recording: Recording, index: int) -> Facts:
    """Return all that a step did; for a single step, or for grids that are small."""
    layout, image = recording.layout, recording.image
    before = no_forest(layout)
    if index > 0:
        before = forest_of(recording.labels(index - 1), image, layout)
    found = difference(before, forest_of(recording.labels(index), image, layout), layout)
    if recording.verdict is None:
        return completed(found, recording, index, wrong=None)
    final = final_roots(recording)
    wrong = wrong_cells(recording, index, final)
    return completed(found, recording, index, wrong, left_without(final, image))


def left_without(final: Indices, image: npt.NDArray[np.uint8]) -> int:
    """Return how many foreground cells a run leaves without a label, rightly.

    Parameters
    ----------
    final : ndarray of int64, shape (height, width)
        What :func:`~ccl_viewer.recording.metrics.final_roots` returns.
    """
    return int(np.count_nonzero(image)) - int(np.count_nonzero(final != NOT_COUNTED))


def completed(
    facts: Facts, recording: Recording, index: int, wrong: int | None, left: int = 0
) -> Facts:
    """Return facts with what is known of a step besides its labels."""
    verdict = recording.verdict
    if verdict is not None and not verdict.correct and not wrong:
        wrong = None  # all agree with how the run ended, which is not how it should have
    return replace(
        facts,
        layers=changed_layers(recording, index),
        components=None if verdict is None else verdict.expected,
        wrong=wrong,
        waiting=max(facts.unlabelled - left, 0),
    )


def count_wrong_if_flat(
    forest: Forest, final: Indices, layout: LabelLayout, check: Check = unchecked
) -> int | None:
    """Count the wrong cells of trees in which every cell names its root; None for others.

    Parameters
    ----------
    final : ndarray of int64, shape (height, width)
        What :func:`~ccl_viewer.recording.metrics.final_roots` returns.

    Returns
    -------
    int or None
        What :func:`~ccl_viewer.recording.metrics.wrong_cells` returns, sooner.
    """
    if forest.indirect:
        return None
    wrong = 0
    for rows in bands(forest.labels.shape, _BAND):
        check()
        wanted = final[rows]
        parents = layout.parents(forest.labels[rows])
        wrong += int(np.count_nonzero((parents != wanted) & (wanted != NOT_COUNTED)))
    return wrong


def explain(facts: Facts) -> str:
    """Return one to three short sentences with a step's own numbers."""
    if facts.components == 0 and not facts.changed and not facts.roots:
        return "The grid has no foreground, so there is nothing to label."
    sentences = [f"{_labels(facts)}; {_roots(facts)}{_shape(facts)}."]
    if facts.wrong is not None:
        sentences.append(_wrong(facts))
    return " ".join(sentences)


def explain_briefly(changed: int, roots: int) -> str:
    """Return what can be said of a step whose facts are not counted yet."""
    labels = f"{counted(changed, 'cell')} took another label" if changed else "No label changed"
    return f"{labels}; {_left(roots)}."


def explain_atomics(atomics: int | None) -> str:
    """Return a sentence on the atomic operations of a step; none if none were counted."""
    return f"Its threads made {counted(atomics, 'atomic operation')}." if atomics else ""


def _labels(facts: Facts) -> str:
    if not facts.changed:
        if not facts.layers:
            return "No label changed"
        (name, count), *others = facts.layers
        also = "".join(f" and {other} in {more:,}" for other, more in others)
        if len(others) > 1:
            also = ", and other arrays too"
        return f"No label changed, but {name} did in {counted(count, 'cell')}{also}"
    parts = []
    if facts.first:
        own = facts.made if not facts.roots_before else 0
        parts.append(f"{counted(facts.first, 'cell')} took {_their(facts.first)} first label")
        if own and own == facts.first:
            parts[-1] += ", its own" if own == 1 else ", each its own"
    for count, what in (
        (facts.smaller, "a smaller label"),
        (facts.larger, "a larger label"),
        (facts.lost, None),
    ):
        if count:
            verb = f"took {what}" if what else f"lost {_their(count)} label"
            parts.append(f"{counted(count, 'cell') if not parts else f'{count:,}'} {verb}")
    return _listed(parts)


def _roots(facts: Facts) -> str:
    if facts.hooked:
        others = "another" if facts.hooked == 1 else "others"
        verb = "was" if facts.hooked == 1 else "were"
        hooked = (
            f"{facts.hooked:,} of {counted(facts.roots_before, 'root')} {verb} hooked to {others}"
        )
        made = f", {facts.made:,} came up" if facts.made else ""
        return f"{hooked}{made}: {_left(facts.roots)}{_each(facts)}"
    if facts.made and facts.roots_before:
        return f"{counted(facts.made, 'root')} came up: there are {facts.roots:,}{_each(facts)}"
    if facts.made:
        verb = "is" if facts.roots == 1 else "are"
        return f"{counted(facts.roots, 'cell')} {verb} {_root(facts.roots)}{_each(facts)}"
    return _left(facts.roots)


def _root(count: int) -> str:
    return "a root" if count == 1 else "roots"


def _left(roots: int) -> str:
    if not roots:
        return "there is no root yet"
    return f"{counted(roots, 'root')} {'is' if roots == 1 else 'are'} left"


def _each(facts: Facts) -> str:
    # Of components that are still without a label, some may have no root, and others two.
    sure = not facts.unlabelled or facts.wrong == facts.waiting
    if facts.components != facts.roots or not facts.roots or not sure:
        return ""
    return ", for the one component" if facts.roots == 1 else ", one for each component"


def _shape(facts: Facts) -> str:
    """Whether the trees became flat, or ceased to be."""
    if facts.indirect_before and not facts.indirect:
        return ", and every label now names a root"
    if facts.indirect > facts.indirect_before:
        verb = "does" if facts.indirect == 1 else "do"
        return f", and {counted(facts.indirect, 'label')} {verb} not name a root"
    return ""


def _wrong(facts: Facts) -> str:
    if not facts.wrong:
        return _right(facts.unlabelled)
    if not facts.roots:
        return (
            f"{counted(facts.wrong, 'cell')} {'leads' if facts.wrong == 1 else 'lead'} to no root."
        )
    if facts.wrong == facts.waiting:
        return f"{_without(facts.waiting)} no label yet; no other is wrong."
    verb = "does not lead to its" if facts.wrong == 1 else "do not lead to their"
    said = f"{counted(facts.wrong, 'cell')} {verb} final root"
    if not facts.waiting:
        return f"{said}."
    return f"{said}, {facts.waiting:,} of them without a label."


def _right(unlabelled: int) -> str:
    if not unlabelled:
        return "Every cell leads to its final root."
    verb = "has" if unlabelled == 1 else "have"
    return f"Every cell with a label leads to its final root; {unlabelled:,} {verb} none."


def _without(count: int) -> str:
    return f"{counted(count, 'cell')} {'has' if count == 1 else 'have'}"


def _their(count: int) -> str:
    return "its" if count == 1 else "their"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


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
    """Return the caption of a step."""
    step = recording.step(index)
    count = len(recording)
    return Caption(
        title=algorithm_title(recording.algorithm),
        place=f"step {index + 1} of {count}",
        step=SEPARATOR.join(_what(step)),
        counts=SEPARATOR.join(_counts(step, recording.device)),
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


def time_text(step: Step, device: str) -> str:
    """Return how long a step took, and whether that is the emulator's time; empty if unknown."""
    if math.isnan(step.milliseconds):
        return ""
    return duration(step.milliseconds) + (" emulator" if device == "emulator" else "")


def _counts(step: Step, device: str) -> list[str]:
    time = time_text(step, device)
    return [
        *([time] if time else []),
        f"{counted(step.changed, 'cell')} changed",
        counted(step.roots, "root"),
    ]


def _error(recording: Recording) -> str | None:
    verdict = recording.verdict
    if verdict is None or not verdict.correct or not recording.converged:
        return recording.sentence
    return None


_AFTER_NAME: Final = re.compile(r", | \(")
_ABBREVIATIONS: Final = {"Equivalence": "Equiv.", "connectivity ": "conn. "}


def algorithm_name(key: str, parameters: Mapping[str, int | None]) -> str:
    """Return an algorithm's title, with the parameters that are not the usual ones."""
    try:
        row = algorithm(key)
        title, usual = row.title, row.complete({})
    except InputError:  # a recording may be of an algorithm that this version does not know
        title, usual = key, {}
    given = [
        f"{name} {value}"
        for name, value in parameters.items()
        if value is not None and usual.get(name) != value
    ]
    return ", ".join([title, *given])


def name_of(recording: Recording) -> str:
    """Return the name of a run's algorithm, with the parameters that are not the usual ones."""
    return algorithm_name(recording.algorithm, recording.parameters)


def names_of(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Return names that tell runs apart.

    Runs of one algorithm with the same parameters are called after what else differs among them:
    device, schedule, connectivity.
    """
    names = [name_of(recording) for recording in recordings]
    return tuple(
        ", ".join([name, *_differing_words(recording, _named(name, names, recordings))])
        for name, recording in zip(names, recordings, strict=True)
    )


def shorter_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return names to call a run by where its own has no room, longest first.

    What follows the algorithm's name is left out only if no other run begins with that name.
    """
    first = _AFTER_NAME.split(name)[0]
    alone = first not in {_AFTER_NAME.split(other)[0] for other in others}
    names = [name, _abbreviated(name)] + [first, _abbreviated(first)] * alone
    return tuple(dict.fromkeys(names))[1:]


def _abbreviated(name: str) -> str:
    for words, short in _ABBREVIATIONS.items():
        name = name.replace(words, short)
    return name


def _named(
    name: str, names: Sequence[str], recordings: Sequence[Recording]
) -> tuple[Recording, ...]:
    every = zip(names, recordings, strict=True)
    return tuple(recording for other, recording in every if other == name)


def _differing_words(recording: Recording, others: Sequence[Recording]) -> list[str]:
    words = [
        (recording.device_title, {other.device for other in others}),
        (recording.schedule, {other.schedule for other in others}),
        (
            f"connectivity {recording.connectivity}",
            {str(other.connectivity) for other in others},
        ),
    ]
    return [word for word, kinds in words if len(kinds) > 1]
