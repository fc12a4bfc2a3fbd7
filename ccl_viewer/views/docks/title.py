"""The title of a dock, whose buttons grow with the text; Qt's own stay ten pixels wide."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QToolButton, QWidget

from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.elided import ElidedLabel

_CLOSABLE = QDockWidget.DockWidgetFeature.DockWidgetClosable


class DockTitle(QWidget):
    """Names a dock, lets it float, and closes it; it is dragged by what is left free.

    Parameters
    ----------
    dock : QDockWidget
        The dock, which takes this as its title.
    """

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._dock = dock
        self.name = ElidedLabel()  # a lesson's may be long
        self.name.setProperty("role", "title")
        self.float_button = _button()
        self.close_button = _button()
        self.close_button.setToolTip("Close the panel; the menu View shows it again")
        self.close_button.setVisible(bool(dock.features() & _CLOSABLE))
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 8, 3)
        row.setSpacing(2)
        row.addWidget(self.name, 1)
        row.addWidget(self.float_button)
        row.addWidget(self.close_button)
        self.float_button.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self.close_button.clicked.connect(dock.close)
        dock.topLevelChanged.connect(self._show_floating)
        dock.windowTitleChanged.connect(self._show_name)
        self._show_name(dock.windowTitle())
        dock.setTitleBarWidget(self)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.float_button.setIcon(icon("float", theme.dim))
        self.close_button.setIcon(icon("close", theme.dim))

    def _show_name(self, name: str) -> None:
        self.name.setText(name)
        self.close_button.setAccessibleName(f"Close {name}")
        self._show_floating(self._dock.isFloating())

    def _show_floating(self, floating: bool) -> None:
        does = "Put the panel back into the window" if floating else "Let the panel float"
        self.float_button.setToolTip(does)
        self.float_button.setAccessibleName(f"{does}: {self._dock.windowTitle()}")


def _button() -> QToolButton:
    button = QToolButton()
    button.setProperty("flat", "true")
    button.setIconSize(QSize(14, 14))
    # As with Qt's own: the keyboard has the actions of the menu Panels.
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button
