"""Tests that a window takes on another look in several turns of the event loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, project, settled

from ccl_viewer.lessons import names
from ccl_viewer.views.canvas.layers import LayerPainter
from ccl_viewer.views.looks import icons
from ccl_viewer.views.looks.theme import DARK, LIGHT, Theme
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.process.turns import Turns, paint_again
from ccl_viewer.views.rest import at_rest
from ccl_viewer.views.timeline import timeline


def turn(qtbot: QtBot, owner: QObject) -> None:
    """Let the next thing be done."""
    (turns,) = owner.findChildren(Turns)
    (timer,) = turns.findChildren(QTimer)
    with qtbot.waitSignal(timer.timeout, timeout=PATIENCE):
        pass


def test_each_thing_has_a_turn_of_its_own(qtbot: QtBot) -> None:
    owner, done = QObject(), list[str]()
    turns = Turns(owner)
    turns.begin([partial(done.append, name) for name in "abcd"])
    assert done == []
    turn(qtbot, owner)
    assert done == ["a"]
    turns.begin([lambda: done.append("e"), lambda: done.append("f")])
    turn(qtbot, owner)
    assert done == ["a", "e"]
    turns.finish()
    assert turns.done
    QCoreApplication.processEvents()
    assert done == ["a", "e", "f"]
    assert not any(timer.isActive() for timer in turns.findChildren(QTimer))


def noting(seen: list[object], paint: Callable[..., QRectF]) -> Callable[..., QRectF]:
    """A way to paint that takes note of the key each time."""

    def noted(layers: LayerPainter, *given: Any) -> QRectF:
        seen.append(given[-1])
        return paint(layers, *given)

    return noted


def dressed(window: MainWindow, theme: Theme) -> set[QWidget]:
    """The parts of a window that wear the style sheet of a theme."""
    return {part for part in window.findChildren(QWidget) if theme.window in part.styleSheet()}


def test_style_and_news_of_it_come_in_different_turns_and_are_painted_last(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()
    window.appearance.changed.connect(lambda: told.append(window.theme.name))
    parts = dressed(window, DARK)
    window.appearance.swap_theme()
    for done in range(len(parts)):
        assert len(dressed(window, LIGHT)) == done
        turn(qtbot, window.appearance)
    assert dressed(window, LIGHT) == parts
    turn(qtbot, window.appearance)  # in which they are laid out together
    assert not told
    turn(qtbot, window.appearance)
    assert told == ["light"]
    turn(qtbot, window.appearance)  # in which the projector would lay panels out
    turn(qtbot, window.appearance)  # in which they are laid out once more
    turn(qtbot, window.appearance)  # in which icons are drawn
    turn(qtbot, window.appearance)  # in which the timeline draws what stays from step to step
    painted: list[object] = []
    monkeypatch.setattr(LayerPainter, "paint", noting(painted, LayerPainter.paint))
    turn(qtbot, window.appearance)
    assert painted == [window.canvas.key], "the picture is made before the window is painted"
    assert not window.canvas.updatesEnabled()
    turn(qtbot, window.appearance)
    assert window.canvas.updatesEnabled()
    assert window.appearance.settled
    assert len(painted) == 1


def test_a_picture_that_cannot_be_made_ready_is_told_of_when_it_is_painted(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no such ink")

    window.canvas.refresh()
    with monkeypatch.context() as broken:
        broken.setattr(LayerPainter, "paint", fail)
        window.canvas.get_ready()
        assert window.session.message is None
    window.canvas.get_ready()
    assert not window.canvas.grab().isNull()


def test_what_is_painted_lies_as_it_stays(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = settled(make_window("pattern:spiral?size=31"), 1280, 760)
    window.session.playback.go_to(3)
    project(window, on=True)
    QTest.qWait(1)
    window.projector.show(on=False)
    qtbot.waitUntil(window.updatesEnabled, timeout=PATIENCE)
    painted = window.canvas.size()
    for _ in range(3):
        QTest.qWait(1)
    assert window.canvas.size() == painted


def test_icons_and_timeline_are_drawn_before_the_window_is_painted(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(window, 1280, 720)
    held: list[bool] = []

    def note_whether_held(module: ModuleType, name: str) -> None:
        make = getattr(module, name)

        def noted(*given: Any) -> object:
            held.append(not window.updatesEnabled())
            return make(*given)

        monkeypatch.setattr(module, name, noted)

    note_whether_held(icons, "_tinted")
    note_whether_held(timeline, "paint_ground")
    for change in (window.appearance.swap_theme, window.appearance.larger):
        change()
        qtbot.waitUntil(lambda: window.appearance.settled, timeout=PATIENCE)
    assert len(held) > 10
    assert all(held)


class Paintings(QObject):
    """Counts how often each widget is painted."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.of = Counter[QObject]()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  (Qt calls it)
        if event.type() is QEvent.Type.Paint:
            self.of[watched] += 1
        return False


def test_what_could_not_be_painted_is_painted_once(window: MainWindow, qapp: QApplication) -> None:
    settled(window, 1280, 720)
    paintings = Paintings(qapp)
    window.setUpdatesEnabled(False)
    qapp.installEventFilter(paintings)
    paint_again(window)
    qapp.removeEventFilter(paintings)
    seen = [part for part in window.findChildren(QWidget) if not part.visibleRegion().isEmpty()]
    assert {part for part in seen if part.window() is window and not paintings.of[part]} == set()
    assert max(paintings.of.values()) == 1


def test_what_others_keep_from_being_painted_is_left_alone(qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    held = QWidget(whole)
    inside = QWidget(held)
    held.setUpdatesEnabled(False)
    whole.setUpdatesEnabled(False)
    paint_again(whole)
    assert whole.updatesEnabled()
    assert not held.updatesEnabled()
    assert not inside.updatesEnabled()


def test_keys_are_heard_while_the_look_changes(window: MainWindow, qtbot: QtBot) -> None:
    before = window.session.playback.position
    window.appearance.swap_theme()
    turn(qtbot, window.appearance)
    QTest.keyClick(window.canvas, Qt.Key.Key_Left)
    assert not window.appearance.settled
    assert window.session.playback.position == before - 1


def test_the_last_look_that_is_asked_for_counts(window: MainWindow, qtbot: QtBot) -> None:
    parts = dressed(window, DARK)
    for turns in (0, 1, 2, len(parts)):
        window.appearance.swap_theme()
        for _ in range(turns):
            turn(qtbot, window.appearance)
        window.appearance.swap_theme()
        qtbot.waitUntil(lambda: window.appearance.settled, timeout=PATIENCE)
        assert window.theme is DARK
        assert dressed(window, DARK) == parts
        assert window.updatesEnabled()


def test_what_changed_unseen_is_painted_later(window: MainWindow, qtbot: QtBot) -> None:
    def open_lesson() -> None:
        window.session.lesson.open(names()[0])
        qtbot.waitUntil(lambda: window.session.lesson.is_open, timeout=PATIENCE)

    changes: tuple[Callable[[], object], ...] = (
        window.appearance.swap_theme,
        partial(window.appearance.set_text_size, 125),
        partial(window.projector.show, on=True),
        partial(window.projector.show, on=False),
        window.actions_table["compare"].trigger,
        window.actions_table["compare_close"].trigger,
        open_lesson,
        window.session.lesson.close,
    )
    playback = window.session.playback
    for change in changes:
        window.session.playback.go_to(1)  # what is to be painted when the change comes
        change()
        qtbot.waitUntil(partial(at_rest, window), timeout=PATIENCE)
        qtbot.waitUntil(window.canvas.updatesEnabled, timeout=PATIENCE)
        QApplication.processEvents()
        with qtbot.waitSignal(window.canvas.painted, timeout=PATIENCE):
            playback.go_to(0 if playback.position else 1)
