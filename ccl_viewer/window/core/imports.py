"""Pictures about to become the grid: offered with choices, and previewed."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.errors import CCLViewerError, LargeInputError, shorten
from ccl_viewer.grids import Grid
from ccl_viewer.grids.files import IMPORTED_SUFFIXES, Content, GridContent, read_content
from ccl_viewer.grids.grid import DEFAULT_PIXELS, MAX_PIXELS
from ccl_viewer.grids.import_settings import Channel, ImportKind, ImportSettings
from ccl_viewer.grids.importing import (
    ImportedGrid,
    PictureSource,
    convert,
    has_few_values,
    suggest_settings,
)
from ccl_viewer.grids.picture_selector import FIRST, PicturePosition, PictureSelector
from ccl_viewer.grids.pictures import Picture, drop_equal_colours
from ccl_viewer.grids.thresholds import count_decimals
from ccl_viewer.reference import label_reference
from ccl_viewer.storage.files import is_file
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.core.model import Model, emit
from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

if TYPE_CHECKING:
    from ccl_viewer.window.core.runs import RunController

PREVIEW_SIDE: Final = 1024
"""The longest side of pictures on display, in pixels."""

BARS: Final = 128
"""Bars of a histogram."""

_GROUP: Final = "import preview"
QUICK_PIXELS: Final = 1 << 20
"""Pictures and grids up to this size are converted immediately, larger ones on the task queue."""

_COUNTED_CELLS: Final = 1 << 24
"""Components of larger grids are not counted for the preview."""

_KEPT_BYTES: Final = 1 << 28
"""Larger pictures from the clipboard are not kept for another import."""


@dataclass(frozen=True, eq=False)
class PendingPicture:
    """A picture that waits for import settings, with its origin and a thumbnail."""

    source: PictureSource
    name: str
    thumbnail: npt.NDArray[np.uint8]  # shape (height, width, 3)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.source.picture.size

    @property
    def position_in_file(self) -> PicturePosition:
        """Which picture of the file it is."""
        return self.source.picture.position


@dataclass(frozen=True)
class UnconfirmedFile:
    """A large file that is read only if the user confirms it, and its size in words."""

    path: str
    fact: str


@dataclass(frozen=True, eq=False)
class ImportPreview:
    """What is known of the grid that a picture would become."""

    cells: Grid | None = None  # of the crop, small
    scale: tuple[float, float] = (0, 255)  # lowest and highest value of the channel
    decimals: int = 0  # that a threshold on this scale needs
    bars: npt.NDArray[np.float64] | None = None  # histogram of the crop between these two
    otsu: float | None = None  # Otsu's threshold of the crop
    converted: ImportedGrid | None = None  # the whole grid
    component_count: int | None = None  # number of components
    counting: bool = False  # whether they are being counted
    error: str = ""  # why the picture gives no grid, in a sentence


@dataclass(frozen=True, eq=False)
class LastImport:
    """The last import, for importing again; a file is read anew."""

    name: str
    settings: ImportSettings
    picture: Picture | None = None
    selector: PictureSelector = FIRST  # which picture of the file


class Imports(Model):
    """Reads pictures, arrays and text, and asks for choices where they are needed.

    `ask` says whether the next picture is offered for choices.

    `imported` is emitted with a grid, uint8 of shape (height, width); its path, or "the clipboard";
    and whether the grid is multi-valued; None leaves that unchanged.
    """

    pending_changed = Signal()  # a picture waits for choices
    settings_changed = Signal()  # how it would be imported
    preview_changed = Signal()  # the result
    turning_changed = Signal()  # another picture of its file is being read
    unconfirmed_changed = Signal()  # a large file waits for confirmation
    last_changed = Signal()  # the last import, which can be repeated
    imported = Signal(object, str, object)

    def __init__(self, tasks: TaskQueue, messages: Messages, runs: RunController) -> None:
        super().__init__()
        self.pending: PendingPicture | None = None
        self.settings = ImportSettings()
        self.preview = ImportPreview()
        self.turning = False
        self.unconfirmed: UnconfirmedFile | None = None
        self.ask = True
        self._tasks, self._messages, self._runs = tasks, messages, runs
        self.last: LastImport | None = None
        self._remembered: dict[ImportKind, ImportSettings] = {}  # by the suggested kind
        self._full = threading.Lock()  # a source caches its last result

    def open(self, path: str, *, large: bool = False) -> None:
        """Read a picture, an array or text; if choices are needed, it waits as `pending`.

        A file that takes gigabytes of memory must be confirmed unless `large` is true.
        """
        self._set(self.unconfirmed_changed, None)
        most = MAX_PIXELS if large else DEFAULT_PIXELS
        title = f"Opening {Path(path).name}"

        def work(task: BackgroundTask) -> GridContent | PendingPicture:
            task.report("Reading")
            return _pending_picture(read_content(path, most, FIRST), path)

        def failed(error: CCLViewerError) -> None:
            if isinstance(error, LargeInputError):
                self._set(self.unconfirmed_changed, UnconfirmedFile(path, error.fact))
            else:
                self._messages.show_error(title, error)

        self._tasks.start(title, work, lambda content: self._on_read(content, path), failed)

    def open_content(self, content: Content, name: str) -> None:
        """Take a grid or pixels from another program, with its name."""
        self._set(self.unconfirmed_changed, None)
        self._tasks.start(
            f"Opening {name}",
            lambda _task: _pending_picture(content, name),
            lambda result: self._on_read(result, name),
        )

    def note_opened(
        self, path: str, settings: ImportSettings, selector: PictureSelector = FIRST
    ) -> None:
        """Remember a picture that was opened without questions, for importing again."""
        if Path(path).suffix.lower() in IMPORTED_SUFFIXES:
            self._set(self.last_changed, LastImport(path, settings, selector=selector))

    def repeat(self) -> None:
        """Offer the last picture again, with the settings of its import."""
        last = self.last
        if last is None:
            return
        self._set(self.unconfirmed_changed, None)

        def work(task: BackgroundTask) -> GridContent | PendingPicture:
            task.report("Reading")
            content = last.picture or read_content(last.name, MAX_PIXELS, last.selector)
            return _pending_picture(content, last.name)

        def done(content: GridContent | PendingPicture) -> None:
            if isinstance(content, PendingPicture):
                self._put(content, _fit_settings(last.settings, content.source))
            else:
                name = shorten(last.name)
                self._messages.tell(
                    f"{name} already gives every cell a value; there is nothing to choose."
                )

        self._tasks.start(f"Opening {Path(last.name).name}", work, done)

    def turn_to(self, index: int | None = None, channel: int | None = None) -> None:
        """Offer another picture or channel of the file, from 0, instead of the pending one."""
        before = self.pending
        if before is None:
            return
        changes = {"index": index, "channel": channel}
        position = replace(
            before.position_in_file, **{name: n for name, n in changes.items() if n is not None}
        )
        if position == before.position_in_file:
            return
        self._set(self.turning_changed, True)

        def done(content: GridContent | PendingPicture) -> None:
            self._set(self.turning_changed, False)
            if isinstance(content, PendingPicture):
                settings = _fit_settings(self.settings, content.source)
                if content.size != before.size:
                    settings = replace(settings, crop=None)
                self._put(content, settings)

        def failed(error: CCLViewerError) -> None:
            self._set(self.turning_changed, False)
            self._put(before, self.settings)
            self._messages.show_error(f"Opening {Path(before.name).name}", error)

        def work(_task: BackgroundTask) -> GridContent | PendingPicture:
            return _pending_picture(
                read_content(before.name, MAX_PIXELS, position.selector), before.name
            )

        self._tasks.start("Opening another picture", work, done, failed, group=_GROUP)

    def configure(self, **changes: Any) -> None:
        """Change fields of the settings, and preview the result."""
        if self.pending is not None and self._set(
            self.settings_changed, replace(self.settings, **changes)
        ):
            if "crop" in changes:  # the cells are of another part of the picture
                self.preview = replace(self.preview, cells=None)
            self._update_preview(self.pending)

    def accept(self, *, ask: bool = True) -> None:
        """Import the pending picture; without `ask`, import later pictures the same way."""
        pending, settings, converted = self.pending, self.settings, self.preview.converted
        if pending is None:
            return
        self.ask = ask
        kind = _suggest_settings(pending).kind
        self._remembered[kind] = replace(settings, crop=None, target=None)
        self._withdraw()
        self._note(pending, settings)

        def deliver(imported: ImportedGrid) -> None:
            emit(self.imported, imported.grid, pending.name, imported.multivalued)

        if converted is not None:
            deliver(converted)
            return

        def work(task: BackgroundTask) -> ImportedGrid:
            with self._full:
                return convert(pending.source, settings, task.check)

        self._tasks.start(f"Importing {Path(pending.name).name}", work, deliver)

    def decline(self) -> None:
        """Drop the pending picture or the large file."""
        self._withdraw()
        self._set(self.unconfirmed_changed, None)

    def confirm(self) -> None:
        unconfirmed = self.unconfirmed
        if unconfirmed is not None:
            self.open(unconfirmed.path, large=True)

    def _on_read(self, content: GridContent | PendingPicture, name: str) -> None:
        if isinstance(content, GridContent):
            self.note_opened(name, ImportSettings())
            several = True if content.grid.max() > 1 else None
            emit(self.imported, content.grid, name, several)
            return
        settings = self._settings_for(content)
        if self.ask or not content.position_in_file.alone:
            self._put(content, settings)
        else:
            self.pending, self.settings, self.preview = content, settings, ImportPreview()
            self.accept(ask=False)

    def _settings_for(self, pending: PendingPicture) -> ImportSettings:
        """Return initial settings: those of the last such picture, except for its kind.

        The kind follows from the picture, unless the user does not want to be asked.
        """
        settings, source = _suggest_settings(pending), pending.source
        last = self._remembered.get(settings.kind)
        if last is None:
            return settings
        stays = not self.ask and (
            last.kind is not ImportKind.VALUES or has_few_values(source.picture)
        )
        return replace(_fit_settings(last, source), kind=last.kind if stays else settings.kind)

    def _put(self, pending: PendingPicture, settings: ImportSettings) -> None:
        self.pending, self.settings, self.preview = pending, settings, ImportPreview()
        with self.transaction():
            self._update_preview(pending)
            self._announce(self.pending_changed, self.settings_changed)

    def _withdraw(self) -> None:
        self._tasks.abandon(_GROUP)
        self._set(self.turning_changed, False)
        if self.pending is not None:
            self.pending = None
            self.preview = ImportPreview()
            self._announce(self.pending_changed)

    def _note(self, pending: PendingPicture, settings: ImportSettings) -> None:
        picture = None if is_file(pending.name) else pending.source.picture
        fits = picture is None or picture.planes.nbytes <= _KEPT_BYTES
        last = LastImport(pending.name, settings, picture, pending.position_in_file.selector)
        self._set(self.last_changed, last if fits else None)

    def _update_preview(self, pending: PendingPicture) -> None:
        """Preview a small picture immediately; preview and count a large one on the task queue."""
        source, settings = pending.source, self.settings
        connectivity = self._runs.settings.connectivity
        grid_size = settings.result_size(pending.size)

        def failed(error: CCLViewerError) -> None:
            self._tasks.abandon(_GROUP)
            shown = replace(self.preview, converted=None, cells=None, counting=False)
            self._show(replace(shown, error=str(error)))

        initial = replace(
            self.preview, converted=None, component_count=None, counting=True, error=""
        )
        if max(math.prod(pending.size), math.prod(grid_size)) <= QUICK_PIXELS:
            try:
                initial = _make_preview(source, settings)
            except CCLViewerError as error:
                failed(error)
                return
        self._show(initial)

        def work(task: BackgroundTask) -> ImportPreview:
            preview = initial
            if preview.converted is None:
                with self._full:
                    task.check()
                    preview = _make_preview(source, settings, task.check)
            converted, count = preview.converted, None
            if converted is not None and converted.grid.size <= _COUNTED_CELLS:
                task.check()
                _, count = label_reference(
                    converted.grid, connectivity, multivalued=converted.multivalued
                )
            return replace(preview, component_count=count, counting=False)

        self._tasks.start("Previewing", work, self._show, failed, group=_GROUP)

    def _show(self, preview: ImportPreview) -> None:
        self.preview = preview
        self._announce(self.preview_changed)


def _pending_picture(content: Content, name: str) -> GridContent | PendingPicture:
    """Return the picture if settings are needed, else its cells.

    Colours that are all grey become one channel.
    """
    if isinstance(content, GridContent):
        return content
    if content.coloured:
        content = replace(content, planes=drop_equal_colours(content.planes))
    if content.binary and content.position.alone:
        note = "A picture of black and white: white is foreground."
        return GridContent((content.planes != 0).astype(np.uint8), note)
    return PendingPicture(PictureSource(content), name, _thumbnail(content))


def _suggest_settings(pending: PendingPicture) -> ImportSettings:
    array = Path(pending.name).suffix.lower() == ".npy"
    return suggest_settings(pending.source.picture, array=array)


def _fit_settings(settings: ImportSettings, source: PictureSource) -> ImportSettings:
    """Return the settings without those that a picture cannot use."""
    if settings.channel not in source.channels:
        settings = replace(settings, channel=Channel.LUMA, threshold="otsu")
    # A threshold means the same only on the same scale.
    if settings.threshold != "otsu":
        low, high = source.threshold_range(settings.channel)
        if settings.threshold is not None and not low <= settings.threshold <= high:
            settings = replace(settings, threshold="otsu")
    return settings


def _make_preview(
    source: PictureSource, settings: ImportSettings, check: Check = never_cancel
) -> ImportPreview:
    """Return the grid that a picture becomes, its histogram, and Otsu's threshold."""
    preview = ImportPreview(counting=True)
    if settings.kind is not ImportKind.VALUES and source.picture.planes.dtype != np.bool_:
        low, high = source.threshold_range(settings.channel)
        histogram = source.histogram(settings.channel, settings.crop_for(source.picture.size))
        bars = np.zeros(BARS) if histogram is None else histogram.bars(low, high, BARS)
        whole = histogram is None or histogram.whole
        decimals = count_decimals(low, high, whole=whole)
        preview = replace(
            preview, scale=(low, high), decimals=decimals, bars=bars, otsu=source.otsu(settings)
        )
    converted = convert(source, settings, check)
    return replace(preview, converted=converted, cells=_subsample(converted.grid))


def _subsample(cells: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return every nth cell of every nth row, at most :data:`PREVIEW_SIDE` of each."""
    step = -(-max(cells.shape[:2]) // PREVIEW_SIDE)
    return np.ascontiguousarray(cells[::step, ::step])


def _thumbnail(picture: Picture) -> npt.NDArray[np.uint8]:
    """Return the picture as RGB, reduced."""
    small = _subsample(picture.planes)
    if small.dtype != np.uint8 or picture.white != 255:
        small = _stretch_contrast(small.astype(np.float64))
    return np.repeat(small[:, :, None], 3, axis=2) if small.ndim == 2 else small


def _stretch_contrast(values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Return values as grey levels from lowest to highest; NaN is black, infinity extreme."""
    finite = values[np.isfinite(values)]
    # Halved, because the difference may exceed the largest number.
    low, high = (finite.min() / 2, finite.max() / 2) if finite.size else (0.0, 0.0)
    shares = (values / 2 - low) / max(high - low, 1e-300)
    shades: npt.NDArray[np.uint8] = np.nan_to_num(shares.clip(0, 1) * 255, nan=0.0).astype(np.uint8)
    return shades
