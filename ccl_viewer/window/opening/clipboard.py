"""Exchange with other programs: cells, pictures, text and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QWidget

from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.grids import Grid, rle, text_art
from ccl_viewer.grids.files import GridContent, parse_cells
from ccl_viewer.grids.pictures import Picture, compose_picture
from ccl_viewer.storage.files import local_path
from ccl_viewer.window.core.tasks import BackgroundTask
from ccl_viewer.window.widgets.patterns import grid_image

if TYPE_CHECKING:
    from ccl_viewer.window.core.session import Session
    from ccl_viewer.window.widgets.files import QtFiles

AT_ONCE_CELLS: Final = 1 << 22
_MAX_TEXT: Final = 1 << 25  # characters; longer text is ignored
_GROUP: Final = "clipboard"


class QtClipboard(QObject):
    """Cut, copy and paste: cells with their values between windows, text and pictures elsewhere."""

    def __init__(self, session: Session, files: QtFiles, window: QObject) -> None:
        super().__init__(window)
        self._session, self._files = session, files

    def copy(self) -> None:
        """Copy the selection, or the whole grid, as a picture and as text."""
        selection = self._session.document.selection
        note = "" if selection.box else "The grid is on the clipboard, as a picture and as text."
        self._put(selection.copy_cells(), note)

    def cut(self) -> None:
        self._put(self._session.document.selection.cut_cells())

    def paste(self, at: tuple[int, int] | None = None) -> None:
        """Float the pasted cells over the grid; a picture or a file is opened instead of the grid.

        The cells are centred on a cell, if one is given and nothing is selected.
        """
        if self._session.tasks.busy(_GROUP):
            self._session.messages.tell(
                "The cells are still being copied: paste again in a moment."
            )
            return
        where = at if self._session.document.selection.box is None else None
        self.open_pasted(lambda cells: self._session.tools.paste(cells, where))

    def open_pasted(self, paste: Callable[[Grid], object] | None = None) -> None:
        """Open the contents of the clipboard, or paste cells; say so if there is nothing usable.

        An opened picture or file replaces the grid.
        """
        if not self._open_or_paste(QGuiApplication.clipboard().mimeData(), "the clipboard", paste):
            self._session.messages.tell(
                "The clipboard holds no picture, file, RLE or text of '.' and '#': copy one first."
            )

    def drop(self, data: QMimeData) -> bool:
        """Open what was dropped on the window; return whether it was usable."""
        return self._open_or_paste(data, "another program")

    def _open_or_paste(
        self, data: QMimeData | None, name: str, paste: Callable[[Grid], object] | None = None
    ) -> bool:
        session = self._session
        try:
            brought = read_mime_data(data)
        except CCLViewerError as error:
            session.messages.show_error("Opening", error)
            return True
        if brought is None:
            return False
        if isinstance(brought, str):
            self._files.open_path(brought)
        elif paste is not None and isinstance(brought, GridContent):
            paste(brought.grid)
        else:
            self._files.replace(lambda: session.imports.open_content(brought, name))
        return True

    def _put(self, cells: Grid | None, sentence: str = "") -> None:
        """Copy cells to the clipboard, as a picture and as text, which has their values."""
        if cells is None:
            return
        multivalued = self._session.document.multivalued

        def work(_task: BackgroundTask | None) -> tuple[QImage, str]:
            """Return the cells in the formats that other programs and windows accept."""
            return grid_image(cells, multivalued=multivalued), grid_text(cells)

        def done(packed: tuple[QImage, str]) -> None:
            data = QMimeData()
            data.setImageData(packed[0])
            data.setText(packed[1])
            QGuiApplication.clipboard().setMimeData(data)
            if sentence:
                self._session.messages.tell(sentence)

        if cells.size <= AT_ONCE_CELLS:
            done(work(None))
        else:
            self._session.tasks.start("Copying", work, done, group=_GROUP)


class DropTarget(QLabel):
    """Accepts drops on a widget, and shows the target during a drag.

    It covers the widget while something is dragged over it.
    """

    def __init__(self, over: QWidget, clipboard: QtClipboard) -> None:
        center = Qt.AlignmentFlag.AlignCenter
        super().__init__("Drop to open it as the grid", over, alignment=center)
        self._over, self._clipboard = over, clipboard
        self.setProperty("role", "drop")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        over.setAcceptDrops(True)
        over.installEventFilter(self)

    def eventFilter(self, over: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent):
            if can_read(event.mimeData()):
                event.acceptProposedAction()
                self.resize(self._over.size())
                self.raise_()
                self.show()
            return True
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            self.hide()
            if self._clipboard.drop(event.mimeData()):
                event.acceptProposedAction()
            return True
        if event.type() is QEvent.Type.DragLeave:
            self.hide()
        return super().eventFilter(over, event)


def can_read(data: QMimeData) -> bool:
    """Return whether dropped or pasted data may be usable, without reading it."""
    if any(url.isLocalFile() for url in data.urls()) or data.hasImage():
        return True
    return data.hasText() and _is_grid(data.text())


def _local_file(url: QUrl) -> str:
    """Return the path of a file; unlike Qt, without the host localhost and with any bytes."""
    name = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
    path = local_path(name)
    return url.toLocalFile() if path == name else path


def read_mime_data(data: QMimeData | None) -> str | GridContent | Picture | None:
    """Return the dropped or pasted data: the name of a file, a grid, pixels, or None.

    Raises InputError for broken text art or RLE, or more than one file.
    """
    if data is None:
        return None
    files = [_local_file(url) for url in data.urls() if url.isLocalFile()]
    if len(files) > 1:  # their order is arbitrary
        raise InputError(f"Only one file can be opened, not {len(files):,}: choose one of them.")
    if files:
        return files[0]
    # Text before pictures: spreadsheets and editors add a picture of their text.
    if data.hasText() and _is_grid(data.text()):
        return parse_cells(data.text())
    if data.hasImage():
        image = data.imageData()
        if isinstance(image, QImage) and not image.isNull():
            return picture_from_image(image)
        raise InputError("The picture cannot be read: save it to a file and open that.")
    return None


def picture_from_image(image: QImage) -> Picture:
    """Return the pixels of a picture of Qt's, with 16 bits a channel if it has more than 8."""
    deep = image.depth() > 32 or image.format() is QImage.Format.Format_Grayscale16
    if deep:
        pixels = _pixels(image.convertToFormat(QImage.Format.Format_RGBA64), np.uint16)
    else:
        pixels = _pixels(image.convertToFormat(QImage.Format.Format_RGBA8888), np.uint8)
    return compose_picture(pixels if image.hasAlphaChannel() else pixels[..., :3])


def grid_text(grid: Grid) -> str:
    """Return a grid as text art, or as RLE if its values have no characters."""
    if int(grid.max()) < len(text_art.SYMBOLS):
        return text_art.format_grid(grid)
    return rle.format_grid(grid)


def _is_grid(text: str) -> bool:
    return len(text) <= _MAX_TEXT and (rle.is_rle(text) or text_art.is_text_art(text))


def _pixels(image: QImage, dtype: type[np.unsignedinteger[Any]]) -> npt.NDArray[Any]:
    rows = np.frombuffer(image.constBits(), dtype).reshape(image.height(), -1)
    return rows[:, : 4 * image.width()].reshape(-1, image.width(), 4).copy()
