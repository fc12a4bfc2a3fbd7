"""Exports a run: choices, preview, estimate, and writing."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.export import (
    AUTO,
    FOLDER,
    Estimate,
    ExportFormat,
    ExportOptions,
    FormatKind,
    export,
    export_format,
    export_moment,
    with_suffix,
)
from ccl_viewer.export.command import command_line
from ccl_viewer.export.estimate import estimate_job, preview_text
from ccl_viewer.export.exporting import make_job
from ccl_viewer.export.job import ExportJob
from ccl_viewer.recording import Recording
from ccl_viewer.render.pace import seconds_per_step
from ccl_viewer.storage.files import check_writable, is_file
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.units import file_size_text, remaining_text
from ccl_viewer.window.core.messages import MessageAction, MessageKind
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.tasks import EXPORT, BackgroundTask
from ccl_viewer.window.export.choices import (
    SAVED_FIRST,
    ExportChoices,
    ExportSubject,
    command_line_sources,
    options_of,
    picture_options,
    recordings_of,
)

if TYPE_CHECKING:
    from ccl_viewer.window.core.files import Files
    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.settings import Settings
    from ccl_viewer.window.core.tasks import TaskQueue
    from ccl_viewer.window.core.workspace import Workspace

Pixels: TypeAlias = npt.NDArray[np.uint8]

SETTING: Final = "export"
"""Key of the choices in the settings."""

_PREVIEW: Final = "export-preview"
_LONGEST_SIDE: Final = 1440  # pixels of a previewed frame; larger ones are reduced
_MAX_BYTES: Final = 64 << 20  # of packed frames; later ones are not previewed
_BEFORE_ESTIMATE: Final = 12  # frames painted before the size is estimated
_MAX_SAVED: Final = 64 << 20  # bytes of a recording written only to learn its size


class PreviewFrames:
    """The frames of an export, packed to save memory; `size` is width and height."""

    def __init__(self, count: int, size: tuple[int, int]) -> None:
        self.count = count
        self.size = size
        self._frames: list[tuple[bytes, tuple[int, ...]]] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def full(self) -> bool:
        """Whether no more frames are added."""
        return len(self._frames) >= self.count or self._bytes >= _MAX_BYTES

    def add(self, pixels: Pixels) -> None:
        """Add a frame, shape (height, width, 3); a large one is reduced by a whole factor."""
        from PIL import Image

        factor = -(-max(pixels.shape) // _LONGEST_SIDE)
        if factor > 1:
            pixels = np.asarray(Image.fromarray(pixels).reduce(factor))
        packed = zlib.compress(pixels.tobytes(), 1)
        self._bytes += len(packed)
        self._frames.append((packed, pixels.shape))

    def frame(self, number: int) -> Pixels:
        packed, shape = self._frames[number]
        return np.frombuffer(zlib.decompress(packed), np.uint8).reshape(shape)


class Exporter(Model):
    """Exports the run on display; previews and estimates while the user chooses.

    `format` keeps its last value while the name has no known suffix. `frames` keeps the previous
    frames until new ones are painted.
    """

    choices_changed = Signal()
    preview_changed = Signal()  # frames, text or estimate
    error_changed = Signal()  # why the choices cannot be exported

    def __init__(
        self,
        workspace: Workspace,
        *,
        files: Files,
        tasks: TaskQueue,
        messages: Messages,
        settings: Settings,
        theme: str = "dark",
    ) -> None:
        super().__init__()
        subject = ExportSubject.of(workspace)
        if subject is None:
            raise InputError("There is no run to export: run an algorithm first.")
        self.subject = subject
        self.error = ""
        self.frames: PreviewFrames | None = None
        self._workspace, self._files, self._theme = workspace, files, theme
        self._tasks, self._messages, self._settings = tasks, messages, settings
        self._previews = False
        self.choices = self._first_choices(theme)
        self.format: ExportFormat = self.choices.format
        self.preview = ExportPreview((), ExportOptions(), self.format)

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """The runs to export."""
        return recordings_of(self.choices, self.subject, self.format)

    @property
    def options(self) -> ExportOptions:
        """The options of the export; raises InputError if the choices are not valid."""
        return options_of(self.choices, self.subject)

    @property
    def estimating(self) -> bool:
        return self._tasks.busy(_PREVIEW) and not self.preview.estimated

    @property
    def output_path(self) -> str:
        """The file to write; empty while the name has no known format."""
        try:
            row = self.choices.format
        except InputError:
            return ""
        name = Path(self.choices.path).name
        # Not with Path, which drops the slash of a folder.
        path = os.path.expanduser(self.choices.path)  # noqa: PTH111
        return path if name and name != row.suffix else ""

    @property
    def replaces(self) -> bool:
        """Whether the file exists, and will be replaced."""
        return bool(self.output_path) and not self.format.is_folder and is_file(self.output_path)

    @property
    def seconds_per_step(self) -> float:
        if self.choices.seconds is not None:
            return self.choices.seconds
        return seconds_per_step(self.preview.count or len(self.subject.recording))

    @property
    def total_seconds(self) -> float | None:
        """The duration of an animation; None for other formats, or while not known."""
        count = self.preview.count
        if not self.format.is_animated or not count:
            return None
        step = self.seconds_per_step
        return (count - 1) * step + max(step, self.choices.hold)

    @property
    def command(self) -> str:
        """The equivalent command line; empty while the choices are not valid."""
        try:
            options = self.options
        except InputError:
            return ""
        sources = command_line_sources(self._workspace.document, self._files, self.recordings)
        return command_line(sources, self.output_path or self.choices.path, options)

    @property
    def note(self) -> str:
        """A note for the user before the export, in a sentence; may be empty."""
        if self._workspace.display.stale:
            return "The run is out of date: the grid or the settings have changed since."
        if SAVED_FIRST in command_line_sources(
            self._workspace.document, self._files, self.recordings
        ):
            return f"For the command line, export the run as {SAVED_FIRST} first."
        if self.format.is_drawn:
            return "It shows what the canvas shows: choose colours, numbers and marks there."
        return ""

    def change(self, **changes: Any) -> None:
        choices = replace(self.choices, **changes).fitted(self.subject)
        if choices == self.choices:
            return
        with self.transaction():
            self._set(self.choices_changed, choices)
            self._set(self.error_changed, "")
            try:
                self.format = choices.format
            except InputError as error:
                self._set(self.error_changed, str(error))
            if self._previews:
                self.update_preview()

    def choose_format(self, suffix: str) -> None:
        """Choose a format by its suffix; the name follows."""
        row = export_format(FOLDER if suffix == FOLDER else f"run{suffix}")
        self.change(path=with_suffix(self.choices.path, row))

    def update_preview(self) -> None:
        """Update preview and estimate if necessary; from now on, :meth:`change` does so too."""
        tasks, self._previews = self._tasks, True
        if not self.output_path:
            tasks.abandon(_PREVIEW)
            self._announce(self.preview_changed)
            return
        try:
            options = self.options
            if self.format.kind is FormatKind.PAGE and options.theme == AUTO:
                options = replace(options, theme=self._theme)  # this reader's
            preview = ExportPreview(self.recordings, options, self.format)
        except InputError as error:
            self._set(self.error_changed, str(error))
            return
        if preview.cache_key == self.preview.cache_key:
            self._set(self.error_changed, self.preview.error)
            return
        self.preview = preview
        tasks.start(
            "Previewing the export",
            preview.work,
            lambda _: self._on_previewed(),
            self._on_preview_failed,
            group=_PREVIEW,
            progressed=self._on_previewed,
        )
        self._announce(self.preview_changed)

    def export(self, show: Callable[[str], object]) -> bool:
        """Start writing the file, as work that the window shows; return whether it could start.

        A message reports the end; its button calls `show` with the path.
        """
        workspace, path, row = self._workspace, self.output_path, self.format
        if not path:
            return False
        try:
            recordings, options = self.recordings, self.options
            if not row.is_folder:
                check_writable(Path(path))
        except InputError as error:
            self._set(self.error_changed, str(error))
            return False
        self.remember()
        point = None if workspace.display.stale else workspace.document.make_save_point()
        began = perf_counter()

        def work(task: BackgroundTask) -> int:
            def on_frame(done: int, total: int) -> None:
                left = (perf_counter() - began) / done * (total - done)
                progress = f"Frame {done:,} of {total:,}, {remaining_text(left)} left"
                task.report(progress, done / total)

            export(recordings, path, options, progress=on_frame, cancel=task.token)
            return file_size(Path(path))

        def done(size: int) -> None:
            if row.is_whole_run:
                on_display = recordings[0] is workspace.display.recording
                self._files.mark_recording_saved(
                    recordings[0], Path(path), point if on_display else None
                )
            text = f"Exported, {file_size_text(size)}: {path}"
            action = MessageAction("Show in folder", lambda: show(path))
            self._messages.dismiss_error()
            self._messages.show(MessageKind.INFO, text, action=action)

        def failed(error: CCLViewerError) -> None:
            self._messages.show_error("Exporting", error)

        self._tasks.start(f"Exporting {Path(path).name}", work, done, failed, group=EXPORT)
        return True

    def repeat(self, show: Callable[[str], object]) -> None:
        """Export like the last time, under the same name."""
        self.change(path=last_path(self._settings))
        if not self.export(show):
            self._messages.show_error("Exporting again", InputError(self.error))

    def remember(self) -> None:
        self._settings.set_value(SETTING, self.choices.to_values())

    def close(self) -> None:
        self._tasks.abandon(_PREVIEW)
        super().close()

    def _first_choices(self, theme: str) -> ExportChoices:
        subject, values = self.subject, remembered(self._settings)
        last = last_path(self._settings)
        folder = Path(last).parent if last else Path.home()
        stem = Path(self._workspace.document.title).stem or "run"
        section = subject.section or range(len(subject.recording))
        choices = ExportChoices(
            path=f"{folder / stem}.gif",
            start=section.start,
            end=section.stop - 1,
            step=subject.first if len(subject.compared) > 1 else subject.position,
            theme="light" if theme == "light" else "dark",
            sync=subject.sync,
        )
        return choices.with_remembered(values).fitted(subject)

    def _on_previewed(self) -> None:
        frames = self.preview.frames
        if frames is None or len(frames):
            self.frames = frames
        self._announce(self.preview_changed)

    def _on_preview_failed(self, error: CCLViewerError) -> None:
        self.preview.error = str(error)
        self.frames = None
        with self.transaction():
            self._announce(self.preview_changed)
            self._set(self.error_changed, str(error))


@dataclass(eq=False)
class ExportPreview:
    """Paints frames and estimates the size; on the pool.

    Formats other than pictures have a `text`: the beginning of the file, or its contents. The
    estimate is the size of the file, and `count` its number of frames; 0 while not known.
    """

    recordings: tuple[Recording, ...]
    options: ExportOptions
    row: ExportFormat
    frames: PreviewFrames | None = None
    text: str = ""
    estimate: Estimate | None = None
    estimated: bool = False
    count: int = 0
    error: str = ""

    @property
    def cache_key(self) -> object:
        """Everything that its result depends on: all except the pace."""
        return self.recordings, replace(self.options, fps=None, hold=0.0), self.row

    def work(self, task: BackgroundTask) -> None:
        job = make_job(self.recordings, self.options, self.row, cancel=task.token)
        self.count = 1 if self.row.one_step else len(job.frames)
        if self.row.is_drawn:
            self._paint(job, task)
        else:
            self.text = preview_text(job, self.row)
            task.report()
        if not self.estimated:
            self._estimate(job, task)

    def _paint(self, job: ExportJob, task: BackgroundTask) -> None:
        self.frames = PreviewFrames(self.count, job.renderer.size)
        for number in range(len(job.frames) - self.count, len(job.frames)):
            job.check_cancelled()
            self.frames.add(job.paint_rgb(number))
            task.report()
            if len(self.frames) == _BEFORE_ESTIMATE:
                self._estimate(job, task)
            if self.frames.full:
                return

    def _estimate(self, job: ExportJob, task: BackgroundTask) -> None:
        if not self.row.is_whole_run or self.recordings[0].nbytes <= _MAX_SAVED:
            self.estimate = estimate_job(job, self.row)
        self.estimated = True
        task.report()


def remembered(settings: Settings) -> dict[str, Any]:
    values = settings.value(SETTING)
    return values if isinstance(values, dict) else {}


def can_export(workspace: Workspace, tasks: TaskQueue) -> bool:
    """Return whether there is a run to export, and no export is in progress."""
    return ExportSubject.of(workspace) is not None and not tasks.busy(EXPORT)


def last_path(settings: Settings) -> str:
    """Return the file of the last export; empty if there was none."""
    path = remembered(settings).get("path")
    return path if isinstance(path, str) else ""


def paint_picture(
    workspace: Workspace,
    tasks: TaskQueue,
    theme: str,
    take: Callable[[bytes, bytes], object],
    *,
    all_runs: bool = False,
) -> None:
    """Make a picture of the step on display; `take` gets it as PNG and as SVG.

    In a comparison it is of the run in the active pane, or of all runs side by side.
    """
    subject = ExportSubject.of(workspace)
    if subject is None:
        return
    several = all_runs and len(subject.compared) > 1
    runs = subject.compared if several else (subject.recording,)
    steps = workspace.comparison.moments.current_steps
    moment = steps[: len(runs)] if several else (subject.position,)
    options = picture_options(subject, theme)

    def work(task: BackgroundTask) -> tuple[bytes, bytes]:
        with scratch_folder() as folder:
            paths = folder / "step.png", folder / "step.svg"
            for path in paths:
                export_moment(runs, moment, path, options, cancel=task.token)
            png, svg = (path.read_bytes() for path in paths)
        return png, svg

    tasks.start("Copying the picture", work, lambda pictures: take(*pictures))


def file_size(path: Path) -> int:
    """Return the size of a file in bytes, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size
