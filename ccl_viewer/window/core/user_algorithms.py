"""User algorithms; their code runs once the user has allowed it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer.algorithms.own import (
    OWN,
    AllowedAlgorithm,
    CodeVersion,
    allowed_algorithms,
    disallow,
    find_allowed,
)
from ccl_viewer.errors import InputError
from ccl_viewer.user_kernels.own import add_algorithm, add_installed
from ccl_viewer.window.core.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

_INSTALLED: Final = "installed algorithms"
_INSTEAD: Final = "label_equivalence"


class UserAlgorithms(Model):
    """Adds user algorithms, and removes them.

    `pending` is the code that waits for the user's permission. The user is asked once for each
    folder and content: when a folder is added, when a lesson names it, and when a run fails
    because the code was changed.
    """

    pending_changed = Signal()
    rows_changed = Signal()

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
        self._declined: set[CodeVersion] = set()
        self._then: Callable[[str], object] = self._use
        self.pending: CodeVersion | None = None
        runs.running_changed.connect(self._on_running_changed)

    @property
    def rows(self) -> tuple[AllowedAlgorithm, ...]:
        """The allowed algorithms, by name."""
        return tuple(algorithm for _, algorithm in sorted(allowed_algorithms().items()))

    def add(self, path: Path) -> None:
        """Use the algorithm in a folder; ask before, unless its code is allowed already."""
        with self._messages.catch_errors("Add an algorithm"):
            code = CodeVersion.now(path)
            if code.allowed:
                self._use(code.folder.key)
            else:
                self._ask(code, self._use)

    def call_when_allowed(self, codes: Sequence[CodeVersion], then: Callable[[], object]) -> None:
        """Do something once all this code may run; ask about what may not."""
        unknown = next((code for code in codes if not code.allowed), None)
        if unknown is None:
            then()
        else:
            self._ask(unknown, lambda _: self.call_when_allowed(codes, then))

    def remove(self, name: str) -> None:
        """Withdraw the permission to run an algorithm; its folder stays."""
        with self._messages.catch_errors("Remove an algorithm"):
            disallow(name)
            if self._runs.settings.algorithm == OWN + name:
                self._choose(_INSTEAD)
            self._announce(self.rows_changed)

    def allow(self) -> None:
        """Allow the pending code, and use the algorithm."""
        pending = self.pending
        if pending is None:
            return
        then = self._then
        self._ask(None)

        def work(task: BackgroundTask) -> str:
            path = pending.folder.path
            return add_algorithm(
                path, digest=pending.digest, cancel=task.token, progress=task.report
            )

        def done(key: str) -> None:
            self._announce(self.rows_changed)
            then(key)

        self._tasks.start(f"Adding {pending.folder.name}", work, done)

    def decline(self) -> None:
        """Do not allow the pending code."""
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
            self._choose(_INSTEAD)  # its parameters may be others now
        self._choose(key)
        if self._runs.can_run and not self._runs.running:
            self._runs.run()

    def _ask(
        self, version: CodeVersion | None, then: Callable[[str], object] | None = None
    ) -> None:
        self.pending, self._then = version, then or self._use
        self._announce(self.pending_changed)

    def _on_running_changed(self) -> None:
        key = self._runs.settings.algorithm
        if self._runs.running or not self._runs.failure or not key.startswith(OWN):
            return
        with suppress(InputError):
            allowed = find_allowed(key)
            version = CodeVersion(allowed.folder, allowed.folder.digest())
            if version.digest != allowed.digest and version not in self._declined:
                self._ask(version)
