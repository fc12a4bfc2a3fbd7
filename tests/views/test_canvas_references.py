"""Arrows on the canvas lead along the array whose numbers are shown, if it refers to cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from support.windows import MakeWindow, wait_idle

from ccl_viewer.session import Layers, frames
from ccl_viewer.views import canvas_layers
from ccl_viewer.views.canvas_key import Sign
from ccl_viewer.views.rest import wait_until_at_rest


@pytest.mark.parametrize("large", [1, 1 << 18], ids=["decoded in part", "decoded as a whole"])
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

    scan = 1
    window.session.playback.go_to(scan)
    run = window.session.recording
    assert run is not None
    for numbers, layer, told in (
        ("raw", None, {"root", "parent"}),
        ("layer:references", "references", {"refers to itself", "references"}),
    ):
        parents, texts = shown(numbers)
        np.testing.assert_array_equal(parents, run.parents(scan, layer))
        assert texts == told
