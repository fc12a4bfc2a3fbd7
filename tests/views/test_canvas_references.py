"""Arrows on the canvas lead along the array whose numbers are shown, if it refers to cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from support.windows import MakeWindow, wait_idle

from ccl_viewer.session import Layers
from ccl_viewer.session.showing import frames
from ccl_viewer.views.canvas import layers as canvas_layers
from ccl_viewer.views.canvas.key import Sign
from ccl_viewer.views.notices.status import describe_cell
from ccl_viewer.views.rest import wait_until_at_rest

SCAN = 1
LARGE = pytest.mark.parametrize(
    "large", [1, 1 << 18], ids=["decoded in part", "decoded as a whole"]
)


@LARGE
def test_arrows_lead_along_references(
    make_window: MakeWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    monkeypatch.setattr(frames, "AHEAD_CELLS", large)
    window = make_window("pattern:noise?width=9&height=6&density=0.7")
    window.session.configure(algorithm_key="label_equivalence_hawick", parameters={})
    wait_idle(qtbot, window)
    drawn: list[Any] = []
    monkeypatch.setattr(
        canvas_layers,
        "paint_arrows",
        lambda _target, _cells, parents, *_, **__: drawn.append(parents),
    )

    def shown(numbers: str) -> tuple[Any, set[str]]:
        window.session.look.show_all(Layers(arrows=True, numbers=numbers))
        wait_until_at_rest(window)
        window.canvas.grab()
        signs = (Sign.ROOT, Sign.PARENT)
        return drawn[-1], {entry.text for entry in window.canvas.key if entry.sign in signs}

    window.session.playback.go_to(SCAN)
    run = window.session.recording
    assert run is not None
    for numbers, layer, told in (
        ("raw", None, {"root", "parent"}),
        ("layer:references", "references", {"refers to itself", "references"}),
    ):
        parents, texts = shown(numbers)
        np.testing.assert_array_equal(parents, run.parents(SCAN, layer))
        assert texts == told


@LARGE
@pytest.mark.parametrize("arrows", [False, True])
def test_ways_to_roots_lead_where_the_numbers_say(
    make_window: MakeWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    large: int,
    *,
    arrows: bool,
) -> None:
    monkeypatch.setattr(frames, "AHEAD_CELLS", large)
    window = make_window("pattern:noise?width=9&height=6&density=0.7")
    session = window.session
    session.configure(algorithm_key="label_equivalence_hawick", parameters={})
    wait_idle(qtbot, window)
    session.playback.go_to(SCAN)
    run = session.recording
    assert run is not None
    labels, references = (run.parents(SCAN, layer).ravel() for layer in (None, "references"))
    place = int(np.flatnonzero((references != labels) & (references >= 0))[0])
    cell = (place % 9, place // 9)
    for numbers, parents, told in (("raw", labels, ""), ("layer:references", references, "by ref")):
        session.look.show_all(Layers(arrows=arrows, numbers=numbers))
        found = session.inspect(cell)
        assert [y * 9 + x for x, y in found.drawn] == way(parents, place)
        assert told in describe_cell(found)
    y, x = np.argwhere(run.image == 0)[0].tolist()
    assert "by references" not in describe_cell(session.inspect((x, y)))


def way(parents: Any, place: int) -> list[int]:
    """The cells from the parent of one to its root."""
    found = [int(parents[place])]
    while parents[found[-1]] != found[-1]:
        found.append(int(parents[found[-1]]))
    return found
