"""What the canvas shows of a step, and says in its key, goes by the size of the cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage
from support.windows import MakeWindow

from ccl_viewer.session import Numbers
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.canvas.key import Sign
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.rest import wait_until_at_rest

Picture = npt.NDArray[np.int16]
TREE = {Sign.ROOT, Sign.PARENT}


@pytest.fixture
def early(make_window: MakeWindow) -> MainWindow:
    """A window at a step that changed labels, with arrows and the numbers of roots."""
    window = make_window("pattern:noise?width=12&height=8&density=0.6")
    window.session.playback.go_to(1)
    window.session.look.show(arrows=True, numbers=Numbers.ROOT, onion=False)
    return window


def at_scale(window: MainWindow, scale: float) -> Picture:
    """The cells alone, painted at a size."""
    canvas = window.canvas
    canvas.look_at(Viewpoint(scale, 30.0, 30.0))
    wait_until_at_rest(window)
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    cells = raw[30 : 30 + int(8 * scale), 30 : 30 + int(12 * scale), 2::-1]
    return cells.astype(np.int16)


def test_the_key_tells_of_marks_for_which_cells_are_large_enough(early: MainWindow) -> None:
    for scale, told in (
        (9.0, {Sign.LIT}),
        (10.0, {Sign.CHANGED}),
        (15.0, {Sign.CHANGED}),
        (16.0, {Sign.CHANGED, Sign.NUMBER}),
        (18.0, {Sign.CHANGED, Sign.NUMBER, *TREE}),
    ):
        for changed in (True, False):
            early.session.look.show(changed=changed)
            at_scale(early, scale)
            expected = {Sign.LABELS} | told - (set() if changed else {Sign.CHANGED, Sign.LIT})
            key = early.canvas.key
            assert {entry.sign for entry in key if not entry.dim} == expected, scale
            unseen = {entry.text for entry in key if entry.dim}
            assert ("root (zoom in)" in unseen) == (Sign.NUMBER not in told), scale
            assert ("parent (zoom in)" in unseen) == (not told >= TREE), scale


def test_layers_are_seen_at_every_size(early: MainWindow) -> None:
    look = early.session.look
    look.show(changed=False, contours=False, onion=False, arrows=False)
    for scale in (5.0, 7.0, 8.0, 10.0, 30.0):
        without = at_scale(early, scale)
        for name in ("changed", "contours", "onion"):
            look.switch(name, on=True)
            assert (at_scale(early, scale) != without).any(), (name, scale)
            look.switch(name, on=False)


def test_a_pinned_component_has_an_outline_of_its_own(early: MainWindow) -> None:
    look, run = early.session.look, early.session.recording
    assert run is not None
    look.show(changed=False, arrows=False, numbers=Numbers.NONE, only=False)
    roots = run.parents(-1)
    y, x = (int(place[-1]) for place in np.nonzero(run.image))
    own = roots == roots[y, x]
    near = own.copy()
    for down, across in np.ndindex(3, 3):
        near |= np.roll(own, (down - 1, across - 1), (0, 1))
    for contours in (False, True):
        look.pin(None)
        look.show(contours=contours)
        without = at_scale(early, 30.0)
        look.pin((x, y), component=True)
        found = (at_scale(early, 30.0) != without).any(axis=2)
        marked = found.reshape(8, 30, 12, 30).any(axis=(1, 3))
        assert marked[own].any()
        assert not marked[~near].any()
