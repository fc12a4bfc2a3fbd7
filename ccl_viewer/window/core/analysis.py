"""Analysis of a recorded run: facts, wrong cells, milestones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from psygnal import Signal, SignalInstance

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.execution.plan import StageLevel
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.metrics import find_first_mixed_step
from ccl_viewer.recording.missed_unions import MissedUnions, find_missed_unions
from ccl_viewer.render.facts import (
    FactCounter,
    Facts,
    describe_label_changes,
    explain,
    explain_atomics,
    explain_briefly,
    facts_at,
)
from ccl_viewer.support.units import TimeScale, time_scale_for
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.run_display import RunDisplay, fault_text
from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

ANALYSIS: Final = "analysis"
"""The group of tasks in which runs are analysed."""

COLOURING: Final = "colours"
"""The group of tasks in which colours of large runs are chosen."""

TIMING: Final = "times"
"""The group of tasks in which the times of steps are measured."""

HIDDEN_TEXT: Final = "Not shown while the question is open: it would give the answer away."
"""Shown in place of something that an open question hides."""

BUDGET: Final = 1 << 31  # cells times steps; in larger runs, only the steps on display are counted
_GPU_BUDGET: Final = 1 << 35
AT_ONCE_CELLS: Final = 1 << 14  # cells up to which facts are counted immediately, in about 1 ms


@dataclass(frozen=True)
class Milestone:
    """A step that stands out in a run; steps count from 0."""

    step: int
    name: str  # two words, for its flag
    text: str  # what holds from then on, in a sentence
    good: bool  # whether this is good news


@dataclass(frozen=True, eq=False)
class RunTimeline:
    """The steps of a run as a timeline shows them; arrays have shape (steps,)."""

    stages: tuple[StageLevel, ...] = ()
    codes: Counts = field(default_factory=lambda: np.zeros(0, np.int64))  # indices into `stages`
    milestones: tuple[Milestone, ...] = ()  # the most important first
    wrong: Floats = field(default_factory=lambda: np.zeros(0))  # cells; NaN where not known

    def __len__(self) -> int:
        return len(self.codes)

    def at_moments(self, shown: Counts) -> RunTimeline:
        """Return the timeline of a run that shows these steps, one a moment; they never go back."""
        firsts = np.searchsorted(shown, [one.step for one in self.milestones]).tolist()
        return replace(
            self,
            codes=self.codes[shown],
            milestones=tuple(
                replace(one, step=first)
                for one, first in zip(self.milestones, firsts, strict=True)
                if first < len(shown)
            ),
            wrong=self.wrong[shown],
        )


class RunStatistics:
    """What is known so far of a finished run; one thread writes, any may read."""

    def __init__(self, recording: Recording) -> None:
        self.facts: dict[int, Facts] = {}  # by step
        # After each step, cells that do not lead to their component's final root
        self.wrong: Floats = np.full(len(recording), np.nan)
        budget = BUDGET if recording.emulated else _GPU_BUDGET
        self.large = len(recording) * recording.image.size > budget
        self.first_wrong: int | None = None  # from here, a label names a cell of another component
        self.missed_unions: MissedUnions | None = None
        self.wanted = 0  # a step to analyse first
        self.done = self.failed = False

    def analyse(self, recording: Recording, task: BackgroundTask) -> None:
        """Analyse the run on the pool; of a large run, only the wanted step."""
        counter = FactCounter(recording, task.check)

        def look(index: int) -> None:
            if index not in self.facts and 0 <= index < len(self.wrong):
                facts = counter.between(index - 1, index)
                self.wrong[index] = np.nan if facts.wrong is None else facts.wrong
                self.facts[index] = facts

        if not self.large:
            at_once = recording.grid_kernels.batch_size if recording.complete else 1
            for index in range(len(self.wrong)):
                task.check()
                look(self.wanted)
                if recording.complete and index % at_once == 0:
                    some = range(index, min(index + at_once, len(self.wrong)))
                    recording.precompute_tree_counts(some, task.check)
                look(index)
                task.report()
            self.first_wrong = find_first_mixed_step(recording, task.token)
            self.missed_unions = find_missed_unions(recording, task.token)
        look(self.wanted)
        self.done = True

    def find_milestones(self, recording: Recording) -> Iterator[Milestone]:
        """Return the milestones known so far; the most important first."""
        fault, apart, right = recording.fault, self.missed_unions, is_correct(recording)
        if fault is not None:
            yield Milestone(
                len(recording) - 1, "fault", f"Fault: {fault_text(fault, recording)}", good=False
            )
        if self.first_wrong is not None:
            text = "First wrong: a label names a cell of another component."
            yield Milestone(self.first_wrong, "first wrong", text, good=False)
        if apart is not None:
            text = f"Left apart: {apart.sentence}"
            yield Milestone(apart.step, "left apart", text, good=False)
        if right and self.done and not np.isnan(self.wrong).any():
            last = int(np.flatnonzero(self.wrong).max(initial=-1))
            text = "Roots right: from here on, every cell leads to its final root."
            yield Milestone(last + 1, "roots right", text, good=True)
        if right:
            # Without foreground no label ever changes: the grid has converged immediately.
            last = next((step.index for step in reversed(recording.steps) if step.changed), 0)
            text = "Converged: after this step, no label changes any more."
            yield Milestone(last, "converged", text, good=True)


class RunAnalysis(Model):
    """Analyses the run that the panels show, away from the window's thread.

    It follows one display: the session's, or that of the active pane in a comparison. Panels follow
    only the analysis, which also announces changes of the display.

    `hidden_answers` names what must stay hidden, because a question asks for it.
    """

    display_changed = Signal()  # another display is followed
    recording_changed = Signal()  # this and the next three as in the display
    count_changed = Signal()
    index_changed = Signal()
    stale_changed = Signal()
    facts_at_changed = Signal()  # more is known of the run
    metrics_changed = Signal()  # likewise
    hidden_answers_changed = Signal()

    def __init__(self, tasks: TaskQueue, display: RunDisplay) -> None:
        super().__init__()
        self._tasks = tasks
        self.display = display
        self.hidden_answers = frozenset[HiddenInformation]()
        self._findings = WeakKeyDictionary[Recording, RunStatistics]()
        self.time_scale = TimeScale()  # how the times of all steps are written
        self._counting: RunStatistics | None = None
        display.changed.connect(self._on_display_changed)
        self._start()

    def follow(self, display: RunDisplay) -> None:
        """Follow another display, as when another pane becomes the active one."""
        if display is self.display:
            return
        self.display.changed.disconnect(self._on_display_changed)
        self.display = display
        display.changed.connect(self._on_display_changed)
        with self.transaction():
            self._announce(
                self.display_changed,
                self.recording_changed,
                self.count_changed,
                self.index_changed,
                self.facts_at_changed,
                self.metrics_changed,
            )
            self._start()

    def set_hidden_answers(self, answers: Iterable[str]) -> None:
        """Conceal only what a question asks for."""
        self._set(self.hidden_answers_changed, frozenset(map(HiddenInformation, answers)))

    # Facts

    @property
    def recording(self) -> Recording | None:
        return self.display.recording

    @property
    def step(self) -> Step | None:
        return self.display.step

    @property
    def emulated(self) -> bool:
        recording = self.recording
        return recording is not None and recording.emulated

    @property
    def measuring_times(self) -> bool:
        """Whether the times of the steps are still being measured."""
        recording = self.recording
        busy = any(map(self._tasks.busy, (ANALYSIS, COLOURING, TIMING)))  # the times come last
        return recording is not None and recording.needs_timing and busy

    @property
    def analysed(self) -> bool:
        """Whether the analysis is complete."""
        return self._known is not None and self._known.done

    @property
    def wrong_counts(self) -> Floats:
        """Wrong cells after each step, shape (steps,); NaN where they are not known."""
        findings = self._known
        return np.zeros(0) if findings is None else findings.wrong

    @property
    def milestones(self) -> tuple[Milestone, ...]:
        """The milestones known so far that may be seen."""
        recording, findings = self.recording, self._known
        if recording is None or findings is None:
            return ()
        milestones = tuple(findings.find_milestones(recording))
        if HiddenInformation.COURSE in self.hidden_answers:
            return tuple(one for one in milestones if one.name in {"fault", "first wrong"})
        return milestones

    @property
    def limitation_text(self) -> str:
        """What was skipped because the run is large, in a sentence; empty if nothing was."""
        findings = self._known
        large = findings is not None and findings.large
        return "Wrong cells are not counted after each step: the run is large." if large else ""

    def facts_at(self, index: int) -> Facts | None:
        """Return the facts about a step; None if not counted yet, then it is counted next."""
        recording, findings = self.recording, self._known
        if recording is None or findings is None or not 0 <= index < len(findings.wrong):
            return None
        facts = findings.facts.get(index)
        if facts is None and recording.image.size <= AT_ONCE_CELLS:
            return facts_at(recording, index)
        if facts is None:
            findings.wanted = index
            self._start()
        return facts

    def merged_count_at(self, index: int) -> int | None:
        """Return the roots that a step merged into other trees; None if not counted yet."""
        findings = self._known
        facts = None if findings is None else findings.facts.get(index)
        return None if facts is None else facts.hooked

    def wrong_count_at(self, index: int) -> int | None:
        """Return the wrong cells after a step; None if not known."""
        wrong = self.wrong_counts
        if not 0 <= index < len(wrong) or np.isnan(wrong[index]):
            return None
        return int(wrong[index])

    def describe_step(self, index: int) -> str:
        """Return what a step did here, without what is hidden."""
        recording, fault = self.recording, self.display.fault
        if recording is None or not 0 <= index < len(recording):
            return ""
        sentences = (
            [fault_text(fault, recording)]
            if fault is not None and index == len(recording) - 1
            else []
        )
        if HiddenInformation.COUNTS not in self.hidden_answers:
            sentences += self._counted(recording.step(index))
        return " ".join(filter(None, sentences))

    def _counted(self, step: Step) -> list[str]:
        facts, hidden = (
            self.facts_at(step.index),
            HiddenInformation.COURSE in self.hidden_answers,
        )
        if facts is None:
            sentences = [explain_briefly(step.changed, step.roots)]
        else:
            sentences = [explain(facts.without_outlook() if hidden else facts)]
        if HiddenInformation.TREES in self.hidden_answers:
            sentences = [describe_label_changes(step.changed)]
        apart = None if self._known is None else self._known.missed_unions
        if apart is not None and step.index >= apart.step and not hidden:
            sentences.append(apart.sentence)
        return [*sentences, explain_atomics(step.atomics)]

    def timeline(self) -> RunTimeline:
        """Return the timeline of the run on display, without what is hidden."""
        steps = () if self.recording is None else self.recording.steps[: self.display.count]
        stages = dict.fromkeys(step.stage_level for step in steps)
        codes = {stage: code for code, stage in enumerate(stages)}
        wrong = np.full(len(steps), np.nan)
        if HiddenInformation.COURSE not in self.hidden_answers:
            counts = self.wrong_counts[: len(steps)]
            wrong[: len(counts)] = counts
        return RunTimeline(
            stages=tuple(codes),
            codes=np.array([codes[step.stage_level] for step in steps], np.int64),
            milestones=self.milestones,
            wrong=wrong,
        )

    # Counting

    @property
    def _known(self) -> RunStatistics | None:
        recording = self.recording
        if recording is None or self.display.growing:
            return None
        return self._findings.get(recording)

    def _on_display_changed(self, changed: frozenset[SignalInstance]) -> None:
        display = self.display
        own_signals = {
            display.recording_changed: self.recording_changed,
            display.count_changed: self.count_changed,
            display.index_changed: self.index_changed,
            display.stale_changed: self.stale_changed,
        }
        with self.transaction():
            self._announce(*(own for signal, own in own_signals.items() if signal in changed))
            if display.recording_changed in changed or display.count_changed in changed:
                self._start()
                self._announce(self.facts_at_changed, self.metrics_changed)

    def _start(self) -> None:
        """Start the analysis of the run on display, if it has ended and none has started."""
        recording, display = self.recording, self.display
        steps = () if recording is None else recording.steps
        self.time_scale = time_scale_for(step.milliseconds for step in steps)
        if recording is None or display.growing or not len(recording):
            self._tasks.abandon(ANALYSIS)
            return
        findings = self._findings.get(recording)
        if findings is None or len(findings.wrong) != len(recording):
            findings = self._findings[recording] = RunStatistics(recording)
        if self._counting is findings and self._tasks.busy(ANALYSIS):
            return
        if findings.failed or (findings.done and findings.wanted in findings.facts):
            self._tasks.abandon(ANALYSIS)
        else:
            self._look_at(recording, findings)

    def _look_at(self, recording: Recording, findings: RunStatistics) -> None:
        def progressed() -> None:
            self._announce(self.facts_at_changed, self.metrics_changed)

        def failed(_error: CCLViewerError) -> None:
            # The window works without these figures, so an error is not reported.
            findings.failed = True
            progressed()

        self._counting = findings
        self._tasks.start(
            "Counting",
            lambda task: findings.analyse(recording, task),
            lambda _: progressed(),
            failed,
            group=ANALYSIS,
            progressed=progressed,
        )


def is_correct(recording: Recording) -> bool:
    """Return whether a run finished with the right labels."""
    verdict = recording.verdict
    return verdict is not None and verdict.correct and recording.converged
