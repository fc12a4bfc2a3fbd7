"""Small widgets that several parts of the window use."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QIcon,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.widgets.style import icon, scaled, set_role, theme

if TYPE_CHECKING:
    from ccl_viewer.window.core.tasks import BackgroundTask

Index = QModelIndex | QPersistentModelIndex
_Number = TypeVar("_Number", QSpinBox, QDoubleSpinBox)
_Widget = TypeVar("_Widget", bound=QWidget)
_SAMPLED = 64  # rows of a table that decide how wide a column is
_MEASURED_AFTER = 50  # milliseconds; the frame and the end of a quick run come first
_TIGHT = 4  # pixels by which a narrow field may be too narrow at large text
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
    def shown(self) -> str:
        """What there is room for."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, width)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.drawText(self.contentsRect(), int(self.alignment()), self.shown)


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


class ChoiceBox(QComboBox):
    """A field for one of some values, with a text each; :attr:`chosen` is emitted with the value.

    A narrow one is as wide as its texts; otherwise it gets room for some letters, and the layout's.
    """

    chosen = Signal(object)

    def __init__(self, name: str, entries: Mapping[Any, str], *, narrow: bool = False) -> None:
        super().__init__()
        self.setAccessibleName(name)
        policies = self.SizeAdjustPolicy
        self.setSizeAdjustPolicy(
            policies.AdjustToContents if narrow else policies.AdjustToMinimumContentsLengthWithIcon
        )
        if not narrow:
            self.setMinimumContentsLength(10)
        self.setItemDelegate(QStyledItemDelegate(self))  # it applies the style sheet's padding
        self.view().installEventFilter(self)
        self.fill(entries)
        self.activated.connect(lambda place: self.chosen.emit(self.values[place]))

    def fill(self, entries: Mapping[Any, str]) -> None:
        self.clear()
        # Not as data of the entries: Qt returns string enumerations as plain strings.
        self.values: list[Any] = []
        self.add(entries)

    def add(self, entries: Mapping[Any, str], heading: str = "") -> None:
        """Add entries, perhaps below a heading, which cannot be chosen."""
        if heading:
            bold = self.font()
            bold.setBold(True)
            self.addItem(heading)
            self.setItemData(self.count() - 1, bold, Qt.ItemDataRole.FontRole)
            self.values.append(heading)
            self.enable(heading, False)
        self.addItems([*entries.values()])
        self.values += entries

    def enable(self, value: object, on: bool) -> None:
        """Allow or forbid choosing a value."""
        items = self.model()
        if isinstance(items, QStandardItemModel):  # always so: the box was given no other model
            items.item(self.values.index(value)).setEnabled(on)

    def explain(self, tips: Iterable[str]) -> None:
        for place, tip in enumerate(tips):
            self.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Elide a text that does not fit; a style sheet would cut it."""
        super().initStyleOption(option)
        control, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(control, option, field, self).width()
        right = Qt.TextElideMode.ElideRight
        text = self.fontMetrics().elidedText(option.currentText, right, room + _TIGHT)
        option.currentText = text

    def showPopup(self) -> None:
        """Open the list with all texts in full."""
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + scaled(36))
        super().showPopup()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move by pages and to the ends of the list; Qt stops before a heading."""
        view, pressed = self.view(), event.type() is QEvent.Type.KeyPress
        if watched is view and pressed and isinstance(event, QKeyEvent):
            last, row = self.count() - 1, view.currentIndex().row()
            page = max(view.viewport().height() // max(view.sizeHintForRow(0), 1) - 1, 1)
            targets = {
                Qt.Key.Key_Home: 0,
                Qt.Key.Key_End: last,
                Qt.Key.Key_PageUp: max(row - page, 0),
                Qt.Key.Key_PageDown: min(row + page, last),
            }
            target = targets.get(Qt.Key(event.key()))
            if target is not None:
                view.setCurrentIndex(self.model().index(self._enabled_near(target, row), 0))
                return True
        return super().eventFilter(watched, event)

    def _enabled_near(self, target: int, row: int) -> int:
        """Return the nearest row that can be chosen: the target, else beyond it, else before."""
        ahead = 1 if target > row else -1
        beyond = range(target, self.count() if ahead > 0 else -1, ahead)
        places: tuple[int, ...] = (*beyond, *range(target, row, -ahead))
        for place in places:
            if self.model().flags(self.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled:
                return place
        return row

    @property
    def value(self) -> Any:
        return self.values[self.currentIndex()]

    def show_value(self, value: object) -> None:
        """Show a value; an unknown one shows the first."""
        self.setCurrentIndex(self.values.index(value) if value in self.values else 0)


Field: TypeAlias = ChoiceBox | QCheckBox | QSpinBox | QDoubleSpinBox | QLineEdit | QPlainTextEdit
"""A field of a form that shows one value."""


def value_of(field: Field) -> Any:
    """Return the value that a field shows."""
    if isinstance(field, ChoiceBox):
        return field.value
    return field.metaObject().userProperty().read(field)


def show_value(field: Field, value: Any) -> None:
    """Show a value in a field without a signal, because it comes from the model."""
    with QSignalBlocker(field):
        if isinstance(field, ChoiceBox):
            field.show_value(value)
        elif value != value_of(field):  # otherwise the caret would move
            field.metaObject().userProperty().write(field, value)


def on_chosen(field: Field, call: Callable[[Any], object]) -> None:
    """Call a function with each value that the user enters."""
    if isinstance(field, ChoiceBox):
        field.chosen.connect(call)
    else:
        signal = field.metaObject().userProperty().notifySignal().name().toStdString()
        getattr(field, signal).connect(lambda *_: call(value_of(field)))


def show_values(fields: Mapping[str, Field], shown: object) -> None:
    """Show in each field the attribute of its name."""
    for name, field in fields.items():
        show_value(field, getattr(shown, name))


def named(widget: _Widget, name: str = "", tip: str = "") -> _Widget:
    """Name a widget without text for screen readers, perhaps set its tooltip, and return it."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip)
    return widget


class TaskBar(QProgressBar):
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


class TwoTextsDelegate(QStyledItemDelegate):
    """Draws an item, and in dim text a second one, which the model has in a separate role.

    The second text is aligned right, or begins at a column, counted in letters.
    """

    def __init__(self, role: int, parent: QObject, column: int = 0) -> None:
        super().__init__(parent)
        self._role, self._column = role, column

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = option.fontMetrics
        text = index.data(self._role) or ""
        width = self._start(option) + metrics.horizontalAdvance(text) if self._column else 10
        return QSize(width + scaled(24), metrics.height() + scaled(8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        align = Qt.AlignmentFlag.AlignLeft if self._column else Qt.AlignmentFlag.AlignRight
        room = option.rect.adjusted(self._start(option), 0, -8, 0)
        painter.setPen(theme().color("dim"))
        painter.drawText(
            room, int(align | Qt.AlignmentFlag.AlignVCenter), index.data(self._role) or ""
        )

    def _start(self, option: QStyleOptionViewItem) -> int:
        gap = scaled(20) if self._column else 0
        return self._column * option.fontMetrics.averageCharWidth() + gap


def action_button(
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


def icon_button(icon_name: str, tip: str, run: Callable[[], object] | None = None) -> QToolButton:
    """Return a flat icon button; its tooltip is also its name for screen readers."""
    button = named(QToolButton(), tip, tip)
    button.setIcon(icon(icon_name))
    button.setProperty("flat", "true")
    if run is not None:
        button.clicked.connect(run)
    return button


def segments(parent: QObject, entries: Mapping[int, tuple[str, str]]) -> QButtonGroup:
    """Return exclusive buttons side by side; each has a number, a text and a tooltip."""
    group, last = QButtonGroup(parent), [*entries][-1]
    for place, (number, (text, tip)) in enumerate(entries.items()):
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.setProperty("segment", "right" if number == last else "middle" if place else "left")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        group.addButton(button, number)
    return group


class CopyTable(QTableView):
    """A table with rows that can be chosen, copied and saved; `name` is for screen readers."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setIconSize(QSize(14, 14))
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_SAMPLED)
        self._widths: dict[int, int] = {}
        self._outgrown = False
        self._measure_timer = QTimer(self, singleShot=True, interval=_MEASURED_AFTER)
        self._measure_timer.timeout.connect(self._measure_again)
        self._set_row_height()

    def copy(self) -> None:
        """Copy the chosen rows; the table handles Ctrl+C, though the window uses the key, too."""
        raise NotImplementedError

    def make_menu(self) -> QMenu:
        """Return the menu for the chosen rows."""
        raise NotImplementedError

    def chosen(self) -> list[int]:
        """Return the chosen rows; all rows if only the current one is chosen."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return rows if len(rows) > 1 else list(range(self.model().rowCount()))

    def choose_row(self, row: int) -> None:
        """Make a row the current and only chosen one, even while Ctrl is held."""
        index, flag = self.model().index(row, 0), QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.scrollTo(index)

    def measure_columns(self) -> None:
        """Fit each column to its texts; call it when these change."""
        self.resizeColumnsToContents()
        header = self.horizontalHeader()
        columns = (header.logicalIndex(place) for place in range(header.count()))
        self._widths = {
            column: self.columnWidth(column)
            for column in columns
            if not self.isColumnHidden(column)
        }
        self._fill_width()

    def _fill_width(self) -> None:
        """Stretch columns that fit to the width of the table, so that the last is not cut."""
        room = self.viewport().width()
        ends = [*accumulate(self._widths.values())]
        fitting = max(1, sum(end <= room for end in ends))
        if ends and ends[fitting - 1] <= room:
            share, rest = divmod(room - ends[fitting - 1], fitting)
        else:
            share = rest = 0
        for place, (column, width) in enumerate(self._widths.items()):
            more = share + (place < rest) if place < fitting else 0
            self.setColumnWidth(column, width + more)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.make_menu().popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the new width; keep the current row in sight when a message takes some height."""
        row = self.visualRect(self.currentIndex())
        was_seen = row.top() >= 0 and row.bottom() <= event.oldSize().height()
        super().resizeEvent(event)
        self._fill_width()
        if was_seen and row.isValid():
            self.scrollTo(self.currentIndex())

    def changeEvent(self, event: QEvent) -> None:
        """Adapt to another text size; several changes in a turn are handled once."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._set_row_height()
            self.measure_soon()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._measure_again()

    @property
    def pending(self) -> bool:
        """Whether its columns will soon have other widths."""
        return self._measure_timer.isActive()

    def measure_soon(self) -> None:
        """Measure the columns after the frame, or when the table is shown."""
        self._outgrown = True
        if self.isVisible():
            self._measure_timer.start()

    def _measure_again(self) -> None:
        if self._outgrown:
            self._outgrown = False
            self.measure_columns()

    def _set_row_height(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)

    def event(self, event: QEvent) -> bool:
        """Claim the key for copying, which the window uses for cells of the grid."""
        return claims(event, QKeySequence.StandardKey.Copy) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)


def claims(event: QEvent, *keys: QKeySequence.StandardKey) -> bool:
    """Accept an event that asks whether the widget handles a key, if it is one of these."""
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    claimed = any(event.matches(key) for key in keys)
    if claimed:
        event.accept()
    return claimed


def popup_menu(parent: QWidget) -> QMenu:
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


def text_button(
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


def holding(layout: QLayout) -> QWidget:
    """Return a widget with a layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def fitted(image: QImage, room: QSize, ratio: float, most: int = 1 << 14) -> QPixmap:
    """Return a picture that fits into a size; enlarged only by whole factors, to stay sharp.

    `ratio` is screen pixels per Qt pixel, and `most` the largest factor.
    """
    room = room * ratio
    whole = min(room.width() // image.width(), room.height() // image.height(), most)
    modes = Qt.TransformationMode
    mode = modes.FastTransformation if whole else modes.SmoothTransformation
    size = image.size() * whole if whole else room
    pixmap = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, mode))
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def labelled(text: str, role: str = "", *, wrap: bool = False, centred: bool = False) -> QLabel:
    """Return a label with plain text, in a role of the style sheet."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    label.setWordWrap(wrap)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


def scrolled(widget: QWidget, name: str, *, down: bool = False) -> QScrollArea:
    """Return a scroll area for a widget, perhaps only `down`; screen readers say `name`."""
    area = named(QScrollArea(), name)
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if down:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


def number_box(
    box: _Number, name: str, low: int, high: int, suffix: str = "", tip: str = ""
) -> _Number:
    """Set up a field for numbers, which reports a number only once typing is finished."""
    box.setRange(low, high)
    box.setSuffix(suffix)
    box.setKeyboardTracking(False)
    return named(box, name, tip or name)


def in_a_row(*widgets: QWidget | str, wide: Container[int] = (0,)) -> QWidget:
    """Return widgets and words side by side; widgets with numbers in `wide` take the free room."""
    shown = (labelled(one, "dim") if isinstance(one, str) else one for one in widgets)
    holder = holding(hbox(*((one, int(place in wide)) for place, one in enumerate(shown))))
    holder.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
    # The form's label belongs to the first widget.
    holder.setFocusProxy(next(one for one in widgets if isinstance(one, QWidget)))
    return holder


class FormLayout(QFormLayout):
    """A form with fields as wide as possible, and labels vertically centred."""

    def __init__(self, parent: QWidget | None = None, margin: int = 0) -> None:
        super().__init__(parent)
        self.setContentsMargins(margin, margin, margin, margin)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)

    def addRow(self, *parts: Any) -> None:
        self.insertRow(self.rowCount(), *parts)

    def insertRow(self, row: int, *parts: Any) -> None:
        super().insertRow(row, *parts)
        label = self.labelForField(parts[-1])
        if label is not None:  # otherwise Qt puts it near the top of a higher field
            policy = QSizePolicy.Policy
            label.setSizePolicy(policy.Minimum, policy.MinimumExpanding)


def dialog_buttons(dialog: QDialog, does: str = "") -> QDialogButtonBox:
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
