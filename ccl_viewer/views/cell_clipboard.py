"""Cut, copy and paste of selected cells: with their values among windows, as text anywhere else."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QMimeData, QPointF
from PySide6.QtGui import QGuiApplication

from ccl_viewer.errors import InputError
from ccl_viewer.grids import Grid, as_segments
from ccl_viewer.session import MessageKind
from ccl_viewer.views import clipboard

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host

CELLS: Final = "application/x-ccl-viewer-cells"
"""Format of cells on the clipboard: those of a ``.npy`` file."""


def copy(host: Host) -> None:
    """Copy what is selected, or the whole grid."""
    _offer(host, host.session.edits.copy())


def cut(host: Host) -> None:
    """Copy what is selected, and make it background."""
    _offer(host, host.session.edits.cut())


def paste(host: Host) -> None:
    """Let cells float over the grid: where the selection is, or in the middle of what is seen.

    Anything else on the clipboard, a picture for example, is opened in place of the grid; what is
    of no use is refused in a sentence.
    """
    session, canvas = host.session, host.canvas
    try:
        cells = _cells_of(QGuiApplication.clipboard().mimeData())
    except InputError as error:
        session.say(MessageKind.ERROR, str(error))
        return
    if cells is None:
        host.intake.paste()
        return
    at = None
    if session.tools.selection.box is None:
        at = canvas.cell_at(QPointF(canvas.width() / 2, canvas.height() / 2))
    session.edits.paste(cells, at)


def _offer(host: Host, cells: Grid | None) -> None:
    if cells is None:
        return
    data = clipboard.offer_grid(cells, multivalued=host.session.drawing.multivalued)
    file = io.BytesIO()
    np.save(file, cells)
    data.setData(CELLS, file.getvalue())
    QGuiApplication.clipboard().setMimeData(data)


def _cells_of(data: QMimeData | None) -> Grid | None:
    """Return the cells or the text art on the clipboard; None for anything else."""
    if data is None:
        return None
    if data.hasFormat(CELLS):
        try:
            file = io.BytesIO(bytes(data.data(CELLS).data()))
            return as_segments(np.load(file, allow_pickle=False))
        except (ValueError, EOFError, OSError):
            return None
    if data.hasUrls():
        return None
    brought = clipboard.read(data) if data.hasText() else None
    return None if brought is None or brought.cells is None else brought.cells.grid
