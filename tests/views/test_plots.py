"""The plots: loaded when first seen, true to the run, clickable, saved, and gone when closed."""

from __future__ import annotations

import csv
import gc
import subprocess
import sys
import threading
import weakref
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from support.windows import (
    PATIENCE,
    MakeWindow,
    answer_names,
    settled,
    wait_idle,
    wait_in_sight,
)

from ccl_viewer.errors import InputError
from ccl_viewer.files import replacing
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.session import Job, MessageKind
from ccl_viewer.session.plots.figures import Counts, SizeBins, bin_sizes
from ccl_viewer.session.plots.plots import PLOTS, Plot
from ccl_viewer.views.looks.theme import LIGHT
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.plots.deck import PlotDeck
from ccl_viewer.views.plots.panel import Plots
from ccl_viewer.views.plots.saving import Saving
from ccl_viewer.views.rest import wait_until_at_rest
from ccl_viewer.views.source.pane import SourcePane

LEFT = Qt.MouseButton.LeftButton


def deck_of(window: MainWindow, qtbot: QtBot) -> PlotDeck:
    """Show the panel, and wait until the plots are loaded."""
    window.docks.show("plots", on=True)
    panel = window.panel(Plots)
    qtbot.waitUntil(lambda: panel.deck is not None, timeout=PATIENCE)
    assert panel.deck is not None
    return panel.deck


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> Plots:
    """The panel of plots, loaded."""
    deck_of(window, qtbot)
    return window.panel(Plots)


@pytest.fixture
def deck(panel: Plots) -> PlotDeck:
    """The loaded plots."""
    assert panel.deck is not None
    return panel.deck


def place_of(deck: PlotDeck, step: int) -> tuple[float, float]:
    """Where a step, from 0, is on the widget of the plot over the steps."""
    box = deck.course.item.vb
    rect = box.sceneBoundingRect()
    return box.mapViewToScene(QPointF(step + 1, 0)).x(), rect.center().y()


def told(qtbot: QtBot, window: MainWindow, kind: MessageKind, text: str) -> None:
    """Wait until the window tells something."""

    def tells() -> bool:
        message = window.session.message
        return message is not None and message.kind is kind and text in message.text

    qtbot.waitUntil(tells, timeout=PATIENCE)


def test_nothing_is_loaded_until_the_panel_is_seen(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    wait_in_sight(qtbot, window.panel(SourcePane))
    window.session.playback.back()
    QApplication.processEvents()
    assert window.panel(Plots).deck is None
    assert window.panel(Plots).figures.sizes is None


def test_starting_the_program_does_not_wait_for_pyqtgraph() -> None:
    code = "import sys, ccl_viewer.views.main_window; sys.exit('pyqtgraph' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_plot_can_be_chosen(panel: Plots, deck: PlotDeck) -> None:
    for plot in PLOTS:
        QTest.mouseClick(panel.buttons[plot], LEFT)
        assert panel.plot is plot
        assert deck.view(plot).isVisible()
        assert deck.view(plot).accessibleName()
        assert panel.logarithmic.isVisible() is (plot is not Plot.TIME)


def test_a_plot_is_made_when_it_is_first_looked_at(panel: Plots, deck: PlotDeck) -> None:
    assert len(deck.views) == 1
    for made, plot in enumerate(PLOTS, 1):
        panel.show_plot(plot)
        assert len(deck.views) == made


def test_a_grid_without_components_has_no_bars_of_sizes(
    window: MainWindow, panel: Plots, deck: PlotDeck, qtbot: QtBot
) -> None:
    panel.show_plot(Plot.SIZES)
    qtbot.waitUntil(lambda: deck.sizes.bars is not None, timeout=PATIENCE)
    window.session.edits.clear()
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: deck.sizes.bars is None, timeout=PATIENCE)


def test_bars_are_the_times_of_the_stages(panel: Plots, deck: PlotDeck) -> None:
    panel.show_plot(Plot.TIME)
    times = panel.figures.times
    assert [brush.color().name() for brush in deck.time.bars.opts["brushes"]] == [
        STAGE_COLORS[time.stage] for time in times
    ]
    heights = np.asarray(deck.time.bars.opts["height"])
    expected = [time.milliseconds for time in times]
    assert heights / heights[0] == pytest.approx(np.array(expected) / expected[0])


def test_no_lines_lie_over_the_bars(panel: Plots, deck: PlotDeck) -> None:
    assert not panel.logarithmic.isVisible()  # before any other plot was chosen
    bar = deck.time.bars.mapRectToScene(deck.time.bars.boundingRect())
    width = bar.width() / (len(panel.figures.times) - 0.3)
    image = deck.time.view.grab().toImage()
    ratio = image.devicePixelRatio()
    column = round((bar.left() + width * 0.2) * ratio)
    rows = range(round((bar.bottom() - 4) * ratio), round((bar.bottom() - 40) * ratio), -1)
    assert len({image.pixelColor(column, row).name() for row in rows}) == 1


def test_measured_times_have_a_spread(
    panel: Plots, deck: PlotDeck, window: MainWindow, qtbot: QtBot
) -> None:
    panel.show_plot(Plot.TIME)
    plain = len(deck.time.item.items)
    window.session.measuring.measure()
    wait_idle(qtbot, window)
    assert window.session.measuring.timing is not None
    assert all(time.lower <= time.milliseconds <= time.upper for time in panel.figures.times)
    assert len(deck.time.item.items) == plain + 1


def test_curves_are_the_counts_of_the_steps(
    panel: Plots, deck: PlotDeck, window: MainWindow
) -> None:
    panel.show_plot(Plot.COURSE)
    panel.logarithmic.setChecked(False)
    recording = window.session.recording
    assert recording is not None
    x, y = deck.course.curves["roots"].getData()
    assert x.tolist() == list(range(1, len(recording) + 1))
    assert y.tolist() == [step.roots for step in recording.steps]
    panel.logarithmic.setChecked(True)
    _, y = deck.course.curves["changed"].getData()
    expected = [step.changed for step in recording.steps]
    assert (10**y - 1).tolist() == pytest.approx(expected)


def test_the_legend_covers_no_count(panel: Plots, deck: PlotDeck, window: MainWindow) -> None:
    settled(window, 1280, 720)
    window.session.configure(algorithm_key="ha4")  # whose last step changes the most cells
    panel.show_plot(Plot.COURSE)
    wait_until_at_rest(window)
    legend = deck.course.legend.mapRectToScene(deck.course.legend.boundingRect())
    assert len(deck.course.curves) == 3
    for curve in deck.course.curves.values():
        for x, y in zip(*curve.getData(), strict=True):
            assert not legend.contains(deck.course.item.vb.mapViewToScene(QPointF(x, y)))


def test_wrong_cells_come_when_they_are_counted(
    panel: Plots, deck: PlotDeck, window: MainWindow, qtbot: QtBot
) -> None:
    panel.show_plot(Plot.COURSE)
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    panel.logarithmic.setChecked(False)
    _, y = deck.course.curves["wrong root"].getData()
    assert y.tolist() == window.session.insight.wrong.tolist()
    assert y[-1] == 0


def test_the_line_follows_the_step(
    panel: Plots, deck: PlotDeck, window: MainWindow, qtbot: QtBot
) -> None:
    panel.show_plot(Plot.COURSE)

    def follows() -> bool:
        return int(deck.course.line.value()) == window.session.playback.position + 1

    for index in (0, 3, 5):
        window.session.playback.go_to(index)
        qtbot.waitUntil(follows, timeout=PATIENCE)
    assert deck.course.line.value() == 6


def test_dragging_the_line_goes_to_the_step(
    panel: Plots, deck: PlotDeck, window: MainWindow, qtbot: QtBot
) -> None:
    panel.show_plot(Plot.COURSE)
    deck.course.line.setValue(3.3)
    assert window.session.playback.position == 2
    qtbot.waitUntil(lambda: deck.course.line.value() == 3, timeout=PATIENCE)
    deck.course.line.setValue(99)
    assert window.session.playback.at_end


def test_a_click_goes_to_the_step(
    panel: Plots, deck: PlotDeck, window: MainWindow, qtbot: QtBot
) -> None:
    panel.show_plot(Plot.COURSE)
    QApplication.processEvents()
    widget = deck.course.widget
    for step in (1, 4):
        where = widget.mapFromScene(QPointF(*place_of(deck, step)))
        QTest.mouseClick(widget.viewport(), LEFT, pos=where)
        assert window.session.playback.position == step


def test_sizes_mark_the_pinned_component(panel: Plots, deck: PlotDeck, window: MainWindow) -> None:
    panel.show_plot(Plot.SIZES)
    assert deck.sizes.bins.total == 1
    lines = [deck.sizes.line]
    assert window.session.grid is not None
    y, x = np.argwhere(window.session.grid)[0].tolist()
    window.session.look.pin((x, y), component=True)
    assert panel.figures.pinned_size == int(window.session.grid.sum())
    lines.append(deck.sizes.line)
    assert [line is None for line in lines] == [True, False]
    assert 2 ** deck.sizes.line.value() == pytest.approx(int(window.session.grid.sum()))


def test_large_grids_are_counted_aside(
    make_window: MakeWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sorters = list[threading.Thread]()

    def noting(sizes: Counts) -> SizeBins:
        sorters.append(threading.current_thread())
        return bin_sizes(sizes)

    monkeypatch.setattr("ccl_viewer.session.plots.plots.bin_sizes", noting)
    window = make_window("pattern:full?width=600&height=500")
    deck = deck_of(window, qtbot)
    panel = window.panel(Plots)
    panel.show_plot(Plot.SIZES)
    qtbot.waitUntil(lambda: deck.sizes.bins.largest == 300_000, timeout=PATIENCE)
    panel.logarithmic.toggle()
    assert len(sorters) == 1, "once for all pictures of it"
    assert sorters[0] is not threading.main_thread()


def test_without_a_run_the_panel_says_what_to_do(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    deck_of(window, qtbot)
    panel = window.panel(Plots)
    assert panel.hint.isVisible()
    assert "Run an algorithm" in panel.hint.text()
    panel.save(Path("never.png"))
    assert window.session.message is not None
    assert window.session.message.kind is MessageKind.INFO


@pytest.mark.parametrize("plot", PLOTS)
def test_plots_are_saved_as_pictures_and_figures(
    panel: Plots, window: MainWindow, tmp_path: Path, plot: Plot, qtbot: QtBot
) -> None:
    panel.show_plot(plot)
    for _ in range(3):
        QApplication.processEvents()
    for suffix in (".png", ".svg", ".csv"):
        panel.save(tmp_path / f"plot{suffix}")
        told(qtbot, window, MessageKind.INFO, f"Saved {tmp_path / f'plot{suffix}'}.")
    image = QImage(str(tmp_path / "plot.png"))
    assert image.width() > 200
    colors = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, 200, 7)}
    assert len(colors) > 2
    assert QSvgRenderer(str(tmp_path / "plot.svg")).isValid()
    with (tmp_path / "plot.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == len(panel.figures.table(plot).rows) + 1


def test_a_plot_that_cannot_be_saved_says_so(
    panel: Plots, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    for name in ("plot.doc", "none/plot.png", "none/plot.svg", "none/plot.csv"):
        panel.save(tmp_path / name)
        told(qtbot, window, MessageKind.ERROR, str(tmp_path / name))
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_encoded_says_so(
    panel: Plots,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    monkeypatch.setattr(QImageWriter, "write", lambda *_: False)
    panel.save(tmp_path / "plot.png")
    told(qtbot, window, MessageKind.ERROR, "plot.png cannot be written")
    assert not list(tmp_path.iterdir())


def test_pictures_are_written_away_from_the_windows_thread(
    panel: Plots,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    writers = list[threading.Thread]()

    def noting(path: Path) -> AbstractContextManager[Path]:
        writers.append(threading.current_thread())
        return replacing(path)

    monkeypatch.setattr("ccl_viewer.views.plots.saving.replacing", noting)
    panel.save(tmp_path / "plot.png")
    told(qtbot, window, MessageKind.INFO, "plot.png")
    assert len(writers) == 1
    assert writers[0] is not threading.main_thread()


def test_pictures_are_there_when_the_window_was_closed(
    panel: Plots, window: MainWindow, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.png" for number in range(3)]
    for path in paths:  # others wait while the first is written
        panel.save(path)
    window.close()
    assert all(QImage(str(path)).width() > 200 for path in paths)


def test_a_closed_window_tells_the_terminal_what_was_not_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stuck:
        def start(self, _job: Job) -> None:
            """Never come to it."""

    saving = Saving(Stuck(), lambda _kind, _text: None)
    for path in (tmp_path / "none" / "plot.png", tmp_path / "plot.png"):
        saving.save(QImage(9, 9, QImage.Format.Format_RGB32), path)
    saving.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["plot.png"]
    assert str(tmp_path / "none" / "plot.png") in capsys.readouterr().err


def test_what_another_thread_could_not_write_is_told_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Running:
        def start(self, job: Job) -> None:
            """Perform it, and come to no end."""
            with pytest.raises(InputError):
                job.work(job)

    saving = Saving(Running(), lambda _kind, _text: None)
    saving.save(QImage(9, 9, QImage.Format.Format_RGB32), tmp_path / "none" / "plot.png")
    saving.finish()
    assert str(tmp_path / "none" / "plot.png") in capsys.readouterr().err


def test_the_menu_saves(
    panel: Plots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    target = tmp_path / "figures.csv"
    answer_names(monkeypatch, lambda: (str(target), ""))
    QTest.mouseClick(panel.save_button, LEFT)
    menus = [menu for menu in panel.findChildren(QMenu) if menu.isVisible()]
    assert len(menus) == 1
    texts = [action.text().replace("&", "") for action in menus[0].actions()]
    assert [text.split()[-2] for text in texts] == ["PNG", "SVG", "as"]
    menus[0].actions()[2].trigger()
    assert target.exists()
    menus[0].close()


def test_pyqtgraph_opens_no_menu_of_its_own(deck: PlotDeck) -> None:
    for figure in (deck.time, deck.course, deck.sizes):
        assert not figure.item.vb.menuEnabled()
        assert figure.widget.contextMenuPolicy() is Qt.ContextMenuPolicy.NoContextMenu


def test_the_theme_is_used(panel: Plots, deck: PlotDeck) -> None:
    panel.set_theme(LIGHT)
    assert deck.time.widget.backgroundBrush().color().name() == LIGHT.surface
    assert deck.time.item.getAxis("left").textPen().color().name() == LIGHT.dim


def test_the_plot_and_its_axis_are_remembered(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    deck_of(window, qtbot)
    window.panel(Plots).show_plot(Plot.SIZES)
    window.panel(Plots).logarithmic.setChecked(False)
    window.close()
    again = make_window().panel(Plots)
    assert again.plot is Plot.SIZES
    assert not again.logarithmic.isChecked()


def test_another_run_is_plotted(panel: Plots, window: MainWindow, qtbot: QtBot) -> None:
    panel.show_plot(Plot.TIME)
    window.session.configure(algorithm_key="ha4")
    wait_idle(qtbot, window)
    assert [str(time.stage) for time in panel.figures.times] == ["strip", "strip-merge", "relabel"]


@pytest.mark.parametrize("way", ["floating", "hidden", "behind", "projector"])
def test_plots_go_with_the_window_wherever_they_are(
    window: MainWindow, panel: Plots, way: str
) -> None:
    dock = window.docks["plots"]
    if way in {"floating", "projector"}:
        dock.setFloating(True)
    if way == "hidden":
        dock.hide()
    if way == "behind":
        window.docks.show("source", on=True)
    if way == "projector":
        window.projector.show(on=True)
    QApplication.processEvents()
    window.close()
    QApplication.processEvents()
    assert panel.deck is None
    assert not dock.isVisible()


def test_a_closed_window_leaves_nothing_behind(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    deck = deck_of(window, qtbot)
    for plot in PLOTS:
        window.panel(Plots).show_plot(plot)
    boxes = [weakref.ref(figure.item.vb) for figure in (deck.time, deck.course, deck.sizes)]
    del deck
    window.close()
    assert window.panel(Plots).deck is None
    view_boxes = sys.modules["pyqtgraph"].ViewBox.AllViews

    def gone() -> bool:
        QApplication.processEvents()
        gc.collect()
        return all(box() is None for box in boxes) and not view_boxes

    qtbot.waitUntil(gone, timeout=PATIENCE)
