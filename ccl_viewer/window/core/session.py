"""The models of one window, and how they follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor

from ccl_viewer.window.check.model import Checker
from ccl_viewer.window.components.model import Components
from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.comparison import Comparison
from ccl_viewer.window.core.copies import CopyEditor
from ccl_viewer.window.core.display import RunDisplay
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.files import FileController
from ccl_viewer.window.core.imports import ImportModel
from ccl_viewer.window.core.labels import LabelCache
from ccl_viewer.window.core.launch_phases import LaunchPhases
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.runs import RunController
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.core.tasks import Post, TaskQueue
from ccl_viewer.window.core.tools import ToolController
from ccl_viewer.window.core.view_state import ViewState
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.memory.model import Memory
from ccl_viewer.window.predict.model import Predictor


class Session:
    """Holds the models of one window.

    What it remembers is in the user's own file, or in other settings. Its tasks run on a pool of
    its own, or on another executor.
    """

    def __init__(
        self, post: Post, settings: Settings | None = None, executor: Executor | None = None
    ) -> None:
        self.messages = Messages()
        self.tasks = TaskQueue(post, executor, self.messages.show_error)
        self.settings = Settings() if settings is None else settings
        self.document = Document(self.tasks)
        self.display = RunDisplay()
        self.runs = RunController(self.tasks, self.document, self.display, self.messages)
        self.playback = Playback(self.display)
        self.view = ViewState()
        self.tools = ToolController(self.document, self.runs, self.view)
        self.labels = LabelCache(self.tasks)
        self.phases = LaunchPhases(self.tasks, self.display, self.view, self.labels)
        self.analysis = RunAnalysis(self.tasks, self.display)
        self.memory = Memory(self.analysis)
        self.components = Components(self.tasks, self.analysis, self.view)
        self.imports = ImportModel(self.tasks, self.messages, self.runs)
        self.files = FileController(self)
        self.comparison = Comparison(self)
        self.checker = Checker(self)
        self.copies = CopyEditor(self)
        self.lessons = LessonPlayer(self)
        self.exercises = ExercisePlayer(self)
        self.predictor = Predictor(self)
        self.messages.facts = self._facts
        document, view = self.document, self.view
        document.watch("source", lambda: view.set_mode_for_origin(document.source))
        document.watch("shape", lambda: view.set_shape(document.shape or (0, 0)))

    @property
    def models(self) -> tuple[Model, ...]:
        """All models that can change what is shown and what can be done; the newest first."""
        made = reversed(vars(self).values())
        return tuple(value for value in made if isinstance(value, Model))

    def close(self) -> None:
        self.playback.pause()
        for model in self.models:
            model.close()

    def _facts(self) -> Mapping[str, object]:
        shape = self.document.shape
        return {"Grid": f"{self.document.source} {shape}", "Settings": self.runs.settings}
