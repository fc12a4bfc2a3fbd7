"""What lies over what on the canvas, whatever is switched on."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from support.windows import MakeWindow, wait_idle

from ccl_viewer.session import Layers
from ccl_viewer.views.canvas import layers as canvas_layers
from ccl_viewer.views.canvas import structure as canvas_structure
from ccl_viewer.views.main_window import MainWindow

ORDER = {
    "image_of": canvas_layers,
    "paint_padding": canvas_structure,
    "paint_contours": canvas_structure,
    "paint_structure": canvas_structure,
    "paint_arrows": canvas_layers,
    "paint_numbers": canvas_layers,
    "paint_marks": canvas_layers,
    "paint_card": canvas_layers,
}
"""The painters from the lowest layer to the highest, with the modules in which they are called."""


@pytest.fixture
def told(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The painters in the order in which they are called for a picture that has all layers."""
    called: list[str] = []

    def follow(name: str, module: object) -> None:
        paint = getattr(module, name)

        def noted(*args: Any, **options: Any) -> object:
            called.append(name)
            return paint(*args, **options)

        monkeypatch.setattr(module, name, noted)

    window.session.playback.go_to(1)
    window.session.look.show_all(Layers(arrows=True, structure=True, contours=True))
    for name, module in ORDER.items():
        follow(name, module)
    window.canvas.refresh()
    window.canvas.grab()
    return called


def test_layers_lie_over_each_other_in_one_order(told: list[str]) -> None:
    """Lines stay visible over cells, arrows over lines, and digits can be read over both."""
    assert list(dict.fromkeys(told)) == list(ORDER)
    assert told == sorted(told, key=list(ORDER).index)


def test_coarse_parts_lie_over_fine_ones(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window = make_window("pattern:noise?width=12&height=8&density=0.7")
    window.session.configure(algorithm_key="stava_benes", parameters={"tile": 2, "factor": 2})
    wait_idle(qtbot, window)
    sizes: list[int] = []
    paint = canvas_structure.paint_structure

    def noted(target: Any, part: Any, rank: int, layout: Any) -> None:
        sizes.append(part.width or layout.width)
        paint(target, part, rank, layout)

    monkeypatch.setattr(canvas_structure, "paint_structure", noted)
    run = window.session.recording
    assert run is not None
    merge = next(step.index for step in run.steps if step.level == 2 and len(step.structures) > 2)
    window.session.playback.go_to(merge)
    window.session.look.show(structure=True)
    window.canvas.grab()
    assert len(sizes) > 1
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
