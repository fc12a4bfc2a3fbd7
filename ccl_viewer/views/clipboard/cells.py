"""Cut, copy and paste of selected cells: with their values among windows, as text anywhere else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPointF
from PySide6.QtGui import QGuiApplication

from ccl_viewer.errors import InputError
from ccl_viewer.grids import Grid
from ccl_viewer.session import MessageKind
from ccl_viewer.views.clipboard import clipboard
from ccl_viewer.views.clipboard.handing import CELLS

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host


def copy(host: Host) -> None:
    """Copy what is selected, or the whole grid."""
    _offer(host, host.session.edits.copy())


def cut(host: Host) -> None:
    """Copy what is selected, and make it background."""
    _offer(host, host.session.edits.cut())


def paste(host: Host) -> None:
    """Let cells float over the grid: where the selection is, or in the middle of what is seen.

    Anything else on the clipboard, a picture for example, is opened in place of the grid; what is
    of no use is refused in a sentence. What is being copied still is waited for.
    """
    if host.intake.handing.after(partial(paste, host)):
        return
    data = QGuiApplication.clipboard().mimeData()
    if data is not None and data.hasFormat(CELLS):
        host.intake.handing.take(data.data(CELLS), partial(_float, host))
        return
    try:
        cells = _text_art_of(data)
    except InputError as error:
        host.session.say(MessageKind.ERROR, str(error))
    else:
        _float(host, cells)


def _float(host: Host, cells: Grid | None) -> None:
    session, canvas = host.session, host.canvas
    if cells is None:
        host.intake.paste()
        return
    at = None
    if session.tools.selection.box is None:
        at = canvas.cell_at(QPointF(canvas.width() / 2, canvas.height() / 2))
    session.edits.paste(cells, at)


def copy_label(host: Host) -> None:
    """Copy the label of the cell under mouse or cursor, in the lane that was used last."""
    session, cell = host.session, host.session.look.inspected
    shown = host.canvas_panel.compare.area.current.lane or session
    label = None if cell is None else shown.inspect(cell).label
    if cell is None or label is None:
        session.say(MessageKind.INFO, "No cell is pointed at: move the mouse or the cursor to one.")
        return
    QGuiApplication.clipboard().setText(str(label))
    where = f"x = {cell[0]}, y = {cell[1]}"
    session.say(MessageKind.INFO, f"Label {label} of the cell at {where} is on the clipboard.")


def _offer(host: Host, cells: Grid | None) -> None:
    if cells is not None:
        multivalued = host.session.drawing.multivalued
        host.intake.handing.put(cells, multivalued=multivalued, exact=True)


def _text_art_of(data: QMimeData | None) -> Grid | None:
    """Return the text art on the clipboard; None for anything else."""
    if data is None or data.hasUrls() or not data.hasText():
        return None
    brought = clipboard.read(data)
    return None if brought is None or brought.cells is None else brought.cells.grid
