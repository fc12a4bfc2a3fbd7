"""The way from a cell to its root, over cells with and without numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from ccl_viewer.session import Cell
from ccl_viewer.views.canvas.chain import paint_chain
from ccl_viewer.views.canvas.geometry import Viewpoint, number_size

CHAIN: list[Cell] = [(3, 4), (7, 2), (0, 0)]


def painted(scale: int, cell: Cell, chain: list[Cell]) -> npt.NDArray[np.bool_]:
    """Where something is drawn, of a grid of 10 x 8 cells."""
    image = QImage(10 * scale, 8 * scale, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_chain(painter, Viewpoint(scale), cell, chain)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[..., 0] > 0


def middle(mask: npt.NDArray[np.bool_], scale: int, cell: Cell) -> npt.NDArray[np.bool_]:
    x, y = (round((place + 0.5) * scale) for place in cell)
    return mask[y - 3 : y + 3, x - 3 : x + 3]


@pytest.mark.parametrize("cell", [(9, 7), *CHAIN])
def test_numbers_on_the_way_stay_readable(qapp: QApplication, cell: Cell) -> None:
    mask = painted(40, (9, 7), CHAIN)
    assert not middle(mask, 40, cell).any()
    assert mask.mean() > 0.01


@pytest.mark.parametrize("scale", [18, 20, 22, 24, 26, 33])
@pytest.mark.parametrize("cell", [(2, 5), (2, 3), (2, 1)])
def test_lines_keep_clear_of_three_digits(qapp: QApplication, scale: int, cell: Cell) -> None:
    mask = painted(scale, (2, 5), [(2, 3), (2, 1)])
    size = number_size(scale, 3)
    assert size is not None
    side, top = round((scale - 3 * 0.62 * size) / 2), round(scale / 2 - 0.36 * size)
    left, upper = cell[0] * scale, cell[1] * scale
    digits = mask[upper + top : upper + scale - top, left + side : left + scale - side]
    assert digits.size
    assert not digits.any()


@pytest.mark.parametrize("cell", [(9, 7), *CHAIN])
def test_small_cells_have_a_line_through_them(qapp: QApplication, cell: Cell) -> None:
    assert middle(painted(12, (9, 7), CHAIN), 12, cell).any()


@pytest.mark.parametrize("scale", [12, 40])
def test_a_root_and_a_cell_without_a_label_are_outlined(qapp: QApplication, scale: int) -> None:
    root = painted(scale, (4, 3), [(4, 3)])
    bare = painted(scale, (4, 3), [])
    assert bare.any()
    assert (root | bare == root).all()
    assert root.sum() > bare.sum()
