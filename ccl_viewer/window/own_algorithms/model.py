"""Adds user algorithms, whose code runs once the user allowed it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer.algorithms.own import OWN, OwnFolder, find_own, own_folder
from ccl_viewer.errors import InputError
from ccl_viewer.user_kernels.own import add_algorithm, add_installed, is_allowed
from ccl_viewer.window.core.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

_INSTALLED: Final = "installed algorithms"


@dataclass(frozen=True)
class CodeQuestion:
    """Whether the code in a folder may run, with the content that it has now."""

    folder: OwnFolder
    digest: str


class OwnAlgorithms(Model):
    """Adds user algorithms.

    `pending` is the question that the user has to answer. It is asked once for each folder and
    content: when a folder is added, and when a run fails as the code was changed.
    """

    pending_changed = Signal()

    def __init__(
        self,
        *,
        tasks: TaskQueue,
        messages: Messages,
        runs: RunController,
        choose: Callable[[str], object],
    ) -> None:
        super().__init__()
        self._tasks, self._messages, self._runs, self._choose = tasks, messages, runs, choose
        self._declined: set[CodeQuestion] = set()
        self.pending: CodeQuestion | None = None
        runs.running_changed.connect(self._on_running_changed)

    def add(self, path: Path) -> None:
        """Use the algorithm in a folder; ask before, unless its code is allowed already."""
        with self._messages.errors("Add an algorithm"):
            folder = own_folder(path)
            if is_allowed(folder):
                self._use(folder.key)
            else:
                self._ask(CodeQuestion(folder, folder.digest()))

    def allow(self) -> None:
        """Let the code run that was asked about, and use the algorithm."""
        asked = self.pending
        if asked is None:
            return
        self._ask(None)

        def work(task: BackgroundTask) -> str:
            path = asked.folder.path
            return add_algorithm(path, digest=asked.digest, cancel=task.token, progress=task.report)

        self._tasks.start(f"Adding {asked.folder.name}", work, self._use)

    def decline(self) -> None:
        """Leave the code alone that was asked about."""
        if self.pending is not None:
            self._declined.add(self.pending)
            self._ask(None)

    def add_installed(self) -> None:
        """Add what installed packages bring, in the background."""

        def done(failures: tuple[str, ...]) -> None:
            for failure in failures:
                self._messages.tell(failure)

        self._tasks.start(
            "Reading installed algorithms",
            lambda task: add_installed(task.token),
            done,
            group=_INSTALLED,
        )

    def _use(self, key: str) -> None:
        if self._runs.settings.algorithm == key:
            self._choose("label_equivalence")  # its parameters may be others now
        self._choose(key)
        if self._runs.can_run and not self._runs.running:
            self._runs.run()

    def _ask(self, asked: CodeQuestion | None) -> None:
        self.pending = asked
        self._announce(self.pending_changed)

    def _on_running_changed(self) -> None:
        key = self._runs.settings.algorithm
        if self._runs.running or not self._runs.failure or not key.startswith(OWN):
            return
        with suppress(InputError):
            known = find_own(key)
            asked = CodeQuestion(known.folder, known.folder.digest())
            if asked.digest != known.digest and asked not in self._declined:
                self._ask(asked)
