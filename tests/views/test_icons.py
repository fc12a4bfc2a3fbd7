"""Icons are drawn when they are seen, at the size and in the colours that are asked for."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPixmap

from ccl_viewer.views.looks.icons import icon


def colors_of(pixmap: QPixmap) -> set[str]:
    """The colours of what is drawn, but for its soft edges."""
    image = pixmap.toImage()
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    drawn = (image.pixelColor(x, y) for x, y in places)
    return {color.name() for color in drawn if color.alpha() == 255}


@pytest.mark.parametrize("side", [14, 33, 80])
def test_an_icon_has_the_size_and_the_colour_that_are_asked_for(qapp: object, side: int) -> None:
    pixmap = icon("filled", "#123456").pixmap(side, side)
    assert pixmap.size() == QSize(side, side)
    assert colors_of(pixmap) == {"#123456"}


def test_a_disabled_icon_has_its_own_colour_or_is_fainter(qapp: object) -> None:
    off = QIcon.Mode.Disabled
    assert colors_of(icon("filled", "#123456", "#abcdef").pixmap(40, 40, off)) == {"#abcdef"}
    pixmap = icon("filled", "#123456").pixmap(40, 40, off)
    assert QColor(pixmap.toImage().pixelColor(20, 20)).alpha() < 255


def test_a_copy_that_is_changed_draws_on(qapp: object) -> None:
    copy = QIcon(icon("filled", "#123456"))
    copy.addPixmap(QPixmap(5, 5))  # for which Qt clones what draws the icon
    gc.collect()
    assert colors_of(copy.pixmap(40, 40)) == {"#123456"}
