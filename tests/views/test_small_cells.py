"""What is drawn over cells leaves them to be seen, and their digits to be read, however small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import MakeWindow, wait_idle

from ccl_viewer.render.marks import ARROW_CELL
from ccl_viewer.session import CellColours, Layers
from ccl_viewer.views.canvas import layers as canvas_layers
from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint, number_size
from ccl_viewer.views.canvas.painting import NumberStamps, StampSize, paint_marks
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import DARK
from ccl_viewer.views.main_window import MainWindow


def bold_share(window: MainWindow, scale: float) -> float:
    """The share of the grid's pixels that have the colour of solid contours."""
    window.canvas.look_at(Viewpoint(scale, 20.0, 20.0))
    image = window.canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    side = int(10 * scale)
    grid = raw[20 : 20 + side, 20 : 20 + side]
    return float((grid == QColor(style_of(DARK, 1.0).bold).rgb()).mean())


def test_contours_are_solid_only_where_cells_have_pixels_left(window: MainWindow) -> None:
    window.session.look.show_all(
        Layers(colours=CellColours.COMPONENT, contours=True, changed=False, lines=False)
    )
    shares = {scale: bold_share(window, float(scale)) for scale in (1, 2, 4, 6)}
    assert shares[1] == shares[2] == 0
    assert 0 < shares[6] < shares[4] < 0.5


@pytest.mark.parametrize(("scale", "set_off"), [(17.0, True), (40.0, False)])
def test_digits_are_set_off_from_the_ends_of_runs_that_they_reach(
    make_window: MakeWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    scale: float,
    set_off: bool,
) -> None:
    window = make_window("pattern:noise?width=30&height=8&density=0.7")
    window.session.configure(algorithm_key="row_col_unify", parameters={})
    wait_idle(qtbot, window)
    window.session.playback.go_to(1)
    outlined: list[bool] = []
    monkeypatch.setattr(
        canvas_layers, "paint_numbers", lambda *_, **how: outlined.append(how["outlined"])
    )

    def shown(**layers: Any) -> bool:
        window.session.look.show_all(Layers(**layers))
        window.canvas.look_at(Viewpoint(scale, 0.0, 0.0))
        window.canvas.grab()
        return outlined[-1]

    assert shown(structure=True) == set_off
    assert not shown(structure=False)
    assert shown(arrows=True) == (scale >= ARROW_CELL)


def opaque(image: QImage) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which pixels something was drawn on."""
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return raw[..., 3] > 64


@pytest.mark.parametrize("scale", range(18, 24))
def test_the_corner_of_a_small_changed_cell_keeps_clear_of_three_digits(
    qapp: QApplication, scale: int
) -> None:
    sheet = QImage(scale, scale, QImage.Format.Format_ARGB32)
    sheet.fill(0)
    painter = QPainter(sheet)
    view, style = Viewpoint(float(scale), 0.0, 0.0), style_of(DARK, 1.0)
    target = PaintTarget(painter, view, (float(scale), float(scale)), style)
    paint_marks(target, CellRange(0, 0, 1, 1), np.ones((1, 1), np.bool_))
    painter.end()
    text = number_size(scale, 3)
    assert text is not None
    stamp = NumberStamps(QFont(), StampSize(text, scale, 1.0)).get("888", "#ffffff").toImage()
    digits = opaque(stamp.convertToFormat(QImage.Format.Format_ARGB32))
    assert digits.any()
    assert not (digits & opaque(sheet)).any()
