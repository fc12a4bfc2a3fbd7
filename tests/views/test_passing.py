"""News goes away by itself; what went wrong stays until it is dismissed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, settled

from ccl_viewer.session import MessageKind
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.notices import passing
from ccl_viewer.views.notices.passing import Passing, reading_time

NEWS = "The grid is on the clipboard, as a picture and as text."


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "reading_time", lambda _text: 0)


def timer_of(window: MainWindow) -> QTimer:
    notice = window.canvas_panel.notices.message
    (part,) = (child for child in notice.children() if isinstance(child, Passing))
    (timer,) = (child for child in part.children() if isinstance(child, QTimer))
    return timer


def say(window: MainWindow, kind: MessageKind = MessageKind.INFO) -> None:
    window.session.say(kind, NEWS)
    QApplication.processEvents()


def test_longer_news_stays_longer() -> None:
    assert 3000 < reading_time("Saved.") < reading_time(NEWS) < 10_000


@pytest.mark.usefixtures("at_once")
def test_news_goes_away(window: MainWindow, qtbot: QtBot) -> None:
    notices = window.canvas_panel.notices
    window.session.say(MessageKind.INFO, NEWS)
    assert notices.message.isVisible()
    qtbot.waitUntil(lambda: window.session.message is None, timeout=PATIENCE)
    assert not notices.isVisible()


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", [MessageKind.ERROR, MessageKind.WARNING])
def test_what_went_wrong_stays(window: MainWindow, kind: MessageKind) -> None:
    window.session.say(MessageKind.INFO, NEWS)
    say(window, kind)
    assert not timer_of(window).isActive()
    window.session.playback.go_to(1)
    assert window.session.message is not None


@pytest.mark.usefixtures("at_once")
def test_news_that_the_mouse_or_the_focus_is_on_stays(window: MainWindow, qtbot: QtBot) -> None:
    notice = window.canvas_panel.notices.message
    window.session.say(MessageKind.INFO, NEWS)
    notice.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    say(window)
    assert notice.isVisible()
    notice.dismiss.setFocus()
    notice.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    say(window)
    assert notice.isVisible()
    window.canvas.setFocus()
    qtbot.waitUntil(lambda: window.session.message is None, timeout=PATIENCE)


def test_news_makes_way_for_a_step(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    playback = window.session.playback
    say(window)
    playback.first()
    assert window.session.message is not None, "it was not seen yet"
    monkeypatch.setattr(passing, "_GLIMPSE", 0)
    playback.forward()
    assert window.session.message is None


def test_a_notice_is_no_wider_than_its_sentence(window: MainWindow) -> None:
    settled(window, 1920, 1080)
    notices = window.canvas_panel.notices
    say(window)
    text = notices.message.text
    assert text.fontMetrics().horizontalAdvance(NEWS) <= text.viewport().width()
    assert text.height() < 2 * text.fontMetrics().height()
    short = notices.width()
    window.session.say(MessageKind.INFO, NEWS * 3)
    assert notices.width() > short
