"""Fields of forms: they show a value, and report the values that the user enters."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QWidget,
)

from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container
from ccl_viewer.window.widgets.style import scaled

_Number = TypeVar("_Number", QSpinBox, QDoubleSpinBox)
_Widget = TypeVar("_Widget", bound=QWidget)
_TIGHT = 4  # pixels by which a narrow field may be too narrow at large text


class _WheelGuard(QObject):
    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Wheel and not (
            isinstance(field, QWidget) and field.hasFocus()
        ):
            event.ignore()  # what is around the field may scroll
            return True
        return False


def guard_from_wheel(field: _Widget) -> _Widget:
    """Let the wheel change a field only while it has the focus; return the field."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel does not give it the focus
    field.installEventFilter(_WheelGuard(field))
    return field


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
        guard_from_wheel(self)
        self.fill(entries)
        self.activated.connect(lambda index: self.chosen.emit(self.values[index]))

    def fill(self, entries: Mapping[Any, str]) -> None:
        self.clear()
        # Not as data of the entries: Qt returns string enumerations as plain strings.
        self.values: list[Any] = []
        self.add_entries(entries)

    def add_entries(self, entries: Mapping[Any, str], heading: str = "") -> None:
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

    def set_tips(self, tips: Iterable[str]) -> None:
        for index, tip in enumerate(tips):
            self.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)

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
        candidates: tuple[int, ...] = (*beyond, *range(target, row, -ahead))
        for candidate in candidates:
            if self.model().flags(self.model().index(candidate, 0)) & Qt.ItemFlag.ItemIsEnabled:
                return candidate
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


def connect_chosen(field: Field, call: Callable[[Any], object]) -> None:
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


def make_number_box(
    box: _Number, name: str, low: int, high: int, suffix: str = "", tip: str = ""
) -> _Number:
    """Set up a field for numbers, which reports a number only once typing is finished."""
    box.setRange(low, high)
    box.setSuffix(suffix)
    box.setKeyboardTracking(False)
    return name_widget(guard_from_wheel(box), name, tip or name)


def make_row(*widgets: QWidget | str, wide: Container[int] = (0,)) -> QWidget:
    """Return widgets and words side by side; widgets with numbers in `wide` take the free room."""
    shown = (make_label(one, "dim") if isinstance(one, str) else one for one in widgets)
    holder = make_container(hbox(*((one, int(index in wide)) for index, one in enumerate(shown))))
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
