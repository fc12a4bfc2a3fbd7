"""Qt's painter of display lists: what it keeps to draw again."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QApplication

from ccl_viewer.render.display_list import DisplayList, Layer, Texts
from ccl_viewer.window.widgets.canvas.painter import STAMP_BYTES, DisplayListPainter
from ccl_viewer.window.widgets.style import fixed_font


def numbers(size: float) -> DisplayList:
    texts = tuple(str(number) for number in range(1000, 1600))
    places = np.array([(20.0 + place % 300, 20.0) for place in range(600)])
    layer = Layer("numbers", (Texts(texts, places, size, 0xFF000000),))
    return DisplayList(320, 40, 0xFFFFFFFF, (layer,))


def test_pictures_of_numbers_are_kept_within_bounds(
    qapp: QApplication,
) -> None:
    zoomed, seen = DisplayListPainter(fixed_font()), list[int]()
    for size in range(20, 48, 2):
        zoomed.make_pixmap(numbers(size))
        assert 0 < zoomed.stamp_bytes <= STAMP_BYTES
        seen.append(zoomed.stamp_bytes)
    assert seen != sorted(seen), "some were thrown away"
    # What was thrown away is drawn as before.
    again = zoomed.make_pixmap(numbers(20)).toImage()
    assert again == DisplayListPainter(fixed_font()).make_pixmap(numbers(20)).toImage()
