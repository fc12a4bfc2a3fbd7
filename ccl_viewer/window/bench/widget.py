"""The window for benchmarks: what to measure, and live plots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtSvgWidgets import QSvgWidget
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QWidget,
)

from ccl_viewer.algorithms import ALGORITHMS, copied_algorithms, own_algorithms
from ccl_viewer.bench.charts import recolour_chart
from ccl_viewer.bench.libraries import LIBRARIES
from ccl_viewer.bench.presets import PRESETS
from ccl_viewer.render.display_list import DisplayList
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.window.bench.model import GRIDS, Bench, figure_title
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.run_settings import DEVICES
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.dialogs import Dialog
from ccl_viewer.window.widgets.fields import ChoiceBox, Field, connect_chosen, make_row, show_values
from ccl_viewer.window.widgets.file_dialogs import ask_for_folder, ask_to_open_several
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, make_scroll_area, vbox
from ccl_viewer.window.widgets.progress import TaskProgressBar
from ccl_viewer.window.widgets.style import scaled

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.tasks import TaskQueue

_OWN: Final = "Custom measurement"
_SIZES: Final = {1 << n: f"{1 << n}\N{MULTIPLICATION SIGN}{1 << n}" for n in range(5, 15)}
_USUAL: Final = 128
_SIZE: Final = (1080, 620)  # pixels at normal text size
_LEFT: Final = 380  # of its width; fits the longest lines of grids
_PAUSE: Final = 250  # milliseconds between two plots of a run in progress


class Charts(QWidget):
    """Shows plots below each other, in its full width."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Plots")
        self.plots: list[DisplayList] = []
        self._shown: list[QSvgWidget] = []
        self._column = vbox(spacing=8)
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setLayout(self._column)

    def show_plots(self, plots: list[DisplayList]) -> None:
        for old in self._shown:
            old.hide()
            old.deleteLater()
        self.plots, self._shown = plots, [QSvgWidget() for _ in plots]
        for widget in self._shown:
            self._column.addWidget(widget)
        self._paint()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._paint()

    def _paint(self) -> None:
        look = style.theme()
        colours = [look.color(role).rgba() for role in ("surface", "text", "dim", "border")]
        for plot, widget in zip(self.plots, self._shown, strict=True):
            widget.load(QByteArray(paint_svg(recolour_chart(plot, *colours), "").encode()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        for plot, widget in zip(self.plots, self._shown, strict=True):
            widget.setFixedHeight(round(plot.height * self.width() / plot.width))


class QtBench(Dialog):
    """Shows a :class:`Bench`; a run goes on while the dialog is closed."""

    def __init__(self, bench: Bench, parent: QWidget) -> None:
        super().__init__("Benchmark", parent, modal=False)
        self.bench = bench
        self._soon = QTimer(self, singleShot=True, interval=_PAUSE)
        self._soon.timeout.connect(self._show_results)
        self.charts = Charts()
        self.figure = ChoiceBox("Figure", {})
        self.figure.chosen.connect(bench.choose_figure)
        self.save = make_text_button(
            "Save\N{HORIZONTAL ELLIPSIS}", self._save, "JSON, CSV, SVG and PNG"
        )
        self.start = make_text_button("Run", bench.start_or_cancel, primary=True)
        self.bar = TaskProgressBar()
        self.status = make_label("", wrap=True)
        parts = (self._choices(), self.bar, self.status, hbox(self.start, 1, self.save))
        left = make_container(vbox(*parts))
        left.setMinimumWidth(scaled(300))
        hint = "Plots appear here during the measurement."
        self.hint = make_label(hint, "dim", centred=True)
        shown = hbox(make_label("Figure"), (self.figure, 1))
        self.results = make_container(vbox(shown, (make_scroll_area(self.charts, "Plots"), 1)))
        columns = QSplitter(childrenCollapsible=False)
        columns.addWidget(left)
        columns.addWidget(make_container(vbox((self.hint, 1), (self.results, 1))))
        columns.setStretchFactor(1, 1)
        columns.setSizes([scaled(_LEFT), scaled(_SIZE[0] - _LEFT)])
        self.setLayout(vbox(columns, margins=(11, 11, 11, 11)))
        self.resize_with_text(*_SIZE)
        bench.settings_changed.connect(self._show_settings)
        watch(self._show_results_soon, bench.settings_changed, bench.report_changed)
        bench.figure_changed.connect(self._show_results)
        bench.changed.connect(self._show_status)
        self._show_settings()
        self._show_results_soon()
        self._show_status()

    # Input

    def _choices(self) -> QWidget:
        bench = self.bench
        names = {"": _OWN, **{key: f"{key}: {row.source}" for key, row in PRESETS.items()}}
        self.preset = ChoiceBox("Benchmark", names)
        self.preset.set_tips([_OWN, *(row.title for row in PRESETS.values())])
        self.about = make_label("", "dim", wrap=True)
        self.reduced = QCheckBox("Small grids, for a quick look")
        self.reduced.setToolTip("At full size, the emulator takes minutes to hours")
        self.device = ChoiceBox("Device", DEVICES)
        tip = "As KEY or KEY:NAME=VALUE, with spaces between them"
        self.algorithms = name_widget(QLineEdit(), "Algorithms", tip)
        self.workloads = QPlainTextEdit(lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        name_widget(self.workloads, "Grids", "Patterns, pictures and folders, one a line")
        self.side = ChoiceBox("Size of added grids", _SIZES, narrow=True)
        self.side.show_value(_USUAL)
        neighbours = {
            None: "Each algorithm's default connectivity",
            4: "4 neighbours",
            8: "8 neighbours",
        }
        self.connectivity = ChoiceBox("Neighbours", neighbours)
        self._fields: dict[str, Field] = {
            each.name: getattr(self, each.name) for each in fields(bench.settings)
        }
        for name, field in self._fields.items():
            connect_chosen(field, partial(self._choose, name))
        self.menus = self._algorithm_menu(), self._grid_menu()
        adds, grids = QPushButton("Add algorithm"), QPushButton("Add grids")
        for button, menu in zip((adds, grids), self.menus, strict=True):
            button.setMenu(menu)
        first = hbox(make_label("Algorithms"), 1, adds)
        second = hbox(make_label("Grids"), 1, self.side, grids)
        rows = (first, self.algorithms, second, (self.workloads, 1), self.connectivity)
        self.own = make_container(vbox(*rows))
        device = make_row("Device", self.device, wide=(1,))
        parts = (self.preset, self.about, self.reduced, (self.own, 1), device, 0)
        return make_container(vbox(*parts))

    def _algorithm_menu(self) -> QMenu:
        menu = QMenu(self, toolTipsVisible=True)
        menu.aboutToShow.connect(partial(self._fill_algorithm_menu, menu))
        return menu

    def _fill_algorithm_menu(self, menu: QMenu) -> None:
        """List built-in algorithms, those of the user as they are now, and libraries."""
        menu.clear()
        for algorithms in (ALGORITHMS.values(), (*copied_algorithms(), *own_algorithms())):
            for algorithm in algorithms:
                action = menu.addAction(
                    algorithm.title, partial(self._add_algorithm, algorithm.key)
                )
                named = ", ".join(f"{each.name}={each.default}" for each in algorithm.parameters)
                action.setToolTip(f"{algorithm.key}: {named}" if named else algorithm.key)
            menu.addSeparator()
        for key, library in LIBRARIES.items():
            menu.addAction(library.title, partial(self._add_algorithm, key))

    def _grid_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction("&This grid", self.bench.add_document)
        for text, lines in GRIDS.items():
            menu.addAction(text, partial(self._add_grids, lines))
        menu.addSeparator()
        menu.addAction("&Pictures\N{HORIZONTAL ELLIPSIS}", self._add_pictures)
        menu.addAction("&Folder of pictures\N{HORIZONTAL ELLIPSIS}", self._add_folder)
        return menu

    def _add_algorithm(self, key: str) -> None:
        self.bench.change(algorithms=f"{self.bench.settings.algorithms} {key}".strip())

    def _add_grids(self, grids_of: Callable[[int], list[str]]) -> None:
        self.bench.add_grids(*grids_of(self.side.value))

    def _add_pictures(self) -> None:
        title = "Pictures to measure on"
        ask_to_open_several(self, title, lambda names: self.bench.add_grids(*names))

    def _add_folder(self) -> None:
        title = "Folder of pictures to measure on"
        ask_for_folder(self, title, lambda folder: self.bench.add_grids(str(folder)))

    def _choose(self, name: str, value: object) -> None:
        self.bench.change(**{name: value})

    # Results

    def _show_results_soon(self) -> None:
        if not self.bench.running:
            self._show_results()
        elif not self._soon.isActive():
            self._soon.start()

    def _show_status(self) -> None:
        task = self.bench.task
        self.start.setText("Run" if task is None else "Cancel")
        self.bar.show_task(task)
        self.status.setText(self.bench.status)
        report = self.bench.report
        self.status.setToolTip("\n".join(report.omissions) if report else "")
        self.save.setEnabled(report is not None)

    def _show_settings(self) -> None:
        settings = self.bench.settings
        show_values(self._fields, settings)
        row = PRESETS.get(settings.preset)
        self.about.setText("" if row is None else f"{row.title}. {row.connectivity} neighbours.")
        self.about.setVisible(row is not None)
        self.reduced.setVisible(row is not None)
        self.own.setVisible(row is None)

    def _show_results(self) -> None:
        bench = self.bench
        names = {name: figure_title(name) for name in bench.figures}
        self.figure.fill(names)
        if names:
            self.figure.show_value(bench.figure)
        self.charts.show_plots(bench.plots)
        self.results.setVisible(bool(names))
        self.hint.setVisible(not names)

    def _save(self) -> None:
        ask_for_folder(self, "Save the results in a new folder in", self.bench.save)


def show_bench(tasks: TaskQueue, document: Document, window: QWidget) -> QtBench:
    """Show the window for benchmarks; make it if necessary."""
    dialog = window.findChild(QtBench) or QtBench(Bench(tasks=tasks, document=document), window)
    dialog.show()
    dialog.raise_()
    return dialog
