"""The column of settings of the export dialog."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from ccl_viewer.export import ExportFormat, Kind
from ccl_viewer.session.exporting.choices import ARRAYS, FASTEST, WHOLE, Choices, Span, Subject
from ccl_viewer.views.exporting import fields
from ccl_viewer.views.exporting.layers import LayerChoice
from ccl_viewer.views.exporting.range import RangeSlider
from ccl_viewer.views.looks.text import DASH, TIMES
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.field_label import FieldLabel


class ExportControls(QWidget):
    """All that can be chosen; what the format has no use for is out of sight.

    Parameters
    ----------
    subject : Subject
        What can be exported.
    theme : Theme
        The colours.
    """

    changed = Signal(object)
    """Choices to change, by name."""
    format_chosen = Signal(str)
    browse = Signal()

    def __init__(self, subject: Subject, theme: Theme) -> None:
        super().__init__()
        count = len(subject.recording)
        self._lanes = len(subject.lanes)
        self.format = fields.format_choice()
        self.path = QLineEdit()
        self.path.setAccessibleName("File")
        self.browse_button = QPushButton("&Browse…")
        self.span = fields.choice("Steps", fields.span_titles(subject.section))
        self.start = fields.step_field("First step", count)
        self.end = fields.step_field("Last step", count)
        self.range = RangeSlider(theme, [step.stage for step in subject.recording.steps])
        self.step = fields.step_field("Step", count)
        self.each = fields.choice("Which of the steps", fields.EACH)
        self.fps = fields.decimal_field("Steps a second", 0.1, FASTEST, " steps/s")
        self.hold = fields.decimal_field("Time on the last step", 0, 60, " s")
        self.scale = fields.scale_field()
        self.pixels = QLabel()
        self.pixels.setProperty("role", "dim")
        self.theme = fields.choice("Theme", fields.THEMES)
        self.page_theme = fields.choice("Theme of the page", fields.PAGE_THEMES)
        self.page_theme.setToolTip("Dark or light, or as the system of whoever reads the page is")
        self.caption = QCheckBox("&Captions")
        self.caption.setToolTip("A strip under the grid says what the step does")
        self.layers_of = fields.choice("Layers", {False: "as on the canvas", True: "chosen here"})
        self.layers = LayerChoice(subject.recording.layers)
        self.beside = QCheckBox(f"all {self._lanes} runs")
        self.beside.setToolTip("Show the runs that are compared side by side")
        self.sync = fields.choice("How runs go together", fields.SYNC)
        self.pictures = fields.choice("Pictures", fields.PICTURES)
        self.labels = fields.choice("Labels", fields.LABELS)
        self._lay_out()
        self._connect()

    def show_choices(self, choices: Choices, row: ExportFormat) -> None:
        """Show what is chosen, and only what matters for the format."""
        blockers = [QSignalBlocker(widget) for widget in self.findChildren(QWidget)]
        fields.show_choice(self.format, row.suffix)
        if self.path.text() != choices.path:
            self.path.setText(choices.path)
        fields.show_choice(self.span, choices.span)
        self._show_steps(choices)
        self.fps.setMaximum(min(FASTEST, 1000 / row.shortest))
        self.fps.setValue(choices.fps)
        self.hold.setValue(choices.hold)
        self.scale.setValue(choices.scale or 0)
        self.caption.setChecked(choices.caption)
        self.layers.show_layers(choices.layers)
        self.beside.setChecked(choices.beside)
        for box, value in (
            (self.each, choices.each),
            (self.theme, choices.theme),
            (self.page_theme, choices.page_theme),
            (self.layers_of, choices.own_layers),
            (self.sync, choices.sync),
            (self.pictures, choices.pictures),
            (self.labels, choices.labels),
        ):
            fields.show_choice(box, value)
        self.sync.setEnabled(choices.beside)
        del blockers
        self._show_rows(choices, row)

    def show_size(self, size: tuple[int, int] | None) -> None:
        """Show how large frames are, in pixels."""
        self.pixels.setText("" if size is None else f"{size[0]:,} {TIMES} {size[1]:,}")

    def _show_steps(self, choices: Choices) -> None:
        self.start.setMaximum(choices.end + 1)
        self.end.setMinimum(choices.start + 1)
        self.start.setValue(choices.start + 1)
        self.end.setValue(choices.end + 1)
        self.range.show_range(choices.start, choices.end)
        self.step.setValue(choices.step + 1)

    def _show_rows(self, choices: Choices, row: ExportFormat) -> None:
        drawn = row.kind is not Kind.DATA
        several = not row.one_step and row.suffix not in WHOLE
        chosen = several and choices.span is Span.CHOSEN
        for field, shown in (
            (self._steps_row, several),
            (self.range, chosen),
            (self.step, row.one_step),
            (self.each, several),
            (self._time_row, row.is_animated),
            (self._scale_row, row.is_framed),
            (self._looks_row, drawn),
            (self.layers_of, drawn),
            (self.layers, drawn and choices.own_layers),
            (self._beside_row, self._lanes > 1 and row.side_by_side),
            (self.pictures, row.is_folder and row.kind is Kind.PICTURE),
            (self.labels, row.suffix in ARRAYS),
        ):
            self._form.setRowVisible(field, shown)
        self._ends.setVisible(chosen)
        self._show_theme(self.theme if row.is_framed else self.page_theme)

    def _show_theme(self, shown: QComboBox) -> None:
        """Show the themes of pictures or those of pages, under one label."""
        for box in (self.theme, self.page_theme):
            box.setVisible(box is shown)
        title = self._form.labelForField(self._looks_row)
        if isinstance(title, QLabel):
            title.setBuddy(shown)

    def _connect(self) -> None:
        self.format.activated.connect(lambda _: self.format_chosen.emit(self.format.currentData()))
        self.path.textEdited.connect(lambda text: self._emit(path=text))
        self.browse_button.clicked.connect(self.browse)
        self.range.changed.connect(lambda start, end: self._emit(start=start, end=end))
        self.layers.changed.connect(lambda layers: self._emit(layers=layers))
        for name, box, kinds in self._combos():
            box.activated.connect(
                lambda _, name=name, box=box, kinds=kinds: self._emit(
                    **{name: kinds[box.currentIndex()]}
                )
            )
        self.start.valueChanged.connect(lambda value: self._emit(start=value - 1))
        self.end.valueChanged.connect(lambda value: self._emit(end=value - 1))
        self.step.valueChanged.connect(lambda value: self._emit(step=value - 1))
        self.fps.valueChanged.connect(lambda value: self._emit(fps=round(value, 1)))
        self.hold.valueChanged.connect(lambda value: self._emit(hold=round(value, 1)))
        self.scale.valueChanged.connect(lambda value: self._emit(scale=value or None))
        self.caption.toggled.connect(lambda on: self._emit(caption=on))
        self.beside.toggled.connect(lambda on: self._emit(beside=on))

    def _combos(self) -> list[tuple[str, QComboBox, list[Any]]]:
        """Return combos, with the name of what they change and its values in their order.

        Qt hands enumerations of strings back as plain strings, so they are not asked for them.
        """
        spans = [Span(self.span.itemData(index)) for index in range(self.span.count())]
        return [
            ("span", self.span, spans),
            ("each", self.each, [*fields.EACH]),
            ("theme", self.theme, [*fields.THEMES]),
            ("page_theme", self.page_theme, [*fields.PAGE_THEMES]),
            ("own_layers", self.layers_of, [False, True]),
            ("sync", self.sync, [*fields.SYNC]),
            ("pictures", self.pictures, [*fields.PICTURES]),
            ("labels", self.labels, [*fields.LABELS]),
        ]

    def _emit(self, **changes: Any) -> None:
        self.changed.emit(changes)

    def _lay_out(self) -> None:
        self._ends = fields.in_a_row(self.start, DASH, self.end)
        self._steps_row = fields.in_a_row(self.span, self._ends, stretch=0)
        self._time_row = fields.in_a_row(self.fps, "last step", self.hold, stretch=0)
        self._scale_row = fields.in_a_row(self.scale, self.pixels)
        self._looks_row = fields.in_a_row(self.theme, self.page_theme, self.caption, stretch=0)
        self.beside.setMinimumHeight(self.sync.sizeHint().height())
        self._beside_row = fields.in_a_row(self.beside, self.sync, stretch=1)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setVerticalSpacing(8)
        self._form.setHorizontalSpacing(12)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, buddy, field in (
            ("For&mat", self.format, self.format),
            ("&File", self.path, fields.in_a_row(self.path, self.browse_button, stretch=0)),
            ("&Steps", self.span, self._steps_row),
            ("", self.range, self.range),
            ("&Step", self.step, self.step),
            ("Sho&w", self.each, self.each),
            ("S&peed", self.fps, self._time_row),
            ("Ce&ll", self.scale, self._scale_row),
            ("&Theme", self.theme, self._looks_row),
            ("La&yers", self.layers_of, self.layers_of),
            ("", self.layers, self.layers),
            ("Si&de by side", self.beside, self._beside_row),
            ("P&ictures", self.pictures, self.pictures),
            ("Labe&ls", self.labels, self.labels),
        ):
            self._form.addRow(FieldLabel(title, buddy), field)
