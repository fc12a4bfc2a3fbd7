"""Where lanes lie, what is left out around them, and what is said once for all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, settled

from ccl_viewer.plan import Stage
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import RunSettings
from ccl_viewer.session.comparison.heading import NOT_EQUAL, Heading
from ccl_viewer.views.compare import area as compare_area
from ccl_viewer.views.compare.lane_header import LaneHeader
from ccl_viewer.views.compare.places import Frame, Places, ScaleOf, places_of


@pytest.mark.parametrize(
    ("lanes", "size", "shape", "columns"),
    [
        (1, (800, 400), (10, 10), 1),
        (2, (800, 400), (10, 10), 2),
        (2, (400, 800), (10, 10), 1),
        (2, (800, 400), (4, 60), 1),
        (4, (800, 800), (10, 10), 2),
        (4, (1600, 400), (10, 10), 4),
        (3, (1000, 300), (10, 10), 3),
        (3, (800, 800), (10, 10), 2),
    ],
)
def test_lanes_lie_where_cells_are_largest(
    lanes: int, size: tuple[int, int], shape: tuple[int, int], columns: int
) -> None:
    assert places_of(lanes, *size, scale_in(shape), Frame()).columns == columns


def scale_in(shape: tuple[int, int]) -> ScaleOf:
    return lambda width, height: min(width / shape[1], height / shape[0])


def test_headers_have_one_line_where_cells_are_larger_for_it() -> None:
    frame = Frame(gap=6, header=62, low_header=36, least=272)
    roomy = places_of(2, 1200, 800, scale_in((10, 10)), frame)
    assert roomy == Places(2, low=False)
    scarce = places_of(4, 668, 306, scale_in((20, 32)), frame)
    assert scarce == Places(2, low=True)
    narrow = places_of(4, 668, 306, scale_in((20, 10)), frame)
    assert narrow == Places(4, low=False), "too narrow for all in one line"


def test_four_lanes_in_a_small_window_share_a_key_and_have_large_cells(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = settled(make_window("pattern:noise?width=60&height=20&density=0.6"), 1280, 720)
    comparison, view = window.session.comparison, window.canvas_panel.compare
    comparison.remember([RunSettings(key) for key in ("ha4", "playne", "komura")])
    comparison.show(on=True)
    qtbot.waitUntil(lambda: len(comparison.recordings) == 4, timeout=PATIENCE)
    window.session.playback.go_to(1)
    settled(window, 1280, 720)
    canvases = [cell.canvas for cell in view.area.shown]
    scales = {canvas.view.scale for canvas in canvases}
    fit = canvases[0].fit_in()
    assert fit is not None
    header = max(view.area.shown[0].header.heights)
    assert scales == {max(scales)}
    assert all(cell.header.low for cell in view.area.shown), "cells are larger for it"
    assert max(scales) >= fit(view.area.width() / 4, view.area.height() - header).scale
    qtbot.waitUntil(lambda: bool(view.bar.key.entries), timeout=PATIENCE)
    marks = {entry for canvas in canvases for entry in canvas.key}
    assert set(view.bar.key.entries) == marks
    assert not view.bar.add.isVisible(), "there is no room for a lane, but some for the key"
    view.bar.key.resize(20, view.bar.key.height())
    view.bar.key.show_key(view.bar.key.entries[:1])
    assert view.bar.key.toolTip() == view.bar.key.entries[0].text, "there is no room for it"
    comparison.show(on=False)
    settled(window, 1280, 720)
    assert window.canvas.view.scale > max(scales)


def test_without_a_comparison_no_places_are_sought(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = settled(make_window("pattern:shibata"), 1280, 720)
    monkeypatch.setattr(compare_area, "places_of", lambda *_: pytest.fail("in vain"))
    settled(window, 1100, 720)


def test_lanes_are_not_painted_in_the_turn_in_which_they_come_or_go(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = settled(make_window("pattern:shibata"), 1280, 720)
    area = window.canvas_panel.compare.area
    window.session.comparison.show(on=True)
    assert len(area.cells) > 1
    assert not window.canvas.updatesEnabled()
    qtbot.waitUntil(window.canvas.updatesEnabled, timeout=PATIENCE)
    assert all(cell.canvas.updatesEnabled() for cell in area.shown)
    window.session.comparison.show(on=False)
    assert len(area.shown) == 1
    assert not window.canvas.updatesEnabled()
    qtbot.waitUntil(window.canvas.updatesEnabled, timeout=PATIENCE)


def test_names_of_four_lanes_are_not_cut(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = settled(make_window("pattern:shibata"), 1280, 720)
    comparison, view = window.session.comparison, window.canvas_panel.compare
    comparison.remember([RunSettings(key) for key in ("ha4", "playne", "komura")])
    comparison.show(on=True)
    comparison.look(replace(comparison.view, difference=True, sync=Sync.TIME))
    qtbot.waitUntil(lambda: len(comparison.recordings) == 4, timeout=PATIENCE)
    qtbot.waitUntil(lambda: comparison.count_of(None) is not None, timeout=PATIENCE)
    settled(window, 1280, 720)
    for cell in view.area.shown:
        header = cell.header
        assert header.title.shown in {header.heading.title, *header.heading.shorter}
        assert header.heading.differing in header.accessibleName()
        assert header.rect().contains(header.differing.geometry())
    assert view.bar.note.shown == "One run each"


def test_a_lane_says_in_fewer_words_where_it_is_before_its_name_is_cut(qtbot: QtBot) -> None:
    header = LaneHeader(None)
    qtbot.addWidget(header)
    heading = Heading(
        "Row-Col Unify",
        stage=Stage.SCAN,
        place="3 / 67, iteration 1",
        place_so_far="3, iteration 1",
        time="1.36 s",
    )
    header.show_heading(heading)
    header.show_heading(replace(heading, differing=f"{NOT_EQUAL} 486,123"))
    header.show()
    letter = header.fontMetrics().horizontalAdvance("n")
    said = []
    for letters in range(60, 12, -1):
        header.resize(letters * letter, header.height())
        QApplication.processEvents()
        if header.title.shown == heading.title:
            said.append(header.place.shown)
    assert list(dict.fromkeys(said)) == [heading.place, "3 / 67", "3"]
