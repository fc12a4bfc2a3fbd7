"""Colours and trees that need all labels of a large grid wait for them; the window does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.runners import AtOnce
from support.sessions import HeldRunner
from support.windows import PATIENCE

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.render import forest
from ccl_viewer.session import Cell, CellColours, Session
from ccl_viewer.session.showing import frames as frames_module
from ccl_viewer.session.showing.inspect import CellInfo
from ccl_viewer.session.tree import pinned_tree
from ccl_viewer.session.tree.pinned_tree import PinnedTree
from ccl_viewer.views.canvas import cell_colours, cell_sample
from ccl_viewer.views.canvas import picture as canvas_picture
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.canvas.layers import LayerPainter
from ccl_viewer.views.notices.status import Status

ROWS_OF_BLOCKS = 151


@pytest.fixture
def decoder() -> HeldRunner:
    return HeldRunner()


@pytest.fixture
def large(decoder: HeldRunner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session on a labelled grid that passes for a large one."""
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    session = Session(AtOnce(), None, decoder)
    session.open("pattern:spiral?size=31", step=1)
    assert session.playback.count > 3
    yield session
    session.close()


def test_all_labels_are_decoded_aside(large: Session, decoder: HeldRunner) -> None:
    arrived = []
    large.step_labels.arrived.connect(lambda: arrived.append(large.step_labels.waits()))
    assert large.step_labels.waits()
    assert large.step_labels.waits()
    assert len(decoder.jobs) == 1
    decoder.work_all()
    assert arrived == [False]
    assert large.recording is not None
    assert large.labels is not None
    assert np.array_equal(large.labels, large.recording.labels(1))


def test_of_many_steps_asked_for_the_last_is_decoded(large: Session, decoder: HeldRunner) -> None:
    large.step_labels.arrived.connect(large.step_labels.waits)
    titles = []
    for step in (1, 0, 2, 3):
        large.playback.go_to(step)
        assert large.step_labels.waits()
        titles.append(len(decoder.jobs))
    assert titles == [1, 1, 1, 1]
    decoder.work(decoder.jobs[0])
    assert len(decoder.jobs) == 1
    decoder.work(decoder.jobs[0])
    assert not decoder.jobs
    assert not large.step_labels.waits()


def test_labels_of_a_run_that_is_gone_are_not_taken_over(
    large: Session, decoder: HeldRunner
) -> None:
    assert large.step_labels.waits()
    large.open("pattern:spiral?size=33", step=1)
    decoder.work_all()
    assert large.step_labels.waits()
    decoder.work_all()
    assert large.labels is not None
    assert large.labels.shape == (33, 33)


def test_nothing_arrives_after_the_session_was_closed(large: Session, decoder: HeldRunner) -> None:
    arrived = []
    assert large.step_labels.waits()
    large.close()
    large.step_labels.arrived.connect(lambda: arrived.append(1))
    decoder.work_all()
    assert not arrived


def test_labels_that_cannot_be_decoded_are_not_asked_for_again(
    large: Session, decoder: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_index: int) -> None:
        raise CCLViewerError("The recording is damaged: record it again.")

    assert large.recording is not None
    monkeypatch.setattr(large.recording, "labels", fail)
    assert large.step_labels.waits()
    decoder.work_all()
    assert not large.step_labels.waits()
    assert not decoder.jobs


@pytest.mark.parametrize("colours", [CellColours.TREE, CellColours.DEPTH])
def test_the_canvas_keeps_its_picture_meanwhile(
    large: Session, decoder: HeldRunner, qtbot: QtBot, colours: CellColours
) -> None:
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    canvas.resize(400, 400)
    before = picture(canvas)
    large.look.show(colours=colours)
    assert picture(canvas) == before
    decoder.work_all()
    after = picture(canvas)
    assert after != before
    large.playback.go_to(3)
    assert picture(canvas) == after
    decoder.work_all()
    assert picture(canvas) != after


def test_the_canvas_keeps_its_picture_while_cells_of_a_large_grid_are_chosen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_sample, "PIECE_CELLS", 1)
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    session = Session(AtOnce())
    session.open(f"pattern:spiral?size={2 * ROWS_OF_BLOCKS - 1}")
    canvas = Canvas(session)
    qtbot.addWidget(canvas)
    canvas.resize(240, 240)
    before = picture(canvas)
    session.edits.clear()
    assert picture(canvas) == before
    other = Canvas(session)
    qtbot.addWidget(other)
    other.resize(240, 240)
    cleared = picture(other)
    assert cleared != before
    canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    with qtbot.waitSignal(canvas.painted):
        canvas.show()
    assert picture(canvas) == cleared
    session.close()


def test_a_picture_comes_in_turns_and_news_put_it_off_once_at_most(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    session = Session(AtOnce())
    session.open("pattern:spiral?size=31", step=2)
    canvas = Canvas(session)
    qtbot.addWidget(canvas)
    canvas.resize(240, 240)
    before = picture(canvas)
    session.playback.go_to(3)
    assert picture(canvas) == before, "there is more to be found out"
    canvas.refresh()
    assert picture(canvas) != before, "what is played fast would stand still"
    session.close()


def test_who_brings_the_news_and_the_picture_of_it_share_a_turn(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(AtOnce())
    session.open("pattern:spiral?size=31", step=2)
    canvas = Canvas(session)
    qtbot.addWidget(canvas)
    canvas.resize(240, 240)
    before = picture(canvas)
    clock = iter([100.0, *[101.0] * 99])
    monkeypatch.setattr(canvas_picture, "TURN", 0.5)
    monkeypatch.setattr(canvas_picture, "perf_counter", lambda: next(clock))
    session.playback.go_to(3)  # after which others worked for a second
    assert picture(canvas) == before
    assert picture(canvas) != before, "the next turn is the picture's own"
    session.close()


def test_a_canvas_of_another_size_keeps_its_picture_until_the_next_is_found(
    large: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    canvas.resize(400, 400)
    before = picture(canvas)
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    canvas.resize(500, 420)
    shown = picture(canvas)
    assert shown.copy(0, 0, 400, 400) == before
    around = shown.pixelColor(450, 410)
    assert all(shown.pixelColor(x, 410) == around for x in range(0, 500, 10)), "nothing is black"
    assert around != QColor(0, 0, 0)
    painted: list[int] = []
    canvas.painted.connect(lambda: painted.append(canvas.width()))
    canvas.show()
    qtbot.waitUntil(lambda: bool(painted), timeout=PATIENCE)
    assert painted == [500]


def test_trees_are_followed_a_band_of_cells_at_a_time(
    large: Session, decoder: HeldRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_colours, "BAND_CELLS", 1)
    monkeypatch.setattr(forest, "WHOLE_GRID", 1)
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    canvas.resize(400, 400)
    canvas.show()
    turns_of(canvas)
    large.look.show(colours=CellColours.TREE)
    assert turns_of(canvas) < 31, "nothing is followed before all labels are known"
    decoder.work_all()
    assert turns_of(canvas) > 31


def test_ways_to_roots_wait_for_the_labels_of_a_large_run(
    large: Session, decoder: HeldRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    canvas.resize(400, 400)
    large.look.pin((1, 1), component=False)
    picture(canvas)
    looked = inspected_in(large, monkeypatch)
    large.look.show(colours=CellColours.TREE)
    picture(canvas)
    assert not looked
    decoder.work_all()
    picture(canvas)
    assert looked == [(1, 1)]


def test_the_status_bar_waits_for_labels_that_are_being_decoded(
    large: Session, decoder: HeldRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = Status(large)
    qtbot.addWidget(status)
    status.show()
    qtbot.waitExposed(status)
    large.look.pin((1, 1), component=False)
    looked = inspected_in(large, monkeypatch)
    assert large.step_labels.waits()
    large.playback.go_to(2)
    for _ in range(3):
        QApplication.processEvents()
    assert not looked
    decoder.work_all()
    qtbot.waitUntil(lambda: bool(looked), timeout=PATIENCE)


def test_the_status_bar_lets_the_canvas_look_first(
    large: Session, decoder: HeldRunner, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, canvas = Status(large), Canvas(large)
    for widget in (status, canvas):
        qtbot.addWidget(widget)
        widget.show()
        qtbot.waitExposed(widget)
    picture(canvas)
    large.look.pin((1, 1), component=False)
    large.open("pattern:spiral?size=31", step=2)
    labels, looked = large.step_labels, inspected_in(large, monkeypatch)
    assert labels.unseen
    qtbot.waitUntil(lambda: bool(decoder.jobs), timeout=PATIENCE)
    assert not looked
    decoder.work_all()
    qtbot.waitUntil(lambda: "label" in status.cell.text(), timeout=PATIENCE)


def test_the_status_bar_tells_labels_that_no_canvas_looks_at(
    large: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = Status(large)
    qtbot.addWidget(status)
    status.show()
    qtbot.waitExposed(status)
    large.look.pin((1, 1), component=False)
    large.open("pattern:spiral?size=31", step=2)
    looked = inspected_in(large, monkeypatch)
    assert large.step_labels.unseen
    qtbot.waitUntil(lambda: bool(looked), timeout=PATIENCE)


def test_a_canvas_is_got_ready_in_turns(
    large: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    assert canvas.get_ready(), "what is hidden needs nothing"
    canvas.show()
    painted: list[object] = []

    def paint(*given: object) -> QRectF:
        painted.append(given)
        return QRectF()

    monkeypatch.setattr(LayerPainter, "paint", paint)
    assert turns_of(canvas) > 3
    assert len(painted) == 1
    canvas.repaint()
    assert len(painted) == 1


def test_marks_lie_over_the_cells_that_are_painted(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(AtOnce())
    session.open("pattern:spiral?size=31", step=2)
    canvas = Canvas(session)
    qtbot.addWidget(canvas)
    canvas.resize(240, 240)
    session.edits.select_all()
    before = picture(canvas)
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    canvas.zoom(1.5)
    assert picture(canvas) == before, "the outline goes with the cells"
    session.edits.clear()
    assert not canvas.get_ready() or canvas.isHidden()
    session.drawing.new(9, 9)
    assert picture(canvas) != before, "there are no cells that it could lie over"
    session.close()


def test_a_canvas_that_is_ready_does_nothing(
    large: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    canvas.show()
    before = picture(canvas)
    monkeypatch.setattr(canvas_picture, "TURN", -1)
    assert canvas.get_ready(), "all is known"
    large.playback.go_to(0)
    assert picture(canvas) == before, "nothing counts as put off"


def test_the_first_look_at_a_large_run_is_decoded_aside(
    large: Session, decoder: HeldRunner, qtbot: QtBot
) -> None:
    canvas = Canvas(large)
    qtbot.addWidget(canvas)
    canvas.resize(400, 400)
    before = picture(canvas)
    assert not decoder.jobs
    large.open("pattern:spiral?size=31", step=2)
    assert picture(canvas) == before
    assert len(decoder.jobs) == 1
    decoder.work_all()
    after = picture(canvas)
    assert after != before
    large.playback.go_to(1)
    assert picture(canvas) == before
    assert not decoder.jobs


def test_the_tree_of_a_pin_comes_with_the_labels(large: Session, decoder: HeldRunner) -> None:
    tree, changes = PinnedTree(large), []
    tree.changed.connect(lambda: changes.append(tree.forest))
    tree.pin_largest()
    assert tree.forest is None
    assert tree.hint == pinned_tree.WAITING
    decoder.work_all()
    assert changes[-1] is not None
    assert tree.hint == ""
    first = tree.forest
    large.playback.go_to(3)
    assert tree.forest is first
    decoder.work_all()
    assert tree.forest is not first


def inspected_in(session: Session, monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Return the cells of which something is asked from now on."""
    looked: list[Cell] = []
    inspect = session.inspect

    def note(cell: Cell) -> CellInfo:
        looked.append(cell)
        return inspect(cell)

    monkeypatch.setattr(session, "inspect", note)
    return looked


def turns_of(canvas: Canvas) -> int:
    """Return how many turns a canvas needs to get ready."""
    turns = 1
    while not canvas.get_ready():
        turns += 1
    return turns


def picture(canvas: Canvas) -> QImage:
    """Return what the canvas shows."""
    return canvas.grab().toImage()
