"""Does what belongs together in several turns of the event loop, so that keys are heard between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

Act: TypeAlias = Callable[[], object]
"""What is done in a turn; if it returns False, it is to be done again."""


_HELD_BACK = Qt.WidgetAttribute.WA_ForceUpdatesDisabled
"""Of a part that somebody else keeps from being painted, with all that lies in it."""

_NOT_UPDATED = Qt.WidgetAttribute.WA_UpdatesDisabled
_OPAQUE = Qt.WidgetAttribute.WA_OpaquePaintEvent


class Turns(QObject):
    """Does one thing in each turn of the event loop, in order.

    What returns False is not done yet, and has the next turn, too.

    Parameters
    ----------
    parent : QObject
        Parent.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._left: list[Act] = []
        # One without an interval may fire twice before the loop looks for keys.
        self._timer = QTimer(self, interval=1)
        self._timer.timeout.connect(self._do_next)

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return not self._left

    def begin(self, acts: Iterable[Act]) -> None:
        """Do these from the next turn on, instead of what is left of others."""
        self._left = list(acts)
        self._timer.start()

    def finish(self) -> None:
        """Do at once what is left."""
        while self._left:
            self._do_next()

    def _do_next(self) -> None:
        act = self._left.pop(0)
        if not self._left:
            self._timer.stop()
        if act() is False:
            self._left.insert(0, act)
        if self._left:
            self._timer.start()  # counted from here: after a long turn, too, others come between


def take_a_turn() -> None:
    """Let the event loop have a turn amid what the user asked for, as while a dialog is made.

    Keys and clicks wait until it is there: they are meant for it.
    """
    loop = QEventLoop()
    # As above: without an interval, it may end before the loop looks for anything else.
    QTimer.singleShot(1, loop.quit)
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def paint_again(widget: QWidget) -> None:
    """Let a widget be painted whose updates were off, with all that changed meanwhile.

    Qt goes on to believe that what was to be painted when the updates were switched off is about
    to be painted, and does so only when all of it is.

    Parameters
    ----------
    widget : QWidget
        The widget, of which all that is seen is painted now.
    """
    parts = widget.findChildren(QWidget)
    held_back = any(part.testAttribute(_HELD_BACK) for part in parts)
    if not held_back:  # else Qt tells apart what lies in them
        _let_update(parts)
    widget.setUpdatesEnabled(True)
    widget.repaint()


def _let_update(parts: Iterable[QWidget]) -> None:
    """Let parts be painted with what they lie in.

    When Qt lets them, it asks for each beside the whole, and paints nearly all of the window twice.
    Only those through which nothing is seen have to be asked for: the whole is painted around them.
    """
    for part in parts:
        part.setAttribute(_NOT_UPDATED, False)
        if part.testAttribute(_OPAQUE) or part.autoFillBackground():
            part.update()


def let_lie() -> None:
    """Leave a turn to Qt, which lays out once more what became wider or narrower.

    Texts are as high as their width lets them be, so that their surroundings ask for another layout
    after the first. Painted before, all would be seen to jump.
    """
