"""Small widgets that several parts of the window use."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from ccl_viewer.views.style import icon, scaled, theme

ICON_SIDE = 16
"""Pixels, at the usual size of text."""

Index = QModelIndex | QPersistentModelIndex
_SCREEN_SHARE = 0.94  # of the screen, that a dialog may take


class ElidedLabel(QLabel):
    """One line of text; where there is no room for all of it, the tooltip has the whole."""

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
    """A dialog that is as large as its text needs, and no larger than the screen."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)

    def resize_with_text(self, width: int, height: int) -> None:
        """Take a size, in pixels at the usual size of text."""
        room = self.screen().availableGeometry().size() * _SCREEN_SHARE
        self.resize(QSize(scaled(width), scaled(height)).boundedTo(room))


class TwoTextsDelegate(QStyledItemDelegate):
    """Draws an item, and dimmed a second text: at the right, or in a column of its own.

    Parameters
    ----------
    role : int
        Of the second text in the model.
    parent : QObject
        Parent.
    column : int
        Where it begins, in letters; 0 for a text at the right.
    """

    def __init__(self, role: int, parent: QObject, column: int = 0) -> None:
        super().__init__(parent)
        self._role, self._column = role, column

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for both texts."""
        metrics = option.fontMetrics
        text = index.data(self._role) or ""
        width = self._start(option) + metrics.horizontalAdvance(text) if self._column else 10
        return QSize(width + scaled(24), metrics.height() + scaled(8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw an item."""
        super().paint(painter, option, index)
        align = Qt.AlignmentFlag.AlignLeft if self._column else Qt.AlignmentFlag.AlignRight
        room = option.rect.adjusted(self._start(option), 0, -8, 0)
        painter.setPen(theme().color("dim"))
        painter.drawText(room, int(align | Qt.AlignmentFlag.AlignVCenter), index.data(self._role))

    def _start(self, option: QStyleOptionViewItem) -> int:
        return self._column * option.fontMetrics.averageCharWidth() + scaled(
            20 * bool(self._column)
        )


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
    """Return keys as the system writes them, with "or" between."""
    native = QKeySequence.SequenceFormat.NativeText
    return " or ".join(QKeySequence(key).toString(native) for key in keys)


def text_width(widget: QWidget, text: str) -> int:
    """Return the width of a text in a widget's font, in pixels."""
    return widget.fontMetrics().horizontalAdvance(text)
