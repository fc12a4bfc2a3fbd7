"""The export dialog."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QMargins, QSignalBlocker, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QFont, QGuiApplication, QImage, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QWidget,
)

from ccl_viewer.export import (
    AUTO,
    EXPORT_FORMATS,
    ExportOptions,
    FormatKind,
    Granularity,
    Sync,
    missing_requirement,
)
from ccl_viewer.support.units import counted, file_size_text
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.export.choices import LARGEST_CELL, LONGEST_STEP, StepSelection
from ccl_viewer.window.export.model import Exporter, Pixels, PreviewFrames
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_icon_button, make_text_button
from ccl_viewer.window.widgets.dialogs import Dialog, enable_accept, make_dialog_buttons
from ccl_viewer.window.widgets.fields import (
    ChoiceBox,
    Field,
    FormLayout,
    connect_chosen,
    guard_from_wheel,
    make_number_box,
    make_row,
    show_value,
)
from ccl_viewer.window.widgets.file_dialogs import (
    Button,
    ask_for_folder,
    ask_to_save,
    make_question_box,
)
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, make_scroll_area, vbox
from ccl_viewer.window.widgets.style import DASH, DOT, TIMES, fit_image

_PAD: Final = 12
_SHORTEST_MS: Final = 16
_COLUMN: Final = 400  # pixels of the settings, at normal text size
_FROM_ONE: Final = frozenset({"start", "end", "step"})  # choices that users count from 1
_USUAL_IF_NONE: Final = frozenset({"seconds", "scale"})  # fields that show None as 0, in words
_EACH: Final = {
    Granularity.STEP: "every step",
    Granularity.ITERATION: "last of each iteration or level",
    Granularity.STAGE: "last of each stage",
}
_SYNC: Final = {
    Sync.STEP: "step by step",
    Sync.ITERATION: "by iteration",
    Sync.SHARE: "ending together",
    Sync.TIME: "as fast as the kernels were",
    Sync.BYTES: "by bytes (emulator's count)",
}
_THEMES: Final = {"dark": "dark", "light": "light"}
_PAGE_THEMES: Final = {AUTO: "the reader's own", **_THEMES}
_PICTURES: Final = {"png": "PNG pictures", "svg": "SVG vectors"}
_TABLES: Final = {"steps": "of the steps", "components": "of the components"}
_LABELS: Final = {"raw": "as the paper writes them", "component": "number of the component"}


class QtPreviewFrame(QLabel):
    """Shows a frame as large as it fits, or text."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(320, 240)
        self.setMargin(_PAD)
        self.setAccessibleName("Preview")
        self.image: QImage | None = None

    def show_frame(self, pixels: Pixels) -> None:
        """Show a frame, ``uint8`` of shape (height, width, 3)."""
        height, width, _ = pixels.shape
        forms = QImage.Format
        image = QImage(pixels.tobytes(), width, height, 3 * width, forms.Format_RGB888)
        self.image = image.convertToFormat(forms.Format_RGB32)  # scales without dark edges
        self._fit(self.image)

    def show_text(self, text: str) -> None:
        self.image = None
        several = "\n" in text
        self.setFont(style.fixed_font() if several else QFont())
        self.setWordWrap(not several)
        self.setAlignment(Qt.AlignmentFlag.AlignTop if several else Qt.AlignmentFlag.AlignCenter)
        self.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.image is not None:
            self._fit(self.image)

    def _fit(self, image: QImage) -> None:
        room = self.size().shrunkBy(QMargins(_PAD, _PAD, _PAD, _PAD))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setPixmap(fit_image(image, room, self.devicePixelRatioF(), 3))


class QtExportPreview(QWidget):
    """Plays the frames of an export at their pace; a `still` preview waits for the user."""

    def __init__(self, exporter: Exporter, *, still: bool = False) -> None:
        super().__init__()
        self._exporter = exporter
        self._frames: PreviewFrames | None = None
        self.frame = QtPreviewFrame()
        self.play = make_icon_button("play", "Play or pause the preview")
        self.play.setCheckable(True)
        self.play.setChecked(not still)
        self.slider = guard_from_wheel(QSlider(Qt.Orientation.Horizontal))
        name_widget(self.slider, "Frame of the preview")
        self.count = make_label("", "dim")
        self._timer = QTimer(self, singleShot=True)
        below = hbox(self.play, self.slider, self.count)
        self.setLayout(vbox((self.frame, 1), below))
        self._timer.timeout.connect(self._advance)
        self.play.toggled.connect(self._follow)
        self.slider.valueChanged.connect(self._show_frame)
        watch(
            self.refresh, exporter.preview_changed, exporter.error_changed, exporter.choices_changed
        )

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def refresh(self) -> None:
        exporter = self._exporter
        frames = exporter.frames if exporter.format.is_drawn and not exporter.error else None
        other, self._frames = frames is not self._frames, frames
        several = frames is not None and frames.count > 1
        for widget in (self.play, self.slider, self.count):
            widget.setVisible(several)
        if frames is None or not len(frames):
            waits = "Painting…" if exporter.format.is_drawn else "Reading…"
            text = "" if exporter.format.is_drawn else exporter.preview.text
            self.frame.show_text(exporter.error or text or waits)
        else:
            with QSignalBlocker(self.slider):
                self.slider.setRange(0, len(frames) - 1)
            if other or self.frame.image is None:
                self._show_frame()
        self._show_count()
        self._follow()

    def _follow(self) -> None:
        self.play.setIcon(style.icon("pause" if self.play.isChecked() else "play"))
        several = self._frames is not None and len(self._frames) > 1
        if not (several and self.play.isChecked()):
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start(self._wait())

    def _advance(self) -> None:
        frame, last = self.slider.value(), self.slider.maximum()
        if frame < last or (self._frames is not None and self._frames.full):
            self.slider.setValue(frame + 1 if frame < last else 0)
        self._follow()

    def _wait(self) -> int:
        seconds = self._exporter.seconds_per_step
        if self.slider.value() == self.slider.maximum():
            seconds = max(seconds, self._exporter.choices.hold)
        return max(_SHORTEST_MS, round(1000 * seconds))

    def _show_frame(self) -> None:
        if self._frames is not None and len(self._frames):
            self.frame.show_frame(self._frames.frame(self.slider.value()))
        self._show_count()

    def _show_count(self) -> None:
        if self._frames is not None:
            self.count.setText(f"{self.slider.value() + 1:,} of {self._frames.count:,}")


class ExportDialog(Dialog):
    """Asks how to export a run, and starts the export, which goes on after the dialog closes."""

    def __init__(
        self, exporter: Exporter, parent: QWidget | None = None, *, still: bool = False
    ) -> None:
        super().__init__("Export", parent)
        self.exporter = exporter
        self.preview = QtExportPreview(exporter, still=still)
        self.facts = make_label("", "title")
        self.note = make_label("", wrap=True)
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.command = QLineEdit(readOnly=True)
        tip = "The same export on the command line"
        name_widget(self.command, "Command line that exports the same", tip)
        self.command.setFont(style.fixed_font(self.font().pointSizeF() * 0.9))
        copy = self.command.addAction(style.icon("copy"), QLineEdit.ActionPosition.TrailingPosition)
        copy.setToolTip("Copy the command line")
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(self.command.text()))
        self.buttons = make_dialog_buttons(self, "&Export")
        self._make_fields()
        self._make_form()
        self._lay_out()
        exporter.choices_changed.connect(self._show_choices)
        exporter.changed.connect(self._show_facts)
        self._show_choices()
        self._show_facts()
        exporter.update_preview()
        self.preview.refresh()
        self.format.setFocus()

    def accept(self) -> None:
        """Start the export; if it cannot start, the dialog says why."""
        path = self.exporter.choices.path
        if self.exporter.replaces and not ask_to_replace(self, path):
            return
        if self.exporter.export(show_in_folder):
            super().accept()

    def done(self, result: int) -> None:
        self.exporter.remember()
        self.exporter.close()
        super().done(result)

    # Fields

    def _make_fields(self) -> None:
        subject = self.exporter.subject
        section, count = subject.section, max(map(len, (subject.recording, *subject.compared)))
        self.format = _format_box()
        self.format.chosen.connect(self.exporter.choose_format)
        spans = {StepSelection.ALL: "all", StepSelection.CURRENT: "the step on display"}
        if section is not None:
            spans[StepSelection.SECTION] = f"section {section.start + 1}{DASH}{section.stop}"
        seconds, hold = QDoubleSpinBox(singleStep=0.1), QDoubleSpinBox(singleStep=0.1)
        scale = QSpinBox()
        scale.setSpecialValueText("automatic")
        self.fields: dict[str, Field] = {
            "path": name_widget(QLineEdit(), "File"),
            "span": ChoiceBox("Steps", spans | {StepSelection.RANGE: "from … to …"}),
            "start": make_number_box(QSpinBox(), "First step", 1, count),
            "end": make_number_box(QSpinBox(), "Last step", 1, count),
            "step": make_number_box(QSpinBox(), "Step", 1, count),
            "each": ChoiceBox("Which of the steps", _EACH),
            "seconds": make_number_box(seconds, "Seconds per step", 0, LONGEST_STEP, " s per step"),
            "hold": make_number_box(hold, "Seconds on the last step", 0, LONGEST_STEP, " s"),
            "scale": make_number_box(scale, "Pixels per cell", 0, LARGEST_CELL, " px per cell"),
            "theme": ChoiceBox("Theme", _THEMES),
            "page_theme": ChoiceBox("Theme of the page", _PAGE_THEMES),
            "caption": QCheckBox("&Caption"),
            "beside": QCheckBox(f"all {len(subject.compared)} runs"),
            "sync": ChoiceBox("How runs go together", _SYNC),
            "pictures": ChoiceBox("Pictures", _PICTURES),
            "labels": ChoiceBox("Labels", _LABELS),
            "table": ChoiceBox("Table", _TABLES),
        }
        for name, field in self.fields.items():
            connect_chosen(field, partial(self._choose, name))

    def _make_form(self) -> None:
        of = self.fields
        self.browse = make_text_button("&Browse…", self._browse, "Choose the file")
        self.browse.setAutoDefault(False)
        self.pixels = make_label("", "dim")
        self._ends = make_row(of["start"], DASH, of["end"])
        self._rows = {
            "format": ("For&mat", self.format),
            "path": ("&File", make_row(of["path"], self.browse)),
            "span": ("&Steps", make_row(of["span"], self._ends)),
            "step": ("&Step", of["step"]),
            "each": ("Sho&w", of["each"]),
            "seconds": ("&Pace", make_row(of["seconds"], "last step", of["hold"])),
            "scale": ("Si&ze", make_row(of["scale"], self.pixels)),
            "theme": ("&Theme", make_row(of["theme"], of["page_theme"], of["caption"])),
            "beside": ("Si&de by side", make_row(of["beside"], of["sync"], wide=(1,))),
            "pictures": ("P&ictures", of["pictures"]),
            "labels": ("Labe&ls", of["labels"]),
            "table": ("Ta&ble", of["table"]),
        }
        self.form = FormLayout()
        for title, row in self._rows.values():
            self.form.addRow(title, row)

    def _lay_out(self) -> None:
        area = make_scroll_area(
            make_container(vbox(self.form, 1)), "Settings of the export", down=True
        )
        area.setFixedWidth(style.scaled(_COLUMN))
        self.note.setFixedWidth(style.scaled(_COLUMN))
        above = hbox((self.preview, 1), vbox((area, 1), self.facts, self.note), spacing=16)
        below = hbox((self.command, 1), self.buttons)
        self.setLayout(vbox((above, 1), below, margins=(16, 16, 16, 14)))
        self.resize_with_text(1180, 640)  # fits in 720 pixels with title bar and task bar

    # Input

    def _choose(self, name: str, value: Any) -> None:
        if name in _FROM_ONE:
            value -= 1
        elif isinstance(value, float):
            value = round(value, 2)
        if name in _USUAL_IF_NONE:
            value = value or None
        self.exporter.change(**{name: value})

    def _browse(self) -> None:
        row, path = self.exporter.format, Path(self.exporter.choices.path)
        if row.is_folder:
            slash = "" if path.suffix else "/"

            def take_folder(folder: Path) -> None:
                self.exporter.change(path=f"{folder / path.name}{slash}")

            ask_for_folder(self, "Export into a new folder in", take_folder, str(path.parent))
            return
        names = {one.suffix: f"{one.title} (*{one.suffix})" for one in EXPORT_FORMATS}
        filters = ";;".join(names[one.suffix] for one in EXPORT_FORMATS if not one.is_folder)
        dialog = ask_to_save(
            self, "Export", str(path), filters, lambda name: self.exporter.change(path=str(name))
        )
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # this dialog asks instead

    # Display

    def _show_choices(self) -> None:
        choices = self.exporter.choices
        self.format.show_value(self.exporter.format.suffix)
        for name, field in self.fields.items():
            value = getattr(choices, name)
            shown = value + 1 if name in _FROM_ONE else value
            show_value(field, shown or 0 if name in _USUAL_IF_NONE else shown)
        self._show_rows()

    def _show_rows(self) -> None:
        """Show only the fields that affect the format."""
        choices, row = self.exporter.choices, self.exporter.format
        is_table = "table" in row.own
        components = is_table and choices.table == "components"
        several = not (row.one_step or row.is_whole_run or components)
        shown = {
            "span": several,
            "step": row.one_step,
            "each": several,
            "seconds": row.is_animated,
            "scale": row.has_pixel_size,
            "theme": row.is_drawn,
            "beside": row.side_by_side and len(self.exporter.subject.compared) > 1,
            "pictures": "pictures" in row.used_options(ExportOptions()),
            "labels": row.is_labels,
            "table": is_table,
        }
        for name, visible in shown.items():
            self.form.setRowVisible(self._rows[name][1], visible)
        self._ends.setVisible(choices.span is StepSelection.RANGE)
        self.fields["theme"].setVisible(row.kind is not FormatKind.PAGE)
        self.fields["page_theme"].setVisible(row.kind is FormatKind.PAGE)
        self.fields["sync"].setEnabled(choices.beside)

    def _show_facts(self) -> None:
        exporter, estimate = self.exporter, self.exporter.preview.estimate
        frames = exporter.frames if exporter.format.has_pixel_size else None
        size = "" if frames is None else f"{frames.size[0]:,} {TIMES} {frames.size[1]:,} pixels"
        self.pixels.setText(size)
        seconds = self.fields["seconds"]
        if isinstance(seconds, QDoubleSpinBox):
            seconds.setSpecialValueText(f"usual ({exporter.seconds_per_step:.3g} s)")
        facts = [] if estimate is None else [counted(estimate.steps, "step")]
        if exporter.total_seconds is not None:
            facts.append(f"{exporter.total_seconds:.1f} s")
        if estimate is not None:
            facts.append(f"{'' if estimate.exact else 'about '}{file_size_text(estimate.nbytes)}")
        elif exporter.estimating:
            facts.append("working out the size…")
        self.facts.setText(DOT.join(facts))
        enable_accept(self.buttons, bool(exporter.output_path))
        show_value(self.command, exporter.command)
        self.command.setCursorPosition(0)
        self.note.setText(exporter.error or exporter.note)
        style.set_role(self.note, "warning" if exporter.error else "dim")


def _format_box() -> ChoiceBox:
    """Return a field for the format, in groups; unavailable formats say what they need."""
    box = ChoiceBox("Format", {})
    for kind in FormatKind:
        box.add_entries({}, kind.value.capitalize())
        for row in EXPORT_FORMATS:
            if row.kind is kind:
                need = missing_requirement(row)
                text = row.title[0].upper() + row.title[1:]
                box.add_entries({row.suffix: f"{text} {DASH} needs {need}" if need else text})
                box.enable(row.suffix, not need)
    return box


def ask_to_replace(parent: QWidget, path: str) -> bool:
    names = {Button.Cancel: "Cancel", Button.Yes: "Replace"}
    text = f"{Path(path).name} already exists. Replace it?"
    return make_question_box(parent, text, names).exec() == Button.Yes.value


def show_in_folder(path: str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(path).absolute().parent)))
