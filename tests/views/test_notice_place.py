"""Notices lie over the grid, and over nothing that explains it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from support.windows import MakeWindow, settled

from ccl_viewer.session import MessageKind
from ccl_viewer.views.canvas.key_place import key_place
from ccl_viewer.views.notices.place import Place, place_of


@pytest.mark.parametrize(
    ("room", "key", "place"),
    [
        (900, QRect(), Place(200, 14, 500)),
        (900, QRect(720, 6, 170, 60), Place(200, 14, 500)),
        (668, QRect(500, 6, 160, 60), Place(16, 14, 476)),
        (668, QRect(590, 6, 70, 60), Place(82, 14, 500)),
        (400, QRect(250, 6, 144, 60), Place(16, 74, 368)),
        (180, QRect(), Place(-10, 14, 200)),
    ],
)
def test_notices_lie_beside_the_key_or_below(room: int, key: QRect, place: Place) -> None:
    assert place_of(room, 14, 500, 300, key) == place


@pytest.mark.parametrize("source", ["pattern:noise?width=512&height=512", "pattern:shibata"])
def test_notices_leave_the_key_to_be_read(make_window: MakeWindow, source: str) -> None:
    window = settled(make_window(source), 1280, 720)
    window.canvas.grab()  # what is in sight is known once it was painted
    assert window.session.grid is not None
    key = key_place(window.canvas, window.session.grid.shape[1]).toAlignedRect()
    assert not key.isEmpty()
    notices = window.canvas_panel.notices
    notices.busy.title.setText("Label Equivalence on the emulator")
    notices.busy.show()
    window.session.say(MessageKind.INFO, "A sentence that is as long as the canvas is wide. " * 3)
    notices.place()
    assert not notices.geometry().intersects(key)
    # The steps of a run have more marks and less, with which the notices do not move.
    there = notices.geometry()
    window.session.look.show(changed=False)
    window.canvas.grab()
    notices.place()
    assert notices.geometry() == there
