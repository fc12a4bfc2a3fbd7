"""The export dialog, and the actions that take a run out of the program."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from PySide6.QtCore import QMimeData, QSignalBlocker, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QGuiApplication,
    QImage,
    QPixmap,
    QResizeEvent,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QStackedWidget,
    QWidget,
)

from ccl_viewer.export import AUTO, EXPORT_FORMATS, ExportOptions, Granularity, Kind, Sync, lacking
from ccl_viewer.files import is_file
from ccl_viewer.render.layers import SWITCHES, numbers_of
from ccl_viewer.session.export_command import LARGEST_CELL, LONGEST_STEP, StepSpan
from ccl_viewer.session.exporter import (
    Exporter,
    Phase,
    Pixels,
    PreviewFrames,
    can_export,
    export_again,
    last_path,
    paint_picture,
)
from ccl_viewer.units import counted, size_text
from ccl_viewer.views import style
from ccl_viewer.views.action_spec import ActionSpec
from ccl_viewer.views.canvas.header import COLOURS, numbers_title
from ccl_viewer.views.files import Button, question
from ccl_viewer.views.style import DASH, DOT, TIMES
from ccl_viewer.views.widgets import (
    ChoiceBox,
    Dialog,
    form_layout,
    hbox,
    icon_button,
    in_a_row,
    labelled,
    number_box,
    scrolled,
    text_button,
    vbox,
)

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session
    from ccl_viewer.views.main_window import MainWindow

_PAD: Final = 12
_SHORTEST_MS: Final = 16
_COLUMN: Final = 400  # pixels of the settings, at the usual size of text
_FROM_ONE: Final = frozenset({"start", "end", "step"})  # choices that people count from 1
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
    Sync.BYTES: "by bytes moved (emulator's count)",
}
_THEMES: Final = {"dark": "dark", "light": "light"}
_PAGE_THEMES: Final = {AUTO: "the reader's own", **_THEMES}
_LAYERS_OF: Final = {False: "as on the canvas", True: "chosen here"}
_PICTURES: Final = {"png": "PNG pictures", "svg": "SVG vectors"}
_TABLES: Final = {"steps": "of the steps", "components": "of the components"}
_LABELS: Final = {"raw": "as the paper writes them", "component": "number of the component"}


class QtPreviewFrame(QLabel):
    """Shows one frame as large as fits, or text."""

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
        self.image = image.convertToFormat(forms.Format_RGB32)  # others are scaled with dark edges
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
        ratio = self.devicePixelRatioF()
        room = (self.width() - 2 * _PAD) * ratio, (self.height() - 2 * _PAD) * ratio
        factor = min(room[0] / image.width(), room[1] / image.height())
        factor = min(int(factor), 3) if factor >= 1 else factor  # so that pixels stay sharp
        modes = Qt.TransformationMode
        mode = modes.SmoothTransformation if factor < 1 else modes.FastTransformation
        shown = QPixmap.fromImage(image.scaledToWidth(round(image.width() * factor), mode))
        shown.setDevicePixelRatio(ratio)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setPixmap(shown)


class QtExportPreview(QWidget):
    """Plays the frames of an export as they will be played; `still` waits until it is asked to."""

    def __init__(self, exporter: Exporter, *, still: bool = False) -> None:
        super().__init__()
        self._exporter = exporter
        self._frames: PreviewFrames | None = None
        self.frame = QtPreviewFrame()
        self.play = icon_button("play", "Play or pause the preview")
        self.play.setCheckable(True)
        self.play.setChecked(not still)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Frame of the preview")
        self.count = labelled("", "dim")
        self._timer = QTimer(self, singleShot=True)
        below = hbox(self.play, self.slider, self.count)
        self.setLayout(vbox((self.frame, 1), below, margins=(0, 0, 0, 0)))
        self._timer.timeout.connect(self._advance)
        self.play.toggled.connect(self._follow)
        self.slider.valueChanged.connect(self._show_frame)
        exporter.watch("preview error choices phase", self.refresh)

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
            text = "" if exporter.format.is_drawn else exporter.text
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
        writes = self._exporter.phase in {Phase.WRITING, Phase.STOPPING}
        if not (several and self.play.isChecked()) or writes:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start(self._wait())

    def _advance(self) -> None:
        here, last = self.slider.value(), self.slider.maximum()
        if here < last or (self._frames is not None and self._frames.full):
            self.slider.setValue(here + 1 if here < last else 0)
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


class QtExportDialog(Dialog):
    """Asks how a run is exported, and exports it; closes the exporter when it closes."""

    def __init__(
        self, exporter: Exporter, parent: QWidget | None = None, *, still: bool = False
    ) -> None:
        super().__init__("Export", parent)
        self.exporter = exporter
        self._showing = False
        self.preview = QtExportPreview(exporter, still=still)
        self.facts = labelled("", "title")
        self.note = labelled("", wrap=True)
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._make_fields()
        self._make_form()
        self._make_footer()
        self._lay_out()
        exporter.changed.connect(self._on_exporter_changed)
        self._show_choices()
        self._show_phase()
        exporter.update_preview()
        self.preview.refresh()
        self.format.setFocus()

    def reject(self) -> None:
        """Stop the writing if it is under way, else close the dialog."""
        if self.exporter.phase is Phase.WRITING:
            self.exporter.cancel()
        elif self.exporter.phase is not Phase.STOPPING:
            super().reject()

    def done(self, result: int) -> None:
        self.exporter.remember()
        self.exporter.close()
        super().done(result)

    # Fields

    def _make_fields(self) -> None:
        subject = self.exporter.subject
        section = subject.section
        count = max(map(len, (subject.recording, *subject.lanes)))
        self.format = _format_box()
        choose = self.exporter.choose_format
        self.format.activated.connect(lambda place: choose(self.format.itemData(place)))
        self.path = QLineEdit()
        self.path.setAccessibleName("File")
        self.path.textEdited.connect(partial(self._choose, "path"))
        self.browse = _button("&Browse…", "Choose the file", self._browse)
        spans = {StepSpan.ALL: "all", StepSpan.CURRENT: "the step on display"}
        if section is not None:
            spans[StepSpan.SECTION] = f"section {section.start + 1}{DASH}{section.end + 1}"
        self.combos = {
            "span": ChoiceBox("Steps", spans | {StepSpan.RANGE: "from … to …"}),
            "each": ChoiceBox("Which of the steps", _EACH),
            "theme": ChoiceBox("Theme", _THEMES),
            "page_theme": ChoiceBox("Theme of the page", _PAGE_THEMES),
            "own_layers": ChoiceBox("Layers", _LAYERS_OF),
            "sync": ChoiceBox("How runs go together", _SYNC),
            "pictures": ChoiceBox("Pictures", _PICTURES),
            "labels": ChoiceBox("Labels", _LABELS),
            "table": ChoiceBox("Table", _TABLES),
        }
        for name, combo in self.combos.items():
            combo.chosen.connect(partial(self._choose, name))
        seconds, hold = QDoubleSpinBox(singleStep=0.1), QDoubleSpinBox(singleStep=0.1)
        self.numbers: dict[str, QSpinBox | QDoubleSpinBox] = {
            "start": number_box(QSpinBox(), "First step", 1, count),
            "end": number_box(QSpinBox(), "Last step", 1, count),
            "step": number_box(QSpinBox(), "Step", 1, count),
            "seconds": number_box(seconds, "Seconds a step", 0, LONGEST_STEP, " s a step"),
            "hold": number_box(hold, "Seconds on the last step", 0, LONGEST_STEP, " s"),
            "scale": number_box(QSpinBox(), "Pixels a cell", 0, LARGEST_CELL, " px a cell"),
        }
        self.numbers["scale"].setSpecialValueText("automatic")
        for name, number in self.numbers.items():
            number.valueChanged.connect(partial(self._choose_number, name))
        self.pixels = labelled("", "dim")
        self.checks = {
            "caption": QCheckBox("&Caption"),
            "beside": QCheckBox(f"all {len(subject.lanes)} runs"),
        }
        for name, box in self.checks.items():
            box.toggled.connect(partial(self._choose, name))
        self._make_layers()

    def _make_layers(self) -> None:
        self.layers = QWidget()
        numbers = numbers_of(self.exporter.subject.recording.layers)
        self.layer_boxes = {
            "colours": ChoiceBox("Colours", COLOURS),
            "numbers": ChoiceBox("Numbers", {one: numbers_title(one) for one in numbers}),
        }
        self.switches = {name: QCheckBox(text) for name, text in SWITCHES.items()}
        table = QGridLayout(self.layers)
        table.setContentsMargins(0, 0, 0, 0)
        table.setColumnStretch(1, 1)
        for row, (name, box) in enumerate(self.layer_boxes.items()):
            table.addWidget(labelled(box.accessibleName(), "dim"), row, 0)
            table.addWidget(box, row, 1)
            box.chosen.connect(partial(self._choose_layer, name))
        for place, (name, switch) in enumerate(self.switches.items()):
            table.addWidget(switch, 2 + place, 0, 1, 2)
            switch.toggled.connect(partial(self._choose_layer, name))

    def _make_form(self) -> None:
        boxes: dict[str, QWidget] = {**self.combos, **self.numbers, **self.checks}
        self._ends = in_a_row(boxes["start"], DASH, boxes["end"])
        self._rows = {
            "format": ("For&mat", self.format),
            "path": ("&File", in_a_row(self.path, self.browse)),
            "span": ("&Steps", in_a_row(boxes["span"], self._ends)),
            "step": ("&Step", boxes["step"]),
            "each": ("Sho&w", boxes["each"]),
            "seconds": ("&Pace", in_a_row(boxes["seconds"], "last step", boxes["hold"])),
            "scale": ("Si&ze", in_a_row(boxes["scale"], self.pixels)),
            "theme": ("&Theme", in_a_row(boxes["theme"], boxes["page_theme"], boxes["caption"])),
            "own_layers": ("La&yers", boxes["own_layers"]),
            "layers": ("", self.layers),
            "beside": ("Si&de by side", in_a_row(boxes["beside"], boxes["sync"])),
            "pictures": ("P&ictures", boxes["pictures"]),
            "labels": ("Labe&ls", boxes["labels"]),
            "table": ("Ta&ble", boxes["table"]),
        }
        self.form = form_layout()
        for name, (title, field) in self._rows.items():
            label = QLabel(title)
            label.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.MinimumExpanding)
            label.setBuddy(boxes.get(name, self.path if name == "path" else field))
            self.form.addRow(label, field)

    def _make_footer(self) -> None:
        self.command = QLineEdit(readOnly=True)
        self.command.setAccessibleName("Command line that exports the same")
        self.command.setToolTip("The same export on the command line")
        self.command.setFont(style.fixed_font(self.font().pointSizeF() * 0.9))
        copy, exporter = QGuiApplication.clipboard().setText, self.exporter
        tip = "Copy the command line"
        self.copy_command = _button("C&opy", tip, lambda: copy(self.command.text()))
        self.export_button = _button("&Export", "Write the file", self._export, primary=True)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName("Progress of the export")
        self.state, self.made = labelled(""), labelled("", "ok")
        self.cancel_button = _button("Cancel", "Stop; nothing is left of the file", self.reject)
        self.done_button = _button("Close", "Close the dialog", self.reject, primary=True)
        self.again_button = _button("Export a&nother…", "Choose anew", self.exporter.begin_again)
        tip = "Copy the name with its folder"
        self.copy_path = _button("Copy &path", tip, lambda: copy(exporter.choices.path))
        tip = "Open the folder of the file"
        self.show_folder = _button(
            "Show in &folder", tip, lambda: show_in_folder(exporter.choices.path)
        )
        self.footer = QStackedWidget()
        close = _button("Cancel", "Close and export nothing", self.reject)
        wrote = (self.show_folder, self.copy_path, self.again_button, self.done_button)
        self.footer.addWidget(in_a_row(self.command, self.copy_command, self.export_button, close))
        self.footer.addWidget(in_a_row(self.state, self.bar, self.cancel_button, wide=1))
        self.footer.addWidget(in_a_row(self.made, *wrote))

    def _lay_out(self) -> None:
        column = QWidget()
        column.setLayout(vbox(self.form, 1, margins=(0, 0, 0, 0)))
        area = scrolled(column, "Settings of the export")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(style.scaled(_COLUMN))
        self.note.setFixedWidth(style.scaled(_COLUMN))
        above = hbox((self.preview, 1), vbox((area, 1), self.facts, self.note), spacing=16)
        self.setLayout(vbox((above, 1), self.footer, margins=(16, 16, 16, 14)))
        self.resize_with_text(1180, 640)  # with a title bar and a task bar, 720 pixels do

    # What the user chooses

    def _choose(self, name: str, value: object) -> None:
        if not self._showing:
            self.exporter.choose(**{name: value})

    def _choose_number(self, name: str, value: float) -> None:
        if name in _FROM_ONE:
            self._choose(name, int(value) - 1)
        elif name == "hold":
            self._choose(name, round(value, 2))
        else:
            self._choose(name, round(value, 2) or None)

    def _choose_layer(self, name: str, value: object) -> None:
        changes: dict[str, Any] = {name: value}
        self._choose("layers", replace(self.exporter.choices.layers, **changes))

    def _browse(self) -> None:
        row, path = self.exporter.format, Path(self.exporter.choices.path)
        if row.is_folder:
            title = "Export into a new folder in"
            chosen = QFileDialog.getExistingDirectory(self, title, str(path.parent))
            if chosen:
                slash = "" if path.suffix else "/"
                self.exporter.choose(path=f"{chosen}/{path.name}{slash}")
            return
        names = {one.suffix: f"{one.title} (*{one.suffix})" for one in EXPORT_FORMATS}
        filters = ";;".join(names[one.suffix] for one in EXPORT_FORMATS if not one.is_folder)
        options = QFileDialog.Option.DontConfirmOverwrite  # the dialog asks by itself
        chosen, _ = QFileDialog.getSaveFileName(
            self, "Export", str(path), filters, names[row.suffix], options=options
        )
        if chosen:
            self.exporter.choose(path=chosen if Path(chosen).suffix else chosen + row.suffix)

    def _export(self) -> None:
        exporter = self.exporter
        if not exporter.replaces or may_replace(self, exporter.choices.path):
            exporter.export()

    # What is shown

    def _on_exporter_changed(self, fields: frozenset[str]) -> None:
        if "choices" in fields:
            self._show_choices()
        if fields & {"phase", "error", "progress", "choices"}:
            self._show_phase()
        self._show_facts()

    def _show_choices(self) -> None:
        choices = self.exporter.choices
        self._showing = True
        self.format.setCurrentIndex(self.format.findData(self.exporter.format.suffix))
        if self.path.text() != choices.path:
            self.path.setText(choices.path)
        for name, combo in self.combos.items():
            combo.show_value(getattr(choices, name))
        for name, number in self.numbers.items():
            value = getattr(choices, name)
            number.setValue(value + 1 if name in _FROM_ONE else value or 0)
        for name, check in self.checks.items():
            check.setChecked(getattr(choices, name))
        layers = choices.layers
        for name, box in self.layer_boxes.items():
            box.show_value(getattr(layers, name))
        for name, switch in self.switches.items():
            switch.setChecked(layers.shows(name))
        self._showing = False
        self._show_rows()

    def _show_rows(self) -> None:
        """Show only what makes a difference to the format."""
        choices, row = self.exporter.choices, self.exporter.format
        is_table = "table" in row.own
        components = is_table and choices.table == "components"
        several = not (row.one_step or row.whole or components)
        shown = {
            "span": several,
            "step": row.one_step,
            "each": several,
            "seconds": row.is_animated,
            "scale": row.is_framed,
            "theme": row.is_drawn,
            "own_layers": row.is_drawn,
            "layers": row.is_drawn and choices.own_layers,
            "beside": row.side_by_side and len(self.exporter.subject.lanes) > 1,
            "pictures": "pictures" in row.uses(ExportOptions()),
            "labels": row.is_labels,
            "table": is_table,
        }
        for name, visible in shown.items():
            self.form.setRowVisible(self._rows[name][1], visible)
        self._ends.setVisible(choices.span is StepSpan.RANGE)
        self.combos["theme"].setVisible(row.kind is not Kind.PAGE)
        self.combos["page_theme"].setVisible(row.kind is Kind.PAGE)
        self.combos["sync"].setEnabled(choices.beside)

    def _show_phase(self) -> None:
        exporter, phase = self.exporter, self.exporter.phase
        writes = phase in {Phase.WRITING, Phase.STOPPING}
        for field in (self.preview, *(field for _, field in self._rows.values())):
            field.setEnabled(not writes)
        page = 1 if writes else 2 if phase is Phase.DONE else 0
        moved = page != self.footer.currentIndex()
        self.footer.setCurrentIndex(page)
        button = (self.export_button, self.cancel_button, self.done_button)[page]
        button.setDefault(True)
        if moved:
            button.setFocus()
        self.export_button.setEnabled(exporter.can_export)
        self.cancel_button.setEnabled(phase is Phase.WRITING)
        self.bar.setRange(0, 0 if exporter.fraction is None else 1000)
        self.bar.setValue(round(1000 * (exporter.fraction or 0)))
        self.state.setText("Stopping…" if phase is Phase.STOPPING else exporter.progress)
        self.made.setText(f"Exported, {size_text(exporter.written)}.")
        if self.command.text() != exporter.command:
            self.command.setText(exporter.command)
            self.command.setCursorPosition(0)
        done = phase is Phase.DONE
        self.note.setText(exporter.error or (exporter.choices.path if done else exporter.note))
        style.set_role(self.note, "warning" if exporter.error else "dim")

    def _show_facts(self) -> None:
        exporter, estimate = self.exporter, self.exporter.estimate
        frames = exporter.frames if exporter.format.is_framed else None
        size = "" if frames is None else f"{frames.size[0]:,} {TIMES} {frames.size[1]:,} pixels"
        self.pixels.setText(size)
        pace = f"usual ({exporter.seconds_per_step:.3g} s)"
        self.numbers["seconds"].setSpecialValueText(pace)
        facts = [] if estimate is None else [counted(estimate.steps, "step")]
        if exporter.seconds is not None:
            facts.append(f"{exporter.seconds:.1f} s")
        if estimate is not None:
            facts.append(f"{'' if estimate.exact else 'about '}{size_text(estimate.nbytes)}")
        elif exporter.estimating:
            facts.append("working out the size…")
        self.facts.setText(DOT.join(facts))


def _format_box() -> QComboBox:
    """Return a field for the format, in groups; what cannot be written says what it needs."""
    box = QComboBox()
    box.setAccessibleName("Format")
    box.setMinimumContentsLength(10)
    box.setSizeAdjustPolicy(box.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    model = cast("QStandardItemModel", box.model())
    bold = box.font()
    bold.setBold(True)
    for kind in Kind:
        box.addItem(kind.value.capitalize())
        heading = model.item(box.count() - 1)
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        heading.setFont(bold)
        for row in EXPORT_FORMATS:
            if row.kind is not kind:
                continue
            need = lacking(row)
            text = row.title[0].upper() + row.title[1:]
            box.addItem(f"{text} {DASH} needs {need}" if need else text, row.suffix)
            model.item(box.count() - 1).setEnabled(not need)
    return box


def _button(title: str, tip: str, does: Any, *, primary: bool = False) -> QPushButton:
    button = text_button(title, does, tip, primary=primary)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAutoDefault(False)
    return button


def may_replace(parent: QWidget, path: str) -> bool:
    names = {Button.Yes: "Replace", Button.Cancel: "Cancel"}
    box = question(parent, f"{Path(path).name} is there already. Replace it?", names)
    box.setDefaultButton(Button.Cancel)
    return box.exec() == Button.Yes.value


def show_in_folder(path: str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(path).absolute().parent)))


def show_export_dialog(window: MainWindow) -> QtExportDialog:
    appearance = window.appearance
    exporter = Exporter(window.session, appearance.theme)
    dialog = QtExportDialog(exporter, window, still=appearance.reduced_motion)
    dialog.finished.connect(window.follow_soon)
    dialog.open()
    return dialog


def repeat_export(window: MainWindow) -> None:
    """Export the run on display as the last one; asks before the file is replaced."""
    path = last_path(window.session)
    if not is_file(path) or may_replace(window, path):
        export_again(window.session, show_in_folder)


def copy_picture(window: MainWindow, *, all_lanes: bool = False) -> None:
    """Copy the step on display for other programs: as a picture, and as vectors."""
    session = window.session

    def take(png: bytes, svg: bytes) -> None:
        data = QMimeData()
        data.setImageData(QImage.fromData(png))
        data.setData("image/png", png)
        data.setData("image/svg+xml", svg)
        QGuiApplication.clipboard().setMimeData(data)
        text = "The picture is on the clipboard, as PNG and as vectors (SVG)."
        session.messages.tell(text)

    paint_picture(session, window.appearance.theme, take, all_lanes=all_lanes)


def _can_repeat(session: Session) -> bool:
    return can_export(session) and bool(last_path(session))


def _has_lanes(session: Session) -> bool:
    comparison = session.comparison
    return comparison.open and len(comparison.recordings) > 1


ACTIONS: Final = (
    ActionSpec(
        "export", "&Export…", "File", show_export_dialog, ("Ctrl+E",), "export", can_export,
        tip="Save the run as animation, picture, page, data or recording", group=3,
    ),
    ActionSpec(
        "export_again", "Export a&gain", "File", repeat_export, enabled=_can_repeat,
        tip="Export this run as the last one, under the same name", group=3,
    ),
    ActionSpec(
        "copy_picture", "&Copy picture of step", "File", copy_picture, (), "copy",
        can_export, tip="Copy this step as a picture and as vectors", group=3,
    ),
    ActionSpec(
        "copy_pictures", "Copy picture of all &runs", "File", partial(copy_picture, all_lanes=True),
        enabled=_has_lanes, tip="Copy this step of all runs that are compared, side by side",
        group=3,
    ),
)  # fmt: skip
