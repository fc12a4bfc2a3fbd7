"""The panel of plots: what is drawn, axes with units, and what is saved."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from ccl_viewer.errors import InputError
from ccl_viewer.window.core.plots import PlotKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.widgets.plots import QtPlots


def plots_of(session: Session) -> QtPlots:
    return QtPlots(session.analysis, session.playback, session.settings, session.messages)


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> QtPlots:
    qtbot.waitUntil(lambda: session.analysis.analysed)
    panel = plots_of(session)
    qtbot.addWidget(panel)
    panel.resize(420, 320)
    panel.show()
    return panel


def axis(panel: QtPlots, side: str) -> str:
    assert panel.renderer is not None
    return str(panel.renderer.item.getAxis(side).labelText)


def test_pyqtgraph_waits_until_the_panel_is_shown(session: Session, qtbot: QtBot) -> None:
    panel = plots_of(session)
    qtbot.addWidget(panel)
    assert panel.renderer is None
    panel.show()
    assert panel.renderer is not None


def test_axes_have_units_and_no_factor(panel: QtPlots) -> None:
    assert axis(panel, "bottom") in {"emulator time (µs)", "emulator time (ms)"}
    assert panel.renderer is not None
    for plot in PlotKind:
        panel.plots.show(plot)
        for side in ("left", "bottom"):
            shown = panel.renderer.item.getAxis(side)
            assert not shown.autoSIPrefix
            assert "0.001" not in shown.labelString()


def test_each_stage_has_a_bar_of_each_level(panel: QtPlots, session: Session, qtbot: QtBot) -> None:
    session.runs.configure(algorithm="stava_benes", parameters={"tile": 4, "factor": 2})
    session.runs.run()
    qtbot.waitUntil(lambda: not session.runs.running and session.analysis.analysed)
    recording = session.display.recording
    assert recording is not None
    assert recording.algorithm == "stava_benes"
    panel.plots.show(PlotKind.TIME)
    panel.refresh()
    assert panel.renderer is not None
    (ticks,) = panel.renderer.item.getAxis("left")._tickLevels
    names = [text for _, text in ticks]
    assert names[:3] == [
        "kernel 1: tile (1)",
        "kernel 2: merge, level 1 (1)",
        "kernel 3: flatten, level 1 (1)",
    ]
    assert len({*names}) == len(names) == len(recording)
    (bars,) = (one for one in panel.renderer.item.items if hasattr(one, "setOpts"))
    assert len({brush.color().name() for brush in bars.opts["brushes"]}) == len(names)


def test_the_buttons_choose_a_plot_that_is_remembered(
    panel: QtPlots, session: Session, qtbot: QtBot
) -> None:
    for place, plot in enumerate(PlotKind):
        panel.choice.button(place).click()
        assert panel.plots.shown is plot
    panel.logarithmic.click()
    assert axis(panel, "left") == "cells"
    other = plots_of(session)
    qtbot.addWidget(other)
    assert other.plots.shown is PlotKind.COUNTS
    assert not other.plots.logarithmic


def test_the_line_is_the_step_on_display(panel: QtPlots, session: Session) -> None:
    panel.plots.show(PlotKind.COUNTS)
    assert panel.renderer is not None
    session.display.go_to(3)
    assert panel.renderer.line.value() == 4
    panel.renderer.line.setPos(2.2)
    assert session.display.index == 1


def test_plots_are_saved_as_pictures_and_figures(
    panel: QtPlots, session: Session, tmp_path: Path
) -> None:
    for plot in PlotKind:
        panel.plots.show(plot)
        for suffix in (".png", ".svg", ".csv"):
            panel.save(tmp_path / f"{plot}{suffix}")
        picture = QImage(str(tmp_path / f"{plot}.png"))
        assert picture.width() == 2 * panel.renderer.widget.width()  # type: ignore[union-attr]
        assert b"<svg" in (tmp_path / f"{plot}.svg").read_bytes()
        assert (tmp_path / f"{plot}.csv").read_text(encoding="utf-8") == panel.plots.csv()


def test_saved_figures_have_every_step(panel: QtPlots, session: Session, tmp_path: Path) -> None:
    panel.plots.show(PlotKind.COUNTS)
    panel.save(tmp_path / "changes.csv")
    with (tmp_path / "changes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert session.display.recording is not None
    steps = session.display.recording.steps
    assert [row["step"] for row in rows] == [str(step.index + 1) for step in steps]
    assert [row["changed"] for row in rows] == [str(step.changed) for step in steps]


def test_what_cannot_be_saved_is_told(panel: QtPlots, session: Session, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png"):
        panel.save(tmp_path / "plot.txt")
    with pytest.raises(InputError, match=r"plot\.csv"):
        panel.save(tmp_path / "no" / "plot.csv")
    session.display.clear()
    with pytest.raises(InputError, match="no plot"):
        panel.save(tmp_path / "plot.png")


def test_a_name_without_a_suffix_gets_one(panel: QtPlots, session: Session, tmp_path: Path) -> None:
    panel.save_button.click()
    dialog = panel.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.defaultSuffix() == "png"
    dialog.selectNameFilter("SVG picture (*.svg)")
    dialog.filterSelected.emit("SVG picture (*.svg)")
    assert dialog.defaultSuffix() == "svg"
    dialog.fileSelected.emit(str(tmp_path / "times.svg"))
    assert (tmp_path / "times.svg").exists()
    assert session.messages.message is not None
    assert "Saved" in session.messages.message.text
    dialog.fileSelected.emit(str(tmp_path / "no" / "times.svg"))
    assert "times.svg" in session.messages.message.text


def test_without_a_plot_it_says_why(panel: QtPlots, session: Session) -> None:
    session.analysis.set_hidden_answers(["tables"])
    assert "question" in panel.hint.text()
    assert panel.hint.isVisible()
    session.analysis.set_hidden_answers([])
    assert not panel.hint.isVisible()
    session.display.clear()
    assert "Run" in panel.hint.text()


@pytest.mark.parametrize("size", [(300, 180), (560, 180), (900, 300)])
def test_no_curve_passes_behind_the_legend(
    panel: QtPlots, size: tuple[int, int], qtbot: QtBot
) -> None:
    panel.plots.show(PlotKind.COUNTS)
    panel.resize(*size)

    def hidden() -> int:
        renderer = panel.renderer
        assert renderer is not None
        view, legend = renderer.item.getViewBox(), renderer.legend.sceneBoundingRect()
        places = [
            view.mapViewToScene(QPointF(x, y))
            for curve in renderer.item.listDataItems()
            for x, y in zip(*curve.getData(), strict=True)
        ]
        assert places
        return sum(legend.top() <= place.y() <= legend.bottom() for place in places)

    qtbot.waitUntil(lambda: hidden() == 0)
