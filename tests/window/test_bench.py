"""The window for benchmarks."""

from __future__ import annotations

from PySide6.QtSvgWidgets import QSvgWidget
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ccl_viewer.window.bench.model import GRIDS
from ccl_viewer.window.bench.widget import QtBench
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.style import THEMES


def dialog_of(window: MainWindow) -> QtBench:
    window.actions_by_name["bench"].trigger()
    (dialog,) = window.findChildren(QtBench)
    dialog.bench.change(device="emulator")
    return dialog


def test_a_preset_is_measured(window: MainWindow, qtbot: QtBot) -> None:
    dialog = dialog_of(window)
    assert dialog.own.isVisible()
    assert not dialog.save.isEnabled()
    assert dialog.hint.isVisible()
    assert not dialog.figure.isVisible()
    dialog.preset.chosen.emit("hennequin-features")
    assert not dialog.own.isVisible()
    assert dialog.reduced.isChecked()
    assert dialog.about.text() == "Features by segment and by pixel. 4 neighbours."
    dialog.start.click()
    assert dialog.start.text() == "Cancel"
    qtbot.waitUntil(lambda: not dialog.bench.running)
    assert dialog.start.text() == "Run"
    assert dialog.charts.plots
    plot = dialog.charts.findChild(QSvgWidget)
    assert plot is not None
    qtbot.waitUntil(lambda: plot.height() > 100 and plot.y() == 0)
    assert dialog.figure.isVisible()
    assert not dialog.hint.isVisible()
    assert dialog.figure.currentText() == "Atomics"
    assert dialog.save.isEnabled()
    dialog.close()
    assert dialog_of(window) is dialog


def visible_plots(dialog: QtBench) -> list[QSvgWidget]:
    return [one for one in dialog.charts.findChildren(QSvgWidget) if one.isVisible()]


def test_plots_follow_the_theme_and_name_grids_in_words(window: MainWindow, qtbot: QtBot) -> None:
    dialog = dialog_of(window)
    lines = ("pattern:noise?width=24&height=16&density=0.3", "pattern:spiral?size=15")
    dialog.bench.change(algorithms="ha4 label_equivalence", workloads="\n".join(lines))
    dialog.start.click()
    qtbot.waitUntil(lambda: not dialog.bench.running)
    (plot,) = dialog.charts.plots
    words = {text for item in plot for text in getattr(item, "texts", ())}
    assert {"Noise 24 \N{MULTIPLICATION SIGN} 16, density 0.3", "Spiral, size 15"} <= words
    assert not [word for word in words if "=" in word or "?" in word]
    for name in ("light", "dark"):
        window.appearance.set_theme(name)
        qtbot.waitUntil(lambda: bool(visible_plots(dialog)))
        drawn = visible_plots(dialog)[-1].grab().toImage()
        assert drawn.pixelColor(4, 4).name() == THEMES[name].surface
        inks = {drawn.pixelColor(x, y).name() for x in range(150) for y in range(60)}
        assert THEMES[name].text in inks  # of the title
    dialog.close()


def test_algorithms_and_grids_are_chosen_from_menus(window: MainWindow) -> None:
    dialog = dialog_of(window)
    dialog.bench.change(algorithms="", workloads="")
    _, menu = dialog.menus
    dialog.side.show_value(32)
    menu.actions()[1].trigger()
    assert dialog.workloads.toPlainText().splitlines()[0] == (
        "pattern:noise?density=0.1&width=32&height=32"
    )
    for menu in dialog.menus:
        menu.aboutToShow.emit()
        for action in menu.actions():
            if action.text() in {"HA4", "SciPy"}:
                action.trigger()
    assert dialog.algorithms.text() == "ha4 scipy"
    dialog.algorithms.setText("playne")
    assert dialog.bench.settings.algorithms == "playne"
    dialog.close()


def test_grids_are_read_to_their_ends(window: MainWindow) -> None:
    dialog = dialog_of(window)
    QApplication.processEvents()  # the splitter gives widths
    dialog.bench.change(workloads="\n".join(line for make in GRIDS.values() for line in make(4096)))
    assert dialog.workloads.horizontalScrollBar().maximum() == 0
    dialog.close()
