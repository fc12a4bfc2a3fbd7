"""Small widgets that several parts of the window use."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics, QIcon, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ccl_viewer.qt.style import icon, scaled

ICON_SIDE = 16
"""Pixels, at the usual size of text."""

_SCREEN_SHARE = 0.94  # of the screen, that a dialog may take


class ElidedLabel(QLabel):
    """One line of text; where there is no room for all of it, the tooltip has the whole.

    Parameters
    ----------
    text : str
        The text.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line; any width will do."""
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        """Show a text, and have the whole of it in the tooltip."""
        super().setText(text)
        self.setToolTip(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        painter = QPainter(self)
        room = self.contentsRect()
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, room.width()
        )
        align = int(self.alignment())
        style, enabled = self.style(), self.isEnabled()
        style.drawItemText(
            painter, room, align, self.palette(), enabled, shown, self.foregroundRole()
        )
        painter.end()


class Dialog(QDialog):
    """A dialog that is as large as its text needs, and no larger than the screen.

    Parameters
    ----------
    title : str
        Of its window.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)

    def resize_with_text(self, width: int, height: int) -> None:
        """Take a size, in pixels at the usual size of text."""
        room = self.screen().availableGeometry().size() * _SCREEN_SHARE
        self.resize(QSize(scaled(width), scaled(height)).boundedTo(room))


def action_button(action: QAction, *, text: bool = False, flat: bool = True) -> QToolButton:
    """Return a button for an action, with its icon alone or with its text beside it."""
    button = QToolButton()
    button.setDefaultAction(action)
    style = Qt.ToolButtonStyle
    button.setToolButtonStyle(style.ToolButtonTextBesideIcon if text else style.ToolButtonIconOnly)
    button.setProperty("flat", "true" if flat else None)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAccessibleName(action.text().replace("&", ""))
    fit_icon(button)
    return button


def icon_button(icon_name: str, tip: str) -> QToolButton:
    """Return a flat button with an icon; its name for screen readers is its tip."""
    button = QToolButton()
    button.setIcon(icon(icon_name))
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setProperty("flat", "true")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    fit_icon(button)
    return button


def fit_icon(button: QToolButton | QPushButton, side: int = ICON_SIDE) -> None:
    """Let the icon of a button be as large as the text beside it, also after that changes."""
    button.setProperty("iconSide", side)
    button.setIconSize(QSize(scaled(side), scaled(side)))


def labelled(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label with plain text, in a role of the style sheet."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    label.setWordWrap(wrap)
    return label


def scrolled(widget: QWidget, name: str) -> QScrollArea:
    """Return a widget in an area that scrolls; `name` is for screen readers."""
    area = QScrollArea()
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setAccessibleName(name)
    return area


def dialog_buttons(dialog: QDialog, does: str = "") -> QDialogButtonBox:
    """Return the buttons of a dialog: one that accepts it, and Cancel; or Close alone.

    Parameters
    ----------
    dialog : QDialog
        The dialog, which they accept and reject.
    does : str
        Text of the button that accepts; empty for Close alone.
    """
    buttons = QDialogButtonBox(dialog)
    kind = QDialogButtonBox.StandardButton
    if does:
        button = buttons.addButton(does, QDialogButtonBox.ButtonRole.AcceptRole)
        button.setProperty("role", "primary")
        button.setDefault(True)
    buttons.addButton(kind.Cancel if does else kind.Close).setIcon(QIcon())
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


def native_keys(keys: tuple[str, ...]) -> str:
    """Return keys as the system writes them, with commas between."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(key).toString(native) for key in keys)


def text_width(widget: QWidget, text: str) -> int:
    """Return the width of a text in a widget's font, in pixels."""
    return QFontMetrics(widget.font()).horizontalAdvance(text)


def delete_later(thing: QObject | None) -> None:
    """Delete an object once the event loop comes to it."""
    if thing is not None:
        thing.deleteLater()
