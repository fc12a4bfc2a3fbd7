"""Opens, saves and remembers files, and offers the drawing that a killed window left."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from psygnal import Signal

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.errors import CCLViewerError, InputError, SeveralPicturesError, shorten
from ccl_viewer.grids import Grid, Loaded, open_grid, save_grid
from ccl_viewer.grids.editor import GridEditor
from ccl_viewer.grids.grid import DEFAULT_PIXELS, MAX_PIXELS
from ccl_viewer.grids.import_settings import ImportKind, ImportSettings
from ccl_viewer.grids.picture_selector import ONLY, PictureSelector
from ccl_viewer.grids.specs import is_multivalued_pattern, is_pattern, open_segments, parse_pattern
from ccl_viewer.grids.thresholds import Threshold
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.storage.files import is_file
from ccl_viewer.window.core.autosave import (
    Autosave,
    RecoveryFile,
    find_recovery_file,
    read_recovery_file,
)
from ccl_viewer.window.core.document import SavePoint
from ccl_viewer.window.core.model import Model, emit
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.runs import replacement_text
from ccl_viewer.window.core.tasks import BackgroundTask

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.imports import Imports
    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.settings import Settings
    from ccl_viewer.window.core.tasks import TaskQueue

RECORDING_SUFFIX: Final = ".cclrec"

MAX_RECENT: Final = 10
"""Most files that are remembered."""

_RECENT_KEY: Final = "recent/files"
_TEXTS: Final = {".txt", ".rle"}
_SAVING: Final = "save"  # opening another file does not cancel it
_RESTORED: Final = "Restored drawing"


class Files(Model):
    """Opens files and patterns, saves the grid and the run, and remembers recent files."""

    recent_changed = Signal()
    recovered_drawing_changed = Signal()  # a recovered drawing is offered, or no longer
    replacing = Signal()
    """Another grid is about to replace the one on display."""

    def __init__(
        self,
        *,
        tasks: TaskQueue,
        messages: Messages,
        settings: Settings,
        document: Document,
        display: RunDisplay,
        runs: RunController,
        imports: Imports,
    ) -> None:
        super().__init__()
        self.recovered_drawing: RecoveryFile | None = None
        self.autosave = Autosave(document, tasks, messages)
        self._document, self._runs, self._display = document, runs, display
        self._tasks, self._messages = tasks, messages
        self._settings, self._imports = settings, imports
        self._recording_files = WeakKeyDictionary[Recording, Path]()
        self.confirm_loss: Callable[[Callable[[], object]], object] = lambda go_on: go_on()
        """Called with what replaces the grid once it is read: the user may have drawn meanwhile."""
        self._imports.imported.connect(self._take_imported)

    # Opening

    def open(
        self,
        spec: str,
        *,
        step: int | None = None,
        threshold: Threshold = "otsu",
        invert: bool = False,
        large: bool = False,
        segments: bool = False,
        selector: PictureSelector = ONLY,
    ) -> None:
        """Open a file, or ``pattern:NAME?key=value``, without questions, and run it.

        In the end `step` is shown; it counts from 0, or backwards from -1. None is the last step of
        a run, the first of a recording. Threshold and `invert` are as for
        :func:`ccl_viewer.grids.load_image`. A picture that takes gigabytes of memory is refused
        unless `large` is true. With `segments`, a pattern may also choose the algorithm. If a file
        has several pictures, `selector` names one; otherwise the choices are offered.
        """
        if Path(spec).suffix.lower() == RECORDING_SUFFIX and not is_pattern(spec):
            self._open_recording(spec, step)
            return
        most = MAX_PIXELS if large else DEFAULT_PIXELS
        settings = self._runs.settings
        able = segments or find_algorithm(settings.algorithm).multivalued
        several = settings.multivalued or (able and is_multivalued_pattern(spec))

        def work(_task: BackgroundTask) -> Loaded:
            index, channel = selector.index or None, selector.channel
            if several:
                return open_segments(spec, most, index=index, channel=channel)
            return open_grid(
                spec, threshold, invert=invert, max_pixels=most, index=index, channel=channel
            )

        def done(loaded: Loaded) -> None:
            if not is_pattern(spec):
                kind = ImportKind.VALUES if loaded.multivalued else ImportKind.BINARY
                chosen = ImportSettings(kind=kind, threshold=threshold, invert=invert)
                self._imports.note_opened(spec, chosen, replace(selector, first=True))
            editor = GridEditor(loaded.grid, multivalued=loaded.multivalued)
            self.confirm_loss(lambda: self._begin(editor, loaded.source, step))

        def failed(error: CCLViewerError) -> None:
            if isinstance(error, SeveralPicturesError) and selector == ONLY:
                self._imports.open(spec, large=large)
            else:
                self._messages.show_error(title, error)

        title = f"Opening {Path(spec).name}"
        self._tasks.start(title, work, done, failed)

    def open_or_import(self, path: str) -> None:
        """Open a file of any kind; a picture that needs choices is offered for them first."""
        if is_pattern(path) or Path(path).suffix.lower() == RECORDING_SUFFIX:
            self.open(path, segments=True)
        else:
            self._imports.open(path)

    def announce_replacing(self) -> None:
        """Announce that another grid replaces this one: an open lesson is left."""
        emit(self.replacing)
        self._messages.dismiss_error()

    # Saving

    def save(self, path: Path, then: Callable[[], object] = lambda: None) -> None:
        """Write the grid; then go on."""
        self._document.selection.place()
        grid, point = self._document.grid, self._document.make_save_point()
        if grid is None or point is None:
            self._messages.tell("There is no grid to save yet: open a picture, or draw one.")
            return
        cells = grid.copy()

        def work(_task: BackgroundTask) -> None:
            save_grid(path, cells, multivalued=bool(cells.max() > 1))

        def done(_result: None) -> None:
            self._document.mark_saved(point, path)
            self.add_recent(str(path))
            self._messages.dismiss_error()
            self._messages.tell(f"Saved {shorten(path)}.")
            then()

        self._tasks.start(f"Saving {path.name}", work, done, group=_SAVING)

    def mark_recording_saved(
        self, recording: Recording, path: Path, point: SavePoint | None
    ) -> None:
        """Remember the file of a recording, and perhaps of its drawing."""
        self._recording_files[recording] = path
        if point is not None:
            self._document.mark_saved(point, path)
        self.add_recent(str(path))

    def recording_path(self, recording: Recording) -> Path | None:
        """Return the file of a recording; None if it is in no file."""
        return self._recording_files.get(recording)

    @property
    def suggested_name(self) -> str:
        """A name for a file of the grid.

        The file of a picture is not suggested: the grid is only what its pixels became.
        """
        path, source = self._document.path, self._document.source
        if path is not None and path.suffix.lower() != RECORDING_SUFFIX:
            return str(path)
        if is_pattern(source):
            return f"{parse_pattern(source)[0].key}.png"
        name = Path(source)
        if name.suffix.lower() in _TEXTS and is_file(name):
            return source
        return f"{name.stem}-grid.png" if name.suffix else "grid.png"

    # Recent files

    @property
    def recent(self) -> tuple[str, ...]:
        """Files opened or saved that still exist, the last one first."""
        return tuple(name for name in self._recent_names() if is_file(name))

    def add_recent(self, path: str) -> None:
        name = str(Path(path).absolute())

        def add(recent: list[str]) -> list[str]:
            names = [name, *(other for other in recent if other != name)]
            if len(names) > MAX_RECENT:  # files on a missing drive go first
                names = [name for name in names if is_file(name)]
            return names[:MAX_RECENT]

        self._change_recent(add)

    def open_recent(self, path: str) -> None:
        """Open a file of the list; if it is missing, report that and remove it from the list."""
        if not is_file(path):
            self._change_recent(lambda names: [name for name in names if name != path])
        self.open_or_import(path)

    def clear_recent(self) -> None:
        self._change_recent(lambda _names: [])

    # Recovered drawing

    def look_for_recovery_file(self) -> None:
        if self.recovered_drawing is None:
            self._set(self.recovered_drawing_changed, find_recovery_file())

    def restore_recovery_file(self) -> None:
        """Begin with the recovered drawing, as one without a file."""
        left = self.recovered_drawing
        if left is None:
            return

        def show(editor: GridEditor) -> None:
            self._set(self.recovered_drawing_changed, None)
            self._begin(editor, _RESTORED)
            try:
                left.path.replace(self.autosave.claim())  # it is in a file at all times
            except OSError:
                self.autosave.write()
            left.delete()

        self._tasks.start(
            "Restoring the drawing",
            lambda _task: read_recovery_file(left.path),
            lambda editor: self.confirm_loss(lambda: show(editor)),
        )

    def discard_recovery_file(self) -> None:
        """Delete the recovered drawing; there may be another."""
        if self.recovered_drawing is not None:
            self.recovered_drawing.delete()
            self._set(self.recovered_drawing_changed, find_recovery_file())

    def postpone_recovery_file(self) -> None:
        """Leave the recovered drawing to the next start."""
        if self.recovered_drawing is not None:
            self.recovered_drawing.release()
            self._set(self.recovered_drawing_changed, None)

    def close(self) -> None:
        """Leave the recovered drawing to the next start, and this one unless it was discarded."""
        self.postpone_recovery_file()
        self.autosave.close()
        super().close()

    # Bookkeeping

    def _open_recording(self, path: str, step: int | None) -> None:
        def work(task: BackgroundTask) -> ShownRun:
            return ShownRun.prepare(open_recording(path, task.token), task.check)

        def show(shown: ShownRun) -> None:
            recording = shown.recording
            self.announce_replacing()
            with self._runs.without_runs():
                self._document.bring_back_user_grid()
                self._document.load_grid(recording.image, path, multivalued=recording.multivalued)
                first = recording.initial_step or 0
                self._runs.show_recording(shown, index=first if step is None else step)
            self._recording_files[recording] = Path(path)
            self.add_recent(path)

        title = f"Opening {Path(path).name}"
        self._tasks.start(title, work, lambda shown: self.confirm_loss(lambda: show(shown)))

    def _take_imported(self, grid: Grid, name: str, several: bool | None) -> None:
        now = self._runs.settings.multivalued
        editor = GridEditor(grid, multivalued=now if several is None else several)
        self.confirm_loss(lambda: self._begin(editor, name))

    def _begin(self, editor: GridEditor, source: str, step: int | None = None) -> None:
        self.announce_replacing()
        before = self._runs.settings.algorithm
        with self._runs.without_runs():
            self._document.bring_back_user_grid()
            self._document.load_editor(editor, source)
            self._runs.run(step=step)
        now = self._runs.settings.algorithm
        if now != before:
            self._messages.tell(replacement_text(before, now))
        if not is_pattern(source) and is_file(source):
            self.add_recent(source)

    def _recent_names(self) -> list[str]:
        return _read_names(self._settings.value(_RECENT_KEY))

    def _change_recent(self, change: Callable[[list[str]], list[str]]) -> None:
        before = self._recent_names()
        if change(before) != before:
            with suppress(InputError):  # start and end of the program report it
                self._settings.update(_RECENT_KEY, lambda value: change(_read_names(value)))
            self._announce(self.recent_changed)


def _read_names(value: object) -> list[str]:
    names = value if isinstance(value, list) else []
    return [name for name in names if isinstance(name, str) and name][:MAX_RECENT]
