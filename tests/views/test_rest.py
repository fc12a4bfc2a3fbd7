"""Pictures of a window are taken once it shows all of what it was asked for."""

from __future__ import annotations

import math

import pytest
from support.windows import MakeWindow, drawn, settled

from ccl_viewer.session import CellColours
from ccl_viewer.session.showing import frames
from ccl_viewer.views.canvas import picture
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.rest import at_rest, wait_until_at_rest


def test_a_canvas_that_finds_out_what_it_shows_is_waited_for(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(window, 1280, 720)
    before = drawn(window.canvas)
    with monkeypatch.context() as slow:
        slow.setattr(picture, "TURN", -1)
        window.session.edits.clear()
        assert drawn(window.canvas) == before, "it has only begun to find out"
        wait_until_at_rest(window)
        shown = drawn(window.canvas)
    monkeypatch.setattr(picture, "TURN", math.inf)
    assert shown != before
    window.canvas.refresh()
    assert drawn(window.canvas) == shown


def test_labels_that_are_being_decoded_are_waited_for(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "AHEAD_CELLS", 1)
    window = make_window("pattern:spiral?size=31")
    window.session.playback.go_to(2)
    wait_until_at_rest(window)
    window.session.look.show(colours=CellColours.TREE)
    window.canvas.repaint()
    assert not at_rest(window)
    wait_until_at_rest(window)
    assert not window.session.step_labels.coming
    shown = drawn(window.canvas)
    window.canvas.refresh()
    assert drawn(window.canvas) == shown
