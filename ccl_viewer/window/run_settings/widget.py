"""The line of settings: the algorithm and its run; a form has the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QFrame, QSpinBox, QToolButton, QWidget

from ccl_viewer.algorithms import ALGORITHMS, copied_algorithms, find_algorithm, own_algorithms
from ccl_viewer.algorithms.base import Algorithm, Parameter
from ccl_viewer.devices.registry import report_devices
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import DeviceReport
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.run_settings import DEVICES, LARGEST_SEED
from ccl_viewer.window.core.tasks import ignore
from ccl_viewer.window.widgets.buttons import make_action_button, make_segments, make_text_button
from ccl_viewer.window.widgets.fields import (
    ChoiceBox,
    FormLayout,
    connect_chosen,
    make_number_box,
    show_value,
    value_of,
)
from ccl_viewer.window.widgets.glossary import explain
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox
from ccl_viewer.window.widgets.style import icon, scaled, set_role
from ccl_viewer.window.widgets.tables import TwoTextsDelegate

if TYPE_CHECKING:
    from ccl_viewer.window.core.session import Session

SCHEDULES: Final = (
    ("auto", "Auto", "Synchronous on small grids, sequential on all cores on large ones"),
    ("sequential", "Sequential", "One thread after the other: fast"),
    ("synchronous", "Synchronous", "All threads in lockstep, as in the papers' figures"),
    ("reverse", "Reverse", "The last thread first"),
    ("random", "Random", "Any thread at any time: finds races; the seed repeats a run"),
)

START_HERE: Final = ("label_equivalence", "shibata_naive", "playne", "ha4")
VARIANTS: Final = (
    "label_equivalence_sizes",
    "label_equivalence_hawick",
    "shibata_slow",
    "shibata_fast",
    "playne_block",
    "ha4_64",
    "ha4_features",
    "two_pass_strips",
)


def group_algorithms() -> Iterator[tuple[str, tuple[Algorithm, ...]]]:
    """Return titles and algorithms of the groups; each algorithm is in one."""
    rest = [
        algorithm for key, algorithm in ALGORITHMS.items() if key not in {*START_HERE, *VARIANTS}
    ]
    yield "Start here", tuple(ALGORITHMS[key] for key in START_HERE)
    for connectivity in (4, 8):
        algorithms = tuple(
            algorithm for algorithm in rest if algorithm.connectivities[0] == connectivity
        )
        yield f"{connectivity}-connected", algorithms
    yield "Variants", tuple(ALGORITHMS[key] for key in VARIANTS)


class QtSettingsBar(QFrame):
    """Shows and changes the settings of the next run."""

    algorithm: QtAlgorithmBox
    more: QToolButton

    def __init__(
        self, session: Session, run: QAction, live: QAction, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._run = run
        self.setProperty("role", "bar")
        self.setAccessibleName("Settings of the run")
        self.algorithm = QtAlgorithmBox()
        self.algorithm.chosen.connect(lambda key: self._configure(algorithm=key))
        self.connectivity = make_segments(self, {4: ("4", ""), 8: ("8", "")})
        self.connectivity.idClicked.connect(lambda value: self._configure(connectivity=value))
        for value in (4, 8):
            self.connectivity.button(value).setAccessibleName(f"Connectivity {value}")
        self.form = QtSettingsForm(session, self)
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.more = name_widget(
            QToolButton(toolButtonStyle=beside), "Device, schedule and parameters"
        )
        self.more.setIcon(icon("settings"))
        self.more.setObjectName("settings")
        self.more.clicked.connect(self.open_form)
        self.live = make_action_button(live, text=True, flat=False)
        self.run_button = make_text_button("", self._run_or_cancel, primary=True)
        caption = make_label("Algorithm", "caption")
        caption.setBuddy(self.algorithm)
        neighbours = hbox(*self.connectivity.buttons(), spacing=0)
        parts = (neighbours, self.more, 1, self.live, self.run_button)
        self.setLayout(hbox(caption, (self.algorithm, 3), *parts, margins=(8, 3, 8, 3), spacing=6))
        for model in (session.runs, session.comparison, session.tasks, session.document):
            model.changed.connect(self.refresh)
        session.display.stale_changed.connect(self._show_run)
        run.changed.connect(self._show_run)
        self.refresh()

    def refresh(self) -> None:
        with suppress(InputError):  # a copy was deleted by another program; the next run says so
            self._show_settings()
        self._show_run()

    def _show_settings(self) -> None:
        settings = self._session.comparison.active_settings
        algorithm = find_algorithm(settings.algorithm)
        self.algorithm.show_algorithm(algorithm)
        for value in (4, 8):
            button = self.connectivity.button(value)
            button.setEnabled(value in algorithm.connectivities)
            button.setChecked(value == settings.connectivity)
            button.setToolTip(_connectivity_tip(algorithm, value))
        different = settings.non_default
        self.more.setText(", ".join(different) if different else "Settings")
        self.more.setToolTip(
            "Device, schedule and parameters"
            + (f"; different from the default: {', '.join(different)}" if different else "")
        )
        set_role(self.more, "true" if different else "", "changed")

    def open_form(self) -> None:
        """Show the form with device, schedule and parameters below its button."""
        self.form.refresh()
        self.form.adjustSize()
        corner = self.more.mapToGlobal(QPoint(0, self.more.height() + 2))
        room = self.screen().availableGeometry()
        corner.setX(max(min(corner.x(), room.right() - self.form.width()), room.left()))
        self.form.move(corner)
        self.form.show()
        self.form.device.setFocus(Qt.FocusReason.PopupFocusReason)

    def _configure(self, **changes: Any) -> None:
        self._session.configure(**changes)
        self.refresh()

    def _run_or_cancel(self) -> None:
        if self._session.runs.running:
            self._session.runs.cancel()
        else:
            self._run.trigger()

    def _show_run(self) -> None:
        running = self._session.runs.running
        run = "Run again" if self._session.display.stale else "Run"
        self.run_button.setText("Cancel" if running else run)
        self.run_button.setIcon(icon("stop" if running else "run", "on_accent"))
        self.run_button.setToolTip("Stop (Esc)" if running else self._run.toolTip())
        self.run_button.setEnabled(running or self._run.isEnabled())


class QtAlgorithmBox(ChoiceBox):
    """Lists the algorithms in groups, each with a line about what it does."""

    def __init__(self) -> None:
        super().__init__("Algorithm", {})
        self.setObjectName("algorithm")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMinimumContentsLength(16)
        self.setMaximumWidth(scaled(340))
        self.setMaxVisibleItems(30)
        self._rows: tuple[tuple[str, tuple[Algorithm, ...]], ...] = ()
        self.fill_groups()

    def fill_groups(self) -> None:
        """List built-in algorithms, copies and user algorithms."""
        mine = (("My copies", copied_algorithms()), ("My algorithms", own_algorithms()))
        groups = (*group_algorithms(), *(group for group in mine if group[1]))
        if groups == self._rows:
            return
        self._rows = groups
        self.fill({})
        for title, algorithms in groups:
            self.add_entries({}, title)
            for algorithm in algorithms:
                self.add_entries({algorithm.key: algorithm.title})
                index, tips = self.count() - 1, Qt.ItemDataRole.ToolTipRole
                self.setItemData(index, algorithm.tagline or algorithm.summary, _LINE)
                self.setItemData(index, f"{algorithm.summary}\n\n{algorithm.citation}", tips)
        widest = max(len(algorithm.title) for _, group in groups for algorithm in group)
        self.setItemDelegate(TwoTextsDelegate(_LINE, self, column=min(widest, _LONGEST_NAME)))

    def show_algorithm(self, algorithm: Algorithm) -> None:
        if algorithm.key not in self.values:
            self.fill_groups()
        self.show_value(algorithm.key)
        self.setToolTip(f"{algorithm.title}\n{algorithm.summary}\n\n{algorithm.citation}")

    def showPopup(self) -> None:
        chosen = self.value
        self.fill_groups()
        self.show_value(chosen)
        super().showPopup()


_LINE: Final = Qt.ItemDataRole.UserRole + 1
_LONGEST_NAME: Final = 44  # letters of a name in the list; a longer one is elided


class QtSettingsForm(QFrame):
    """The form with device, schedule, seed and the parameters of the algorithm."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._session = session
        self._key = ""
        self._asked = False
        self.setProperty("role", "card")
        self.setAccessibleName("Device, schedule and parameters")
        self.device = ChoiceBox("Device", DEVICES)
        self.schedule = ChoiceBox("Schedule", {key: name for key, name, _ in SCHEDULES})
        self.schedule.set_tips(tip for *_, tip in SCHEDULES)
        tip = "The same seed gives the same run"
        self.seed = make_number_box(QSpinBox(), "Seed", 0, LARGEST_SEED, tip=tip)
        self.parameters: dict[str, QSpinBox | ChoiceBox] = {}
        tip = "Small grids on the emulator; larger ones with Count in the Memory panel."
        self.counting = name_widget(QCheckBox("Count memory accesses"), tip=tip)
        self.counting.clicked.connect(session.runs.set_counting)
        tip = (
            "Adds four to six steps: blocks count roots, a prefix sum ranks these, and each cell "
            "takes the number of its root. The last two show the numbers instead of labels."
        )
        self.consecutive = name_widget(QCheckBox("Number the components afterwards"), tip=tip)
        self.consecutive.clicked.connect(lambda on: session.configure(consecutive=on))
        self.defaults = make_text_button("Use the defaults", self._use_defaults)
        self._form = FormLayout(self)
        self._form.setContentsMargins(14, 12, 14, 12)
        fields = {"Device": self.device, "Schedule": self.schedule, "Seed": self.seed}
        for title, field in fields.items():
            self._form.addRow(title, field)
            self._form.labelForField(field).setToolTip(explain(title.lower()))
        self._form.addRow(self.consecutive)
        self._form.addRow(self.counting)
        self._form.addRow(self.defaults)
        self.device.chosen.connect(self._device_chosen)
        self.schedule.chosen.connect(self._schedule_chosen)
        self.seed.valueChanged.connect(self._schedule_chosen)
        watch(
            self._on_settings_changed, session.runs.settings_changed, session.runs.counting_changed
        )
        watch(
            self._on_settings_changed,
            session.comparison.active_changed,
            session.comparison.panes_changed,
        )

    def refresh(self) -> None:
        """Show the settings; look for devices the first time."""
        if not self._asked:
            self._asked = True
            self._session.tasks.start(
                "Looking for devices",
                lambda _task: report_devices(),
                self._show_devices,
                ignore,
                group="devices",
            )
        settings = self._session.comparison.active_settings
        kind, _, seed = settings.schedule.partition(":")
        on_gpu = settings.device == "cuda"
        self.device.show_value(settings.device)
        self.schedule.show_value(kind)
        if seed.isdigit():
            show_value(self.seed, int(seed))
        self.schedule.setEnabled(not on_gpu)
        gpu_tip = "A GPU chooses the order of threads"
        self.schedule.setToolTip(gpu_tip if on_gpu else explain("schedule"))
        self.consecutive.setChecked(settings.consecutive)
        self.counting.setChecked(self._session.runs.counting)
        self._form.setRowVisible(self.seed, kind == "random")
        with suppress(InputError):  # as in the bar
            self._show_parameters(find_algorithm(settings.algorithm))
            self.defaults.setEnabled(bool(settings.non_default))

    def _on_settings_changed(self) -> None:
        if self.isVisible():
            self.refresh()
            self.adjustSize()

    def _show_devices(self, reports: Sequence[DeviceReport]) -> None:
        for report in reports:
            row = self.device.values.index(report.key)
            self.device.enable(report.key, report.available)
            self.device.setItemData(row, report.detail, Qt.ItemDataRole.ToolTipRole)
            name = DEVICES[report.key]
            self.device.setItemText(row, name if report.available else f"{name}: not available")

    def _show_parameters(self, algorithm: Algorithm) -> None:
        if algorithm.key != self._key:
            self._key = algorithm.key
            for box in self.parameters.values():
                box.blockSignals(True)  # it will be deleted soon
                self._form.removeRow(box)
            self.parameters = {}
            for number, parameter in enumerate(algorithm.parameters):
                box = _parameter_box(parameter)
                connect_chosen(box, self._parameter_chosen)
                self._form.insertRow(3 + number, parameter.title, box)
                self.parameters[parameter.name] = box
        values = algorithm.complete(self._session.comparison.active_settings.parameters)
        for name, box in self.parameters.items():
            value = values[name]
            if isinstance(box, ChoiceBox):
                box.show_value(str(value))
            else:
                show_value(box, value if isinstance(value, int) else box.minimum())

    def _device_chosen(self, device: str) -> None:
        schedule = {"schedule": "auto"} if device == "cuda" else {}
        self._session.configure(device=device, **schedule)

    def _schedule_chosen(self, _value: object) -> None:
        kind = self.schedule.value
        schedule = f"random:{self.seed.value()}" if kind == "random" else kind
        self._session.configure(schedule=schedule)

    def _parameter_chosen(self, _value: object) -> None:
        values: dict[str, ParameterValue] = {}
        for parameter in find_algorithm(self._key).parameters:
            box = self.parameters[parameter.name]
            value = value_of(box)
            absent = parameter.default is None and value == parameter.minimum - 1
            values[parameter.name] = None if absent else value
        self._session.configure(parameters=values)

    def _use_defaults(self) -> None:
        self._session.configure(device="auto", schedule="auto", parameters={}, consecutive=False)
        self.refresh()


def _parameter_box(parameter: Parameter) -> QSpinBox | ChoiceBox:
    if parameter.choices:
        titles = {one.name: one.title for one in parameter.choices}
        named = ChoiceBox(parameter.title, titles, narrow=True)
        named.set_tips(f"{one.name} {one.help}. {one.fault}" for one in parameter.choices)
        return named
    optional = parameter.default is None
    low, tip = parameter.minimum - optional, f"{parameter.title}: {parameter.help}"
    box = make_number_box(QSpinBox(), parameter.title, low, parameter.maximum, tip=tip)
    if optional:
        box.setSpecialValueText(parameter.absent)
    return box


def _connectivity_tip(algorithm: Algorithm, value: int) -> str:
    if value not in algorithm.connectivities:
        return f"{algorithm.title} has no connectivity {value}"
    meaning = {4: "cells that share an edge", 8: "cells that share an edge or a corner"}[value]
    paper = "; used by the paper" if value == algorithm.connectivities[0] else ""
    return f"Connect {meaning}{paper}\n{explain('connectivity')}"
