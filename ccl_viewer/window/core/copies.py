"""The edited copy of a kernel: its text, its runs, and how they differ from the original's."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from psygnal import Signal

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.copies import (
    COPY,
    Copy,
    delete_copy,
    find_copy,
    find_free_name,
    is_copy,
    keep_unsaved,
    list_copies,
    make_copy,
    read_latest_text,
    read_saved_text,
    rename_copy,
    save_copy,
)
from ccl_viewer.algorithms.own import OWN
from ccl_viewer.diagnostics.check import describe_unused_kernels
from ccl_viewer.errors import CancelledError, CCLViewerError, Diagnostic
from ccl_viewer.recording import Recording
from ccl_viewer.storage.files import is_file, replacing
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.process import UNLIMITED, limits_memory
from ccl_viewer.window.core.analysis import is_correct
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.run_display import RunStatus, StatusKind
from ccl_viewer.window.core.runs import record_until_error
from ccl_viewer.window.core.tasks import BackgroundTask

if TYPE_CHECKING:
    from pathlib import Path

    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import TaskQueue

_GROUP: Final = "copy"
_READY: Final = "Ctrl+Enter saves and runs the copy."


class CopyEditor(Model):
    """Opens, keeps, saves and runs a copy, and compares its run with the original's.

    `copy` is the open copy, `text` its text when it was last opened or saved, `saved` whether the
    file has that text, and `typed` the text in the editor. `renamed_from` is what the open copy was
    before it was renamed or saved under another name. `result` describes its last run, and
    `diagnostics` are the compiler's messages.
    """

    copy_changed = Signal()
    copies_changed = Signal()
    typed_changed = Signal()
    result_changed = Signal()

    def __init__(
        self, *, tasks: TaskQueue, messages: Messages, display: RunDisplay, runs: RunController
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._messages = messages
        self._display = display
        self._runs = runs
        self.copy: Copy | None = None
        self.renamed_from: Copy | None = None
        self.text, self.saved, self.typed = "", True, ""
        self._in_file: str | None = None  # as of the last opening or saving
        self.result = ready_status()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self._judged: Recording | None = None
        self._compares_bytes = True
        self._first_differing: tuple[Recording | None, int | None] = (None, None)
        runs.running_changed.connect(self._on_running_changed)

    @property
    def copies(self) -> tuple[Copy, ...]:
        return list_copies()

    def first_differing_step(self, recording: Recording | None) -> int | None:
        """Return the first step that differs from the original's; None if not known."""
        compared, step = self._first_differing
        return step if compared is recording else None

    def edit(self, key: str, module: str) -> None:
        """Open a new copy of a module of an algorithm; if it is a copy already, open that."""
        with self._messages.catch_errors("Edit a copy"):
            if is_copy(key):
                self.open(find_copy(key.removeprefix(COPY)))
            else:
                self.open(make_copy(find_free_name(module), key, module))
                self._announce(self.copies_changed)

    def open(self, copy: Copy, *, compare_bytes: bool = True) -> None:
        """Open a copy with the text that the user saw last; unsaved text of another is kept.

        Its bytes can be compared with the original's only if the text began as the original's.
        """
        self._compares_bytes = compare_bytes
        self.keep_unsaved(self.typed)
        self.text, self.saved = read_latest_text(copy)
        self.typed, self._in_file = self.text, read_saved_text(copy)
        self.copy, self.renamed_from = copy, None
        self.result, self.diagnostics = ready_status(), ()
        self._announce(self.copy_changed, self.result_changed)

    def leave(self) -> None:
        """Close the copy; unsaved text is kept."""
        self.keep_unsaved(self.typed)
        self._tasks.abandon(_GROUP)
        self.copy = None
        self._announce(self.copy_changed)

    def set_typed(self, text: str) -> None:
        """Set the text in the editor, which can undo it."""
        self._set(self.typed_changed, text)

    def replace_text(self, text: str) -> None:
        """Set the whole text, and forget the result of the run of another one."""
        self.set_typed(text)
        self.keep_unsaved(text)
        self._tasks.abandon(_GROUP)
        self.diagnostics = ()
        self._set_result(ready_status())

    def keep_unsaved(self, text: str) -> None:
        """Keep unsaved text, against a crash."""
        if self.copy is not None and text != self.text:
            with self._messages.catch_errors("Keep the copy"):
                keep_unsaved(self.copy, text)
                self.text, self.saved = text, False

    def save(self, text: str) -> bool:
        """Save the copy; return whether that was possible.

        If its file was changed meanwhile, for example in another window, the text becomes a new
        copy.
        """
        before = self.copy
        if before is None:
            return False
        self.saved = False
        with self._messages.catch_errors("Save the copy"):
            copy = before
            if read_saved_text(before) not in {None, self._in_file, text}:
                name = find_free_name(before.module)
                copy = replace(before, name=name, path=before.path.with_name(f"{name}.cu"))
            save_copy(copy, text)
            self.copy, self._in_file = copy, read_saved_text(copy)
            self.text, self.saved = read_latest_text(copy)
            if copy != before:
                self.renamed_from, self.typed = before, self.text
            self._announce(self.copy_changed)
            if copy != before:
                self._announce(self.copies_changed)
                text = f"{before.name} was changed elsewhere: your text is saved as {copy.name}."
                self._messages.tell(text)
        return self.saved

    def run(self, text: str) -> None:
        """Save the copy, and run it with the settings of the window."""
        runs = self._runs
        self._messages.dismiss()
        if self.save(text) and self.copy is not None:
            with self._messages.catch_errors("Run the copy"):
                runs.replace_settings(runs.settings.with_changes(algorithm=self.copy.key))
                runs.run()

    def rename(self, name: str) -> None:
        if self.copy is not None:
            with self._messages.catch_errors("Rename the copy"):
                self.renamed_from, self.copy = self.copy, rename_copy(self.copy, name)
                self._use_existing()
                self._announce(self.copy_changed, self.copies_changed)

    def delete(self) -> None:
        if self.copy is not None:
            if self._runs.settings.algorithm == self.copy.key:
                self._runs.cancel()
            with self._messages.catch_errors("Delete the copy"):
                delete_copy(self.copy)
                self.typed = self.text  # there is nothing to keep
                self.leave()
                self._use_existing()
                self._announce(self.copies_changed)

    def export(self, path: Path, text: str) -> None:
        """Write the text of the copy to a file."""
        with replacing(path) as beside:
            beside.write_text(text, "utf-8")

    def _use_existing(self) -> None:
        """Remove deleted copies from the settings."""
        runs = self._runs
        if is_copy(runs.settings.algorithm):
            try:
                find_algorithm(runs.settings.algorithm)
            except CCLViewerError:
                here = self.copy if self.copy is not None and is_file(self.copy.path) else None
                key = "label_equivalence" if here is None else here.key
                runs.replace_settings(
                    replace(runs.settings, algorithm=key, parameters={}).with_changes()
                )

    # Results

    def _on_running_changed(self) -> None:
        runs, copy = self._runs, self.copy
        if not runs.running:
            self._use_existing()  # another program may have deleted the copy
        if copy is None or runs.settings.algorithm != copy.key:
            return
        if runs.running:
            self._set_result(RunStatus(StatusKind.BUSY, "Running\N{HORIZONTAL ELLIPSIS}"))
            return
        self.diagnostics = runs.diagnostics
        errors = [each for each in self.diagnostics if each.severity == "error"]
        recording = self._display.recording
        if errors:
            text = f"Does not compile: {counted(len(errors), 'error')}."
            self._set_result(RunStatus(StatusKind.ERROR, text))
        elif runs.failure:
            self._set_result(RunStatus(StatusKind.ERROR, runs.failure))
        elif recording is None or recording.algorithm != copy.key:
            self._set_result(ready_status())
        elif recording is not self._judged:
            self._judged = recording
            self._compare(recording, copy)

    def _compare(self, recording: Recording, copy: Copy) -> None:
        """Run the original beside the copy, and compare the runs."""
        settings = self._runs.settings.with_changes(algorithm=copy.algorithm)
        counted = all(step.ledger is not None for step in recording.steps)
        counts = counted and self._compares_bytes

        def work(task: BackgroundTask) -> CopyDifference:
            task.report(f"Running {find_algorithm(copy.algorithm).title}")
            original = record_until_error(recording.image, settings, task, counts=counts)
            return compare_with_original(recording, original, task)

        def done(difference: CopyDifference) -> None:
            self._first_differing = recording, difference.first
            self._set_result(copy_status(recording, difference.text))

        def failed(error: CCLViewerError) -> None:
            if not isinstance(error, CancelledError):
                self._set_result(copy_status(recording, str(error)))

        self._set_result(copy_status(recording))
        self._tasks.start(
            "Comparing with the original",
            work,
            done,
            failed,
            group=_GROUP,
        )

    def _set_result(self, result: RunStatus) -> None:
        self.result = result
        self._announce(self.result_changed)


def ready_status() -> RunStatus:
    """Return the text for a copy that has not run."""
    text = _READY if limits_memory() else f"{_READY} {UNLIMITED}"
    return RunStatus(StatusKind.NONE, text)


def can_copy(recording: Recording) -> bool:
    """Return whether the kernels of a run can be copied: this program has its algorithm.

    Those of the user algorithms are edited in their folder.
    """
    if recording.algorithm.startswith(OWN):
        return False
    try:
        find_algorithm(recording.algorithm)
    except CCLViewerError:
        return False
    return True


def copy_status(recording: Recording, more: str = "") -> RunStatus:
    """Return how the run of a copy ended, with further findings."""
    right = is_correct(recording)
    words = ["The labels are right on this grid." if right else recording.sentence, more]
    with suppress(CCLViewerError):  # the file is gone
        words.append(
            describe_unused_kernels(recording.algorithm, {step.kernel for step in recording.steps})
        )
    return RunStatus(StatusKind.OK if right else StatusKind.ERROR, " ".join(filter(None, words)))


@dataclass(frozen=True)
class CopyDifference:
    """How a run of a copy differs from that of its original.

    `text` says it in sentences; `first` is the first step that differs, None if none does.
    """

    text: str
    first: int | None


def compare_with_original(
    recording: Recording, original: Recording, task: BackgroundTask
) -> CopyDifference:
    title = find_algorithm(original.algorithm).title
    count = min(len(recording), len(original))
    differ = []
    for index in range(count):
        task.check()
        if not np.array_equal(recording.labels(index), original.labels(index)):
            differ.append(index + 1)
    same = "The first step matches" if count == 1 else f"All {count:,} steps match"
    words = [f"{same} {title}."]
    if differ:
        verb = "differs" if len(differ) == 1 else "differ"
        first = f", the first is step {differ[0]}" if len(differ) > 1 else f": step {differ[0]}"
        words = [f"{len(differ)} of {counted(count, 'step')} {verb} from {title}{first}."]
    if len(recording) != len(original):
        ended = recording.complete and recording.converged
        takes = "It takes" if ended else "It was stopped after"
        words.append(f"{takes} {counted(len(recording), 'step')}, {title} takes {len(original)}.")
    ours, theirs = recording.ledger, original.ledger
    if ours is not None and theirs is not None and theirs.transferred_bytes and recording.complete:
        share = round(100 * (ours.transferred_bytes / theirs.transferred_bytes - 1))
        words.append(
            f"It moves {abs(share)} % {'more' if share > 0 else 'fewer'} bytes than {title}."
            if share
            else f"It moves as many bytes as {title}."
        )
    beyond = count if len(recording) > count else None
    return CopyDifference(" ".join(words), differ[0] - 1 if differ else beyond)
