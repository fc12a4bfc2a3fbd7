"""The lessons that come with the program, in a menu and on the page without a grid."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton

from ccl_viewer import lessons
from ccl_viewer.errors import LessonFileError
from ccl_viewer.lessons.markup import plain
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import Theme


class LessonList:
    """Puts the titles of all lessons at the top of a menu; they are read when it is first shown.

    Parameters
    ----------
    menu : QMenu
        The menu.
    open_lesson : callable
        Opens a lesson by its key.
    """

    def __init__(self, menu: QMenu, open_lesson: Callable[[str], object]) -> None:
        self._menu = menu
        self._open = open_lesson
        self.actions: list[QAction] = []
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Read the lessons, unless that was done before."""
        if self.actions:
            return
        before = self._menu.actions()[0]
        for number, key in enumerate(lessons.names(), 1):
            action = self._action(number, key)
            self._menu.insertAction(before, action)
            self.actions.append(action)
        self._menu.insertSeparator(before)

    def _action(self, number: int, key: str) -> QAction:
        try:
            title, aims = lessons.title_and_aims(key)
        except LessonFileError as error:  # opening it says the same
            title, aims = key, (str(error),)
        action = QAction(f"&{number}  {title.replace('&', '&&')}", self._menu)
        action.setToolTip(_list(aims))
        action.triggered.connect(lambda: self._open(key))
        return action


class LessonsButton(QToolButton):
    """A large button that shows the menu of lessons.

    Parameters
    ----------
    menu : QMenu
        The menu.
    """

    def __init__(self, menu: QMenu) -> None:
        super().__init__()
        self.setText("Lessons")
        self.setToolTip("Learn how the algorithms work, scene by scene")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setIconSize(QSize(32, 32))
        self.setMinimumSize(QSize(132, 84))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(menu)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.setIcon(icon("lesson", theme.text))


def _list(aims: tuple[str, ...]) -> str:
    return "\n".join(f"• {plain(aim)}" for aim in aims)
