"""The models of one window, and how they follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor

from ccl_viewer.models.display import RunDisplay
from ccl_viewer.models.document import Document
from ccl_viewer.models.messages import Messages
from ccl_viewer.models.playback import Playback
from ccl_viewer.models.runs import RunController
from ccl_viewer.models.settings import Settings
from ccl_viewer.models.tasks import Post, TaskQueue


class Session:
    """Holds the models of one window.

    Parameters
    ----------
    post : callable
        Has a function called on the window's thread; may be called from any thread.
    settings : Settings or None
        What the window remembers; None for the user's own file.
    executor : concurrent.futures.Executor or None
        The pool; None for one of its own.
    """

    def __init__(
        self, post: Post, settings: Settings | None = None, executor: Executor | None = None
    ) -> None:
        self.tasks = TaskQueue(post, executor)
        self.messages = Messages()
        self.settings = Settings() if settings is None else settings
        self.document = Document(self.tasks, self.messages)
        self.display = RunDisplay()
        self.runs = RunController(self.tasks, self.document, self.display, self.messages)
        self.playback = Playback(self.display)
        # MISSING: self.tools = ToolController(...)          models/tools.py
        # MISSING: self.files = FileController(...)          models/files.py
        # MISSING: self.imports = ImportModel(...)           models/imports.py
        # MISSING: self.view = ViewState(...)                models/view_state.py
        # MISSING: self.labels = LabelCache(self.tasks)      models/labels.py
        # MISSING: self.analysis = RunAnalysis(...)          models/analysis.py
        # MISSING: self.comparison = Comparison(...)         models/comparison.py
        # MISSING: self.lessons = LessonPlayer(...)          models/lesson_player.py
        # MISSING: self.predictor = Predictor(...)           models/predictor.py
        self.messages.facts = self._facts

    def close(self) -> None:
        """Stop all work and forget who follows."""
        self.playback.pause()
        # MISSING: close of the models above, the last one first
        for model in (self.playback, self.runs, self.display, self.document, self.messages):
            model.close()
        self.tasks.close()

    def _facts(self) -> Mapping[str, object]:
        """Return what a bug report should say of the session."""
        shape = self.document.shape
        return {"Grid": f"{self.document.source} {shape}", "Settings": self.runs.settings}
