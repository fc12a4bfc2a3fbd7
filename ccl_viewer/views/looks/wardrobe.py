"""Gives the parts of a window their style sheet one at a time."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget

from ccl_viewer.views.process.turns import Act

_SHEET = "sheetOfParts"
"""Property of a container: what its parts wear."""


class Wardrobe(QObject):
    """Dresses all that lies directly in some containers, also what comes there later.

    Qt puts a style sheet on everything inside a widget at once, which held up the window's thread
    for 25 to 45 ms: 300 widgets. So no sheet with colours lies on the window itself.

    Parameters
    ----------
    parent : QObject
        Parent.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._containers: list[QWidget] = []

    def take(self, *containers: QWidget) -> None:
        """Dress what lies in these from now on; they themselves need no look of their own."""
        worn = _worn_in(self._containers[0]) if self._containers else ""
        for container in containers:
            container.setProperty(_SHEET, worn)
            self._containers.append(container)
            container.installEventFilter(self)

    def put_on(self, sheet: str) -> Act:
        """Let all wear a sheet; return what is to be done, in as many turns as there are parts.

        Parameters
        ----------
        sheet : str
            The style sheet, which new parts get at once.
        """
        for container in self._containers:
            container.setProperty(_SHEET, sheet)
        return self._dress_next

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dress what comes, such as a dialog, before it is seen."""
        if isinstance(event, QChildEvent) and event.type() is QEvent.Type.ChildPolished:
            part = event.child()
            if isinstance(part, QWidget) and self._lacks(part):
                part.setStyleSheet(_worn_in(part.parentWidget()))
        return super().eventFilter(watched, event)

    def _dress_next(self) -> bool:
        # Looked for anew each time: parts may have come and gone since.
        for part in self._undressed():
            part.setStyleSheet(_worn_in(part.parentWidget()))
            break
        return next(self._undressed(), None) is None

    def _undressed(self) -> Iterator[QWidget]:
        directly = Qt.FindChildOption.FindDirectChildrenOnly
        for container in self._containers:
            yield from filter(self._lacks, container.findChildren(QWidget, options=directly))

    def _lacks(self, part: QWidget) -> bool:
        return part not in self._containers and part.styleSheet() != _worn_in(part.parentWidget())


def dress(part: QWidget) -> None:
    """Give a new part of a container its style sheet; others have that of what they lie in."""
    sheet = _worn_in(part.parentWidget())
    if sheet:
        part.setStyleSheet(sheet)


def _worn_in(container: QWidget | None) -> str:
    """Return the style sheet that the parts of a container wear; empty for any other widget."""
    sheet = None if container is None else container.property(_SHEET)
    return sheet if isinstance(sheet, str) else ""
