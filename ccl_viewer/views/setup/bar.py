"""The bar at the top: what is labelled, by which algorithm, where and how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QWidget,
)

from ccl_viewer.algorithms import ALGORITHMS, algorithm
from ccl_viewer.devices.base import DeviceReport
from ccl_viewer.session import Session
from ccl_viewer.session.values import choose_algorithm
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.memory.parts import Memory
from ccl_viewer.views.setup.algorithm_fields import (
    PARTS_APART,
    ConnectivityButtons,
    ParameterFields,
)
from ccl_viewer.views.widgets.boxes import NumberBox, choice_box, titled
from ccl_viewer.views.widgets.flow import FlowLayout

SCHEDULES = (
    ("auto", "Auto", "Synchronous on small grids, sequential on all cores on large ones"),
    ("sequential", "Sequential", "One thread after the other: fast"),
    ("synchronous", "Synchronous", "All threads step by step, as in the papers' figures"),
    ("reverse", "Reverse", "The last thread first"),
    ("random", "Random", "Any thread at any time: finds races; the seed repeats a run"),
)
LARGEST_SEED = 2**31 - 1
"""Of the random schedule."""

DEVICE_NAMES = {"auto": "Auto", "cuda": "GPU (CUDA)", "emulator": "Emulator"}


class SourceBar(QFrame):
    """Shows and changes how the next run is done.

    Parameters
    ----------
    session : Session
        What is changed.
    open_action, run_action : QAction
        Behind the buttons.
    pattern_menu : QMenu
        Behind the pattern button.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        session: Session,
        open_action: QAction,
        run_action: QAction,
        pattern_menu: QMenu,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._run_action = run_action
        self.setProperty("role", "bar")
        self.open_button = _action_button(open_action)
        self.pattern_button = _pattern_button(pattern_menu)
        self.algorithm = self._algorithm_combo()
        self.connectivity = ConnectivityButtons()
        self.device = self._device_combo()
        self.schedule = self._schedule_combo()
        self.seed = self._seed_box()
        self.parameters = ParameterFields(session)
        self.run_button = _run_button(run_action)
        self._lay_out()
        self.set_low(False)
        self.connectivity.group.idClicked.connect(
            lambda value: session.configure(connectivity=value)
        )
        run_action.changed.connect(self._show_run)
        session.settings_changed.connect(self.refresh)
        self._show_run()
        self.refresh()

    def show_devices(self, reports: Sequence[DeviceReport]) -> None:
        """Enable the devices that can be used; the others say why not."""
        model = self.device.model()
        if not isinstance(model, QStandardItemModel):
            raise TypeError("a QComboBox has a QStandardItemModel unless it is given another")
        for report in reports:
            row = self.device.findData(report.key)
            model.item(row).setEnabled(report.available)
            self.device.setItemData(row, report.detail, Qt.ItemDataRole.ToolTipRole)
            name = DEVICE_NAMES[report.key]
            self.device.setItemText(row, name if report.available else f"{name}: not here")
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.pattern_button.setIcon(icon("pattern", theme.text))
        self.run_button.setIcon(icon("run", theme.on_accent, theme.dim))

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered: the algorithm, and its connectivity."""
        session = self._session
        yield Memory(
            "run/algorithm",
            lambda: session.settings.algorithm,
            lambda key: session.configure(algorithm_key=key),
        )
        yield Memory(
            "run/connectivity",
            lambda: str(session.settings.connectivity),
            lambda text: session.configure(connectivity=int(text)),
        )

    def set_low(self, low: bool) -> None:
        """Take one line, without captions, in a window that is low for its text."""
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if low else beside
        for button in (self.open_button, self.pattern_button):
            button.setToolButtonStyle(style)
        for caption in self.findChildren(QLabel):
            if caption.property("role") == "caption":
                caption.setHidden(low)
        self.parameters.set_low(low)

    def refresh(self) -> None:
        """Show the session's settings."""
        settings = self._session.settings
        row = algorithm(settings.algorithm)
        with QSignalBlocker(self.algorithm):
            self.algorithm.setCurrentIndex(self.algorithm.findData(settings.algorithm))
        self.algorithm.setToolTip(f"{row.title}\n\n{row.summary}\n\n{row.citation}")
        self.algorithm.updateGeometry()
        self.connectivity.show_choice(row, settings.connectivity)
        with QSignalBlocker(self.device):
            self.device.setCurrentIndex(self.device.findData(settings.device))
        detail = self.device.currentData(Qt.ItemDataRole.ToolTipRole)
        self.device.setToolTip(str(detail or "Where the kernels run"))
        self._show_schedule(settings.schedule)
        self.parameters.show_parameters(row)

    def _show_schedule(self, schedule: str) -> None:
        kind, _, seed = schedule.partition(":")
        on_gpu = self._session.settings.device == "cuda"
        with QSignalBlocker(self.schedule), QSignalBlocker(self.seed):
            self.schedule.setCurrentIndex(self.schedule.findData(kind))
            if seed:
                self.seed.setValue(int(seed))
        self.seed.setVisible(kind == "random")
        self.schedule.setEnabled(not on_gpu)
        self.schedule.setToolTip(
            "A GPU runs threads in its own order"
            if on_gpu
            else str(self.schedule.currentData(Qt.ItemDataRole.ToolTipRole))
        )

    def _algorithm_combo(self) -> QComboBox:
        combo = choice_box("Algorithm", 18, 7)
        for row in ALGORITHMS.values():
            combo.addItem(row.title, row.key)
            tip = f"{row.summary}\n\n{row.citation}"
            combo.setItemData(combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        combo.activated.connect(lambda index: self._choose_algorithm(combo.itemData(index)))
        return combo

    def _choose_algorithm(self, key: str) -> None:
        if not choose_algorithm(self._session, key):
            self.refresh()

    def _device_combo(self) -> QComboBox:
        combo = choice_box("Device", 9, 4)
        for key, name in DEVICE_NAMES.items():
            combo.addItem(name, key)
        tip = "A GPU where there is one, else the emulator"
        combo.setItemData(0, tip, Qt.ItemDataRole.ToolTipRole)
        combo.activated.connect(self._device_chosen)
        return combo

    def _device_chosen(self, index: int) -> None:
        device = self.device.itemData(index)
        schedule = "auto" if device == "cuda" else None
        self._session.configure(device=device, schedule=schedule)

    def _schedule_combo(self) -> QComboBox:
        combo = choice_box("Schedule", 10, 6)
        for key, name, tip in SCHEDULES:
            combo.addItem(name, key)
            combo.setItemData(combo.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        combo.activated.connect(self._schedule_chosen)
        return combo

    def _seed_box(self) -> QSpinBox:
        box = NumberBox()
        box.setRange(0, LARGEST_SEED)
        box.setAccessibleName("Seed of the random schedule")
        box.setToolTip("Seed: the same one gives the same run")
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self._schedule_chosen)
        box.hide()
        return box

    def _schedule_chosen(self) -> None:
        kind = self.schedule.currentData()
        self._session.configure(
            schedule=f"random:{self.seed.value()}" if kind == "random" else kind
        )

    def _show_run(self) -> None:
        self.run_button.setText(self._run_action.text().replace("&", ""))
        self.run_button.setToolTip(self._run_action.toolTip())
        self.run_button.setEnabled(self._run_action.isEnabled())

    def _lay_out(self) -> None:
        fields = QWidget()
        flow = FlowLayout(16, 8, fields)
        flow.addWidget(_group(titled("Grid", self.open_button, self.pattern_button)))
        flow.addWidget(
            _group(
                titled("Algorithm", self.algorithm),
                titled("Connectivity", self.connectivity),
                self.parameters,
            )
        )
        flow.addWidget(
            _group(titled("Device", self.device), titled("Schedule", self.schedule, self.seed))
        )
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        fields.setSizePolicy(policy)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(12)
        layout.addWidget(fields, 1)
        layout.addWidget(self.run_button, 0, Qt.AlignmentFlag.AlignBottom)


def _action_button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setIconSize(QSize(18, 18))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _pattern_button(menu: QMenu) -> QToolButton:
    button = QToolButton()
    button.setText("Pattern")
    button.setToolTip("Begin with a computed grid (Ctrl+N)")
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(menu)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _run_button(action: QAction) -> QPushButton:
    button = QPushButton()
    button.setProperty("role", "primary")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setMinimumWidth(96)
    button.clicked.connect(action.trigger)
    return button


def _group(*parts: QWidget | QLayout) -> QWidget:
    group = QWidget()
    row = QHBoxLayout(group)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(PARTS_APART)
    for part in parts:
        if isinstance(part, QWidget):
            row.addWidget(part)
        else:
            row.addLayout(part)
    return group
