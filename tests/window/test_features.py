"""Each feature of the window can be left out, and the rest works."""

from __future__ import annotations

import sys

import pytest
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, wait_idle

from ccl_viewer.window import features


@pytest.fixture(params=features.FEATURES)
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A feature whose row and whose folder are gone."""
    name = str(request.param)
    rest = tuple(each for each in features.FEATURES if each != name)
    monkeypatch.setattr(features, "FEATURES", rest)
    folder = f"ccl_viewer.window.{name}"
    for module in (folder, *(m for m in sys.modules if m.startswith(f"{folder}."))):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, f"{folder}.feature", None)
    return name


def test_the_window_works_without_it(missing: str, make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    session = window.session
    session.files.open("pattern:spiral?size=15")
    wait_idle(qtbot, session)
    assert session.display.recording is not None
    session.playback.first()
    session.playback.forward()
    assert session.display.index == 1
    for panel in window.panels:
        window.side_panel.show_panel(panel.key)
    for name, action in window.actions_by_name.items():
        asks = action.text().endswith("\N{HORIZONTAL ELLIPSIS}")
        like_another = name.startswith(("lesson_", "exercise_", "text_")) and name[-2:] != "_1"
        if action.isEnabled() and not (asks or like_another or name in {"quit", "tour"}):
            action.trigger()
    wait_idle(qtbot, session)
    window.set_full_screen(on=False)
