"""Counts of what a step did, and descriptions of steps and runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.alignment import NOT_BEGUN
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.support.units import counted, duration

SEPARATOR: Final = "  \u00b7  "
"""Separator between parts of a line of text."""


@dataclass(frozen=True)
class Facts:
    """Counts of what a step did, in cells."""

    first: int = 0  # had no label before
    smaller: int = 0  # got a smaller label
    larger: int = 0
    lost: int = 0  # have no label now
    roots_before: int = 0  # foreground cells that were roots before
    roots: int = 0  # foreground cells that are roots now
    hooked: int = 0  # stopped being roots
    made: int = 0  # became roots
    indirect_before: int = 0  # with a non-root parent before; 0 if all trees were flat
    indirect: int = 0
    layers: tuple[tuple[str, int], ...] = ()  # changed in each array recorded beside the labels
    components: int | None = None  # of the grid; None if not known
    wrong: int | None = None  # do not lead to their component's final root
    unlabelled: int = 0  # foreground cells without a label now
    waiting: int = 0  # unlabelled cells that get a label later

    def without_outlook(self) -> Facts:
        """Return the same facts without comparisons with the end of the run."""
        return replace(self, components=None, wrong=None)

    @property
    def changed(self) -> int:
        """Cells with a changed label."""
        return self.first + self.smaller + self.larger + self.lost


class FactCounter:
    """Counts facts about steps, with kernels on the device that has the labels.

    `check` is called every few milliseconds and may raise to stop the work.
    """

    def __init__(self, recording: Recording, check: Check = never_cancel) -> None:
        self._recording, self._check = recording, check

    def between(self, before: int, after: int) -> Facts:
        """Return the changes from one step to another; :data:`NOT_BEGUN` is before the first."""
        self._check()
        recording, verdict = self._recording, self._recording.verdict
        old = None if before == NOT_BEGUN else recording.change_counts(before)
        facts = self._changes(before, after)
        facts = replace(
            facts,
            roots_before=0 if old is None else old.roots,
            indirect_before=0 if old is None else old.indirect,
            layers=tuple(self._layers(before, after)),
        )
        if verdict is None:
            return replace(facts, waiting=facts.unlabelled)
        trees = recording.tree_counts(after, self._check)
        # In a wrong run, agreement with its end does not mean that the labels are correct.
        wrong = trees.wrong if verdict.correct or trees.wrong else None
        return replace(
            facts,
            components=verdict.expected,
            wrong=wrong,
            waiting=max(facts.unlabelled - trees.left, 0),
        )

    def _changes(self, before: int, after: int) -> Facts:
        recording = self._recording
        if after == before + 1:
            changes = recording.change_counts(after)
        else:
            frames = (recording.device_frame(before), recording.device_frame(after))
            (changes,) = recording.grid_kernels.count_changes([frames], recording.layout)
        return Facts(**vars(changes))

    def _layers(self, before: int, after: int) -> Iterator[tuple[str, int]]:
        """Yield the changed arrays beside the labels, with the number of changed cells."""
        recording = self._recording
        for name in recording.layers if before != NOT_BEGUN else ():
            count = recording.count_layer_changes(name, before, after)
            if count:
                yield name, count


def facts_at(recording: Recording, index: int) -> Facts:
    """Return all facts about a step."""
    return FactCounter(recording).between(index - 1, index)


def explain(facts: Facts) -> str:
    """Return one to three short sentences with a step's numbers."""
    if facts.components == 0 and not facts.changed and not facts.roots:
        return "The grid has no foreground, so there is nothing to label."
    sentences = [f"{_describe_labels(facts)}; {_describe_roots(facts)}{_describe_shape(facts)}."]
    if facts.wrong is not None:
        sentences.append(_describe_wrong(facts))
    return " ".join(sentences)


def explain_briefly(changed: int, roots: int) -> str:
    """Return a sentence about a step while its facts are not counted yet."""
    return f"{describe_label_changes(changed).removesuffix('.')}; {_describe_left(roots)}."


def describe_label_changes(changed: int) -> str:
    """Return a sentence about the labels of a step, without roots."""
    return f"{counted(changed, 'cell')} took another label." if changed else "No label changed."


def explain_atomics(atomics: int | None) -> str:
    """Return a sentence about a step's atomic operations; empty if there are none."""
    return f"Its threads made {counted(atomics, 'atomic operation')}." if atomics else ""


def _choose_form(count: int, one: str, several: str) -> str:
    return one if count == 1 else several


def _describe_labels(facts: Facts) -> str:
    if not facts.changed:
        return "No label changed" + _describe_layers(facts)
    parts: list[str] = []
    for count, did in (
        (facts.first, f"took {_choose_form(facts.first, 'its', 'their')} first label"),
        (facts.smaller, "took a smaller label"),
        (facts.larger, "took a larger label"),
        (facts.lost, f"lost {_choose_form(facts.lost, 'its', 'their')} label"),
    ):
        if count:
            parts.append(f"{f'{count:,}' if parts else counted(count, 'cell')} {did}")
    if facts.first and facts.first == facts.made and not facts.roots_before:
        parts[0] += _choose_form(facts.first, ", its own", ", each its own")
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), parts[-1]])


def _describe_layers(facts: Facts) -> str:
    if not facts.layers:
        return ""
    (name, count), *others = facts.layers
    also = "".join(f" and {other} in {more:,}" for other, more in others)
    if len(others) > 1:
        also = ", and other arrays too"
    return f", but {name} did in {counted(count, 'cell')}{also}"


def _describe_roots(facts: Facts) -> str:
    if facts.hooked:
        verb = _choose_form(facts.hooked, "was", "were")
        others = _choose_form(facts.hooked, "another tree", "other trees")
        appeared = f", {facts.made:,} came up" if facts.made else ""
        roots = counted(facts.roots_before, "root")
        text = f"{facts.hooked:,} of {roots} {verb} joined to {others}{appeared}: "
        text += _describe_left(facts.roots)
    elif facts.made and facts.roots_before:
        text = f"{counted(facts.made, 'root')} came up: there are {facts.roots:,}"
    elif facts.made:
        text = (
            f"{counted(facts.roots, 'cell')} {_choose_form(facts.roots, 'is a root', 'are roots')}"
        )
    else:
        return _describe_left(facts.roots)
    return text + _describe_components(facts)


def _describe_left(roots: int) -> str:
    if not roots:
        return "there is no root yet"
    return f"{counted(roots, 'root')} {_choose_form(roots, 'is', 'are')} left"


def _describe_components(facts: Facts) -> str:
    # While components lack labels, some may have no root and some two.
    sure = not facts.unlabelled or facts.wrong == facts.waiting
    if facts.components != facts.roots or not facts.roots or not sure:
        return ""
    return _choose_form(facts.roots, ", for the one component", ", one for each component")


def _describe_shape(facts: Facts) -> str:
    """Return whether the trees became flat, or stopped being flat, in words."""
    if facts.indirect_before and not facts.indirect:
        return ", and every label now names a root"
    if facts.indirect > facts.indirect_before:
        verb = _choose_form(facts.indirect, "does", "do")
        return f", and {counted(facts.indirect, 'label')} {verb} not name a root"
    return ""


def _describe_wrong(facts: Facts) -> str:
    wrong, bare = facts.wrong, facts.unlabelled
    if not wrong:
        if not bare:
            return "Every cell leads to its final root."
        verb = _choose_form(bare, "has", "have")
        return f"Every cell with a label leads to its final root; {bare:,} {verb} none."
    cells = counted(wrong, "cell")
    if not facts.roots:
        return f"{cells} {_choose_form(wrong, 'leads', 'lead')} to no root."
    if wrong == facts.waiting:
        return f"{cells} {_choose_form(wrong, 'has', 'have')} no label yet; no other is wrong."
    verb = _choose_form(wrong, "does not lead to its", "do not lead to their")
    waiting = f", {facts.waiting:,} of them without a label" if facts.waiting else ""
    return f"{cells} {verb} final root{waiting}."


@dataclass(frozen=True)
class Caption:
    """The texts under a frame: the run, the step, and what it did.

    The last step also has the end of the run: `result` is the verdict with the totals, and `error`
    the failure.
    """

    title: str
    place: str
    step: str
    counts: str
    setting: str
    result: str = ""
    error: str | None = None


def step_caption(recording: Recording, index: int) -> Caption:
    """Return the caption of a step, or of the moment before the first one ends."""
    title, setting = algorithm_title(recording.algorithm), _run_settings_text(recording)
    count = len(recording)
    if index == NOT_BEGUN:
        position = f"0 of {counted(count, 'step')}"
        return Caption(title, position, "not ended yet: the first step", "", setting)
    step = recording.step(index)
    numbers = [f"{counted(step.changed, 'cell')} changed", counted(step.roots, "root")]
    if time := duration(step.milliseconds, "", emulated=recording.emulated):
        numbers.insert(0, time)
    last = index == count - 1
    error = _describe_error(recording)
    verdict = [] if error else [recording.sentence.rstrip(".")]
    return Caption(
        title,
        f"step {index + 1} of {count}",
        SEPARATOR.join([step.stage, *iteration_and_level(step), step.kernel]),
        SEPARATOR.join(numbers),
        setting,
        SEPARATOR.join([*verdict, *run_totals(recording)]) if last else "",
        error if last else None,
    )


def run_totals(recording: Recording, *, timed: bool = True) -> list[str]:
    """Return the iterations, launches and time of a run, as far as known."""
    iterations, time = recording.iterations, duration(recording.milliseconds, "")
    emulated = " on the emulator" if recording.emulated else ""
    totals = [counted(iterations, "iteration")] if iterations else []
    totals.append(counted(len(recording), "launch", "launches"))
    return [*totals, f"{time}{emulated}"] if time and timed else totals


def _run_settings_text(recording: Recording) -> str:
    height, width = recording.image.shape
    parts = (
        f"{width} \N{MULTIPLICATION SIGN} {height} cells",
        f"connectivity {recording.connectivity}" + (", by value" if recording.multivalued else ""),
        f"{recording.device_title}, {recording.schedule}",
    )
    return SEPARATOR.join(parts)


def iteration_and_level(step: Step) -> list[str]:
    """Return iteration and level in words; empty outside loops and hierarchies."""
    numbers = {"iteration": step.iteration, "level": step.level}
    return [f"{name} {number:,}" for name, number in numbers.items() if number is not None]


def _describe_error(recording: Recording) -> str | None:
    verdict = recording.verdict
    if verdict is None or not verdict.correct or not recording.converged:
        return recording.sentence
    return None


def algorithm_title(key: str, parameters: Mapping[str, ParameterValue] | None = None) -> str:
    """Return an algorithm's title, with the parameters that differ from their defaults."""
    try:
        algorithm = find_algorithm(key)
        title, usual = algorithm.title, algorithm.complete({})
        names = {one.name: one.title.lower() for one in algorithm.parameters}
    except InputError:  # a recording may use an unknown algorithm
        title, usual, names = key, {}, {}
    settings = [
        f"{names.get(name, name)} {value}"
        for name, value in (parameters or {}).items()
        if value is not None and usual.get(name) != value
    ]
    return ", ".join([title, *settings])


def run_name(recording: Recording) -> str:
    """Return a run's algorithm, with the parameters that differ from their defaults."""
    return algorithm_title(recording.algorithm, recording.parameters)


def run_names(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Return names that distinguish runs.

    If runs have the same algorithm and parameters, their names contain other differences: device,
    schedule, connectivity.
    """
    named: dict[str, list[Recording]] = {}
    for recording in recordings:
        named.setdefault(run_name(recording), []).append(recording)
    return tuple(
        ", ".join([name, *_differing_words(recording, named[name])])
        for recording in recordings
        for name in [run_name(recording)]
    )


def _differing_words(recording: Recording, others: Sequence[Recording]) -> list[str]:
    words: list[tuple[str, set[object]]] = [
        (recording.device_title, {other.device for other in others}),
        (recording.schedule, {other.schedule for other in others}),
        (f"connectivity {recording.connectivity}", {other.connectivity for other in others}),
    ]
    return [word for word, kinds in words if len(kinds) > 1]
