"""Small widgets that several parts of the window use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QIcon,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPixmap,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.widgets.style import icon, scaled, set_role

if TYPE_CHECKING:
    from ccl_viewer.window.core.tasks import BackgroundTask

_Widget = TypeVar("_Widget", bound=QWidget)
_FINE = 1000  # steps of a progress bar
_SCREEN_SHARE = 0.94  # largest share of the screen for a dialog

ARROW_KEYS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
"""The columns and rows that each key moves by."""

Part: TypeAlias = QWidget | QLayout | tuple[QWidget | QLayout, int] | int
"""An item of a row or column: a widget or layout, perhaps with its share of free room, or a gap."""

_Box = TypeVar("_Box", bound=QBoxLayout)
_Margins: TypeAlias = tuple[int, int, int, int]


class ElidedLabel(QLabel):
    """One line of text; if it does not fit, the tooltip has the whole text.

    It is cut at its end, or where `mode` says.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text, textFormat=Qt.TextFormat.PlainText)
        self._mode = mode
        self.setProperty("role", role or None)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        """Show a text, with the whole of it in the tooltip."""
        super().setText(text)
        self.setToolTip(text)

    @property
    def elided_text(self) -> str:
        """The text, elided to the width."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, width)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.drawText(self.contentsRect(), int(self.alignment()), self.elided_text)


class Dialog(QDialog):
    """A dialog that fits its text and the screen.

    Modal dialogs are deleted when they close.
    """

    def __init__(self, title: str, parent: QWidget | None = None, *, modal: bool = True) -> None:
        super().__init__(parent, modal=modal)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, modal)

    def resize_with_text(self, width: int, height: int) -> None:
        """Set a size, in pixels at normal text size."""
        room = self.screen().availableGeometry().size() * _SCREEN_SHARE
        self.resize(QSize(scaled(width), scaled(height)).boundedTo(room))


def name_widget(widget: _Widget, name: str = "", tip: str = "") -> _Widget:
    """Name a widget without text for screen readers, perhaps set its tooltip, and return it."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip)
    return widget


class TaskProgressBar(QProgressBar):
    """Shows the progress of a task; hidden without one, or if a `still` bar does not know it."""

    def __init__(self) -> None:
        super().__init__(textVisible=False)

    def show_task(self, task: BackgroundTask | None, *, still: bool = False) -> None:
        fraction = None if task is None else task.fraction
        self.setHidden(task is None or (still and fraction is None))
        self.setRange(0, 0 if fraction is None else _FINE)  # an unknown end moves to and fro
        self.setValue(round((fraction or 0) * _FINE))


class RefreshTimer(QTimer):
    """Calls a function when models have changed, once for many changes.

    While steps are played, calls are at least an interval apart, in milliseconds: reading takes
    longer.
    """

    def __init__(
        self,
        call: Callable[[], object],
        parent: QObject,
        playback: Playback,
        models: Iterable[Model] = (),
        interval: int = 66,
    ) -> None:
        super().__init__(parent, singleShot=True)
        self._call, self._playback, self._pause = call, playback, interval
        self.timeout.connect(call)
        for model in models:
            model.changed.connect(self.request)

    def request(self) -> None:
        """Call the function in the next turn of the event loop."""
        if not self._playback.playing:
            self.start(0)
        elif not self.isActive():
            self.start(self._pause)

    def call_now(self) -> None:
        """Call the function now, unless steps are played."""
        if self._playback.playing:
            self.request()
        else:
            self.stop()
            self._call()


class Panel(QWidget):
    """A widget of the side panel, which follows models while it is visible.

    While steps are played, refreshes are at least an interval apart, in milliseconds.
    """

    def __init__(self, playback: Playback, parent: QWidget | None, interval: int = 100) -> None:
        super().__init__(parent)
        self._soon = RefreshTimer(self._keep_up, self, playback, interval=interval)

    def refresh(self) -> None:
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with the changes while it was hidden."""
        super().showEvent(event)
        self.refresh()

    def _follow(self) -> None:
        self._soon.call_now()

    def _keep_up(self) -> None:
        if self.isVisible():
            self.refresh()


def make_action_button(
    action: QAction, button: QToolButton | None = None, *, text: bool = False, flat: bool = True
) -> QToolButton:
    """Return a button, new or given, for an action; with icon only, or with text too."""
    button = QToolButton() if button is None else button
    button.setDefaultAction(action)
    style = Qt.ToolButtonStyle
    button.setToolButtonStyle(style.ToolButtonTextBesideIcon if text else style.ToolButtonIconOnly)
    button.setProperty("flat", "true" if flat else None)
    button.setAccessibleName(action.text().replace("&", ""))
    return button


def make_icon_button(
    icon_name: str, tip: str, run: Callable[[], object] | None = None
) -> QToolButton:
    """Return a flat icon button; its tooltip is also its name for screen readers."""
    button = name_widget(QToolButton(), tip, tip)
    button.setIcon(icon(icon_name))
    button.setProperty("flat", "true")
    if run is not None:
        button.clicked.connect(run)
    return button


def make_segments(parent: QObject, entries: Mapping[int, tuple[str, str]]) -> QButtonGroup:
    """Return exclusive buttons side by side; each has a number, a text and a tooltip."""
    group, last = QButtonGroup(parent), [*entries][-1]
    for index, (number, (text, tip)) in enumerate(entries.items()):
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.setProperty("segment", "right" if number == last else "middle" if index else "left")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        group.addButton(button, number)
    return group


def claim_keys(event: QEvent, *keys: QKeySequence.StandardKey) -> bool:
    """Accept an event that asks whether the widget handles a key, if it is one of these."""
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    claimed = any(event.matches(key) for key in keys)
    if claimed:
        event.accept()
    return claimed


def make_popup_menu(parent: QWidget) -> QMenu:
    """Return a menu that is deleted once it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


def add_switch(menu: QMenu, text: str, on: bool, switch: Callable[[bool], object]) -> QAction:
    """Add a checkable row to a menu."""
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(on)
    action.triggered.connect(switch)
    return action


def make_text_button(
    text: str, run: Callable[[], object], tip: str = "", *, primary: bool = False
) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if primary:
        button.setProperty("role", "primary")
    button.clicked.connect(run)
    return button


def hbox(*parts: Part, margins: _Margins = (0, 0, 0, 0), spacing: int = -1) -> QHBoxLayout:
    return _filled(QHBoxLayout(), parts, margins, spacing)


def vbox(*parts: Part, margins: _Margins = (0, 0, 0, 0), spacing: int = -1) -> QVBoxLayout:
    return _filled(QVBoxLayout(), parts, margins, spacing)


def _filled(box: _Box, parts: tuple[Part, ...], margins: _Margins, spacing: int) -> _Box:
    box.setContentsMargins(*margins)
    if spacing >= 0:
        box.setSpacing(spacing)
    for part in parts:
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, int):
            box.addStretch(content)
        elif isinstance(content, QWidget):
            box.addWidget(content, stretch)
        else:
            box.addLayout(content, stretch)
    return box


def make_container(layout: QLayout) -> QWidget:
    """Return a widget with a layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def fit_image(image: QImage, room: QSize, ratio: float, most: int = 1 << 14) -> QPixmap:
    """Return a picture that fits into a size; enlarged only by whole factors, to stay sharp.

    `ratio` is screen pixels per Qt pixel, and `most` the largest factor.
    """
    room = room * ratio
    factor = min(room.width() // image.width(), room.height() // image.height(), most)
    modes = Qt.TransformationMode
    mode = modes.FastTransformation if factor else modes.SmoothTransformation
    size = image.size() * factor if factor else room
    pixmap = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, mode))
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def make_label(text: str, role: str = "", *, wrap: bool = False, centred: bool = False) -> QLabel:
    """Return a label with plain text, in a role of the style sheet."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    label.setWordWrap(wrap)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def make_scroll_area(widget: QWidget, name: str, *, down: bool = False) -> QScrollArea:
    """Return a scroll area for a widget, perhaps only `down`; screen readers say `name`."""
    area = name_widget(QScrollArea(), name)
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if down:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


def make_dialog_buttons(dialog: QDialog, does: str = "") -> QDialogButtonBox:
    """Return the buttons of a dialog: one that accepts it, and Cancel; without a text, Close."""
    buttons = QDialogButtonBox(dialog)
    kind = QDialogButtonBox.StandardButton
    if does:
        button = buttons.addButton(does, QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(button, "primary")  # the box has styled it already
        button.setDefault(True)
    buttons.addButton(kind.Cancel if does else kind.Close).setIcon(QIcon())
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


def enable_accept(buttons: QDialogButtonBox, on: bool) -> None:
    for button in buttons.buttons():
        if buttons.buttonRole(button) is QDialogButtonBox.ButtonRole.AcceptRole:
            button.setEnabled(on)


def native_keys(keys: tuple[str, ...]) -> str:
    """Return keys in the system's notation, with "or" between."""
    native = QKeySequence.SequenceFormat.NativeText
    return " or ".join(QKeySequence(key).toString(native) for key in keys)
