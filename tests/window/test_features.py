"""Features of the window can be left out, and the rest works."""

from __future__ import annotations

import sys

import pytest
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, wait_idle

from ccl_viewer.window import features

HALVES = [
    pytest.param((bit, value), id=f"bit {bit} is {value}")
    for bit in range((len(features.FEATURES) - 1).bit_length())
    for value in (0, 1)
]
"""Digits of the binary numbers of features.

Any two features differ in a digit, so each is missing once while the other is there.
"""


@pytest.fixture(params=HALVES)
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Features without their rows and folders."""
    bit, value = request.param
    names = [name for at, name in enumerate(sorted(features.FEATURES)) if at >> bit & 1 == value]
    rest = tuple(name for name in features.FEATURES if name not in names)
    monkeypatch.setattr(features, "FEATURES", rest)
    for folder in (f"ccl_viewer.window.{name}" for name in names):
        for module in (folder, *(m for m in sys.modules if m.startswith(f"{folder}."))):
            monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.setitem(sys.modules, f"{folder}.feature", None)
    return names


def test_the_window_works_without_them(
    missing: list[str], make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window()
    session = window.session
    session.files.open("pattern:spiral?size=15")
    wait_idle(qtbot, session)
    assert session.display.recording is not None
    session.playback.go_to_first()
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
    window.full_screen.leave()
