"""Qt's painter of display lists: what it keeps to draw again."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from ccl_viewer.render.display_list import DisplayList, Layer, Texts
from ccl_viewer.window.widgets.canvas import painter
from ccl_viewer.window.widgets.canvas.painter import DisplayListPainter
from ccl_viewer.window.widgets.style import fixed_font


def numbers(size: float) -> DisplayList:
    texts = tuple(str(number) for number in range(1000, 1040))
    places = np.array([(20.0 + 7 * place, 20.0) for place in range(40)])
    layer = Layer("numbers", (Texts(texts, places, size, 0xFF000000),))
    return DisplayList(320, 40, 0xFFFFFFFF, (layer,))


def test_pictures_of_numbers_are_kept_within_bounds(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 600_000
    monkeypatch.setattr(painter, "STAMP_BYTES", most)
    zoomed, seen = DisplayListPainter(fixed_font()), set()
    for size in range(8, 48):
        zoomed.make_pixmap(numbers(size))
        assert 0 < zoomed.stamp_bytes <= most
        seen.add(zoomed.stamp_bytes)
    assert len(seen) > 20
    # What was thrown away is drawn as before.
    again = zoomed.make_pixmap(numbers(8)).toImage()
    assert again == DisplayListPainter(fixed_font()).make_pixmap(numbers(8)).toImage()
