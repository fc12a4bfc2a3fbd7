"""Whoever is told of a change sees all of it: grid, settings, run and selection agree."""

from __future__ import annotations

from functools import partial

import pytest
from support.sessions import HeldRunner

from ccl_viewer.grids.shapes import Box
from ccl_viewer.session import Session
from ccl_viewer.session.signals import Signal, held, signals_of

SEGMENTS = "pattern:voronoi?width=9&height=7"


def disagreements(session: Session) -> list[str]:
    """What does not agree with what."""
    grid, look = session.grid, session.look
    if grid is None:
        return []
    height, width = grid.shape
    box = session.tools.selection.box
    agreed = {
        "run": session.recording is None or session.recording.image.shape == grid.shape,
        "values": session.drawing.multivalued == session.settings.multivalued,
        "selection": box is None or (box.bottom <= height and box.right <= width),
        "step": session.playback.position < max(session.playback.count, 1),
    }
    for name, cell in (("hover", look.hover), ("cursor", look.cursor), ("pin", look.pinned)):
        agreed[name] = cell is None or (cell[0] < width and cell[1] < height)
    return [name for name, agrees in agreed.items() if not agrees]


@pytest.fixture
def seen(session: Session) -> list[str]:
    """What somebody who follows every signal has seen that did not agree."""
    found: list[str] = []
    parts = session.look, session.playback, session.tools, session.tools.selection, session.lesson
    for signal in signals_of(session, *parts):
        signal.connect(lambda: found.extend(disagreements(session)))
    return found


def point_at_the_end(session: Session) -> None:
    """Select, pin and point at what a smaller grid does not have."""
    assert session.grid is not None
    height, width = session.grid.shape
    session.tools.selection.select(Box(height - 2, width - 2, height, width))
    session.look.pin((width - 1, height - 1))
    session.look.hover_at((width - 1, height - 1))
    session.playback.last()


def test_another_grid_is_seen_as_a_whole(
    session: Session, runner: HeldRunner, seen: list[str]
) -> None:
    for spec in ("pattern:shibata", SEGMENTS, "pattern:empty?width=3&height=2", "pattern:shibata"):
        session.open(spec)
        runner.work_all()
        point_at_the_end(session)
    session.lesson.open("shibata")
    runner.work_all()
    assert session.lesson.is_open
    session.lesson.close()
    assert seen == []


def test_an_edit_of_size_or_values_is_seen_as_a_whole(
    session: Session, runner: HeldRunner, seen: list[str]
) -> None:
    session.open(SEGMENTS)
    runner.work_all()
    session.configure(multivalued=True)
    runner.work_all()
    session.drawing.resize(30, 20)
    runner.work_all()
    for change in (session.edits.undo, session.edits.redo, session.edits.undo):
        point_at_the_end(session)
        change()
        runner.work_all()
    session.configure(multivalued=False)
    runner.work_all()
    session.edits.undo()
    assert session.settings.multivalued
    assert seen == []


def test_signals_that_are_held_tell_once_and_in_order() -> None:
    heard: list[str] = []
    first, second, silent = Signal(), Signal(), Signal()
    for name, signal in (("first", first), ("second", second), ("silent", silent)):
        signal.connect(partial(heard.append, name))
    with held((first, second, silent)):
        second.emit()
        with held((first, second)):
            first.emit()
            second.emit()
        assert heard == []
    assert heard == ["second", "first"]
    first.emit()
    assert heard == ["second", "first", "first"]


def test_who_listens_to_several_signals_is_called_once_by_the_last() -> None:
    told: list[str] = []
    first, second = Signal(), Signal()

    def follow() -> None:
        told.append("both")

    first.connect(follow)
    first.connect(lambda: told.append("first"))
    second.connect(lambda: told.append("second"))
    second.connect(follow)
    with held((first, second)):
        first.emit()
        second.emit()
    assert told == ["first", "second", "both"]
    first.emit()
    assert told[3:] == ["both", "first"]


def test_signals_are_let_go_where_a_change_fails() -> None:
    heard: list[str] = []
    signal = Signal()
    signal.connect(lambda: heard.append("told"))
    with pytest.raises(ValueError, match="half"), held((signal,)):
        signal.emit()
        raise ValueError("half")
    assert heard == ["told"]
