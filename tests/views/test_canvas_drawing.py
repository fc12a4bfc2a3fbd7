"""What lies over the cells is drawn where it belongs: arrows, rings, borders, padding, corners."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render.marks import HEAD, ROOT
from ccl_viewer.views.canvas.arrows import paint_arrows
from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint
from ccl_viewer.views.canvas.painting import paint_marks
from ccl_viewer.views.canvas.structure import (
    paint_contours,
    paint_padding,
    paint_runs,
    paint_structure,
)
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import DARK

SCALE = 40
COLUMNS, ROWS = 8, 5
VIEW = Viewpoint(SCALE, 13.0, 7.0)
STYLE = style_of(DARK, 1.0)
PADDED = LabelLayout(ROWS, COLUMNS, pitch=COLUMNS + 2, margin=1)
INKED = 120
"""From so much on, of 255, a pixel is covered."""

Inked = Callable[[float, float], bool]

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def image(qapp: QApplication) -> QImage:
    """A clear sheet that has the grid on it, with room around."""
    image = QImage((COLUMNS + 2) * SCALE, (ROWS + 2) * SCALE, QImage.Format.Format_ARGB32)
    image.fill(0)
    return image


def drawn(image: QImage, paint: Callable[[PaintTarget], object]) -> Inked:
    """Return a function that says of a place, in cells, whether something was drawn there."""
    painter = QPainter(image)
    paint(PaintTarget(painter, VIEW, (float(image.width()), float(image.height())), STYLE))
    painter.end()
    return lambda x, y: shade(image, x, y)[0] >= INKED


def shade(image: QImage, x: float, y: float) -> tuple[int, str]:
    """How much a place, in cells, is covered, and the colour."""
    left, top = VIEW.corner(x, y)
    color = image.pixelColor(int(left), int(top))
    return color.alpha(), color.name()


def arrows(*pairs: tuple[int, int], wide: bool = False) -> Callable[[PaintTarget], None]:
    """Arrows between cells by their number, in the colour of palette index 5; none elsewhere."""
    parents = np.full((ROWS, COLUMNS), -1, np.int64)
    indices = np.zeros((ROWS, COLUMNS), np.uint8)
    for cell, parent in pairs:
        parents.flat[cell] = parent
        indices.flat[cell] = 5
    whole = CellRange(0, 0, COLUMNS, ROWS)
    return lambda target: paint_arrows(target, whole, parents, indices, COLUMNS, wide=wide)


def test_an_arrow_to_a_neighbour_is_straight_and_has_its_head_at_the_parent(image: QImage) -> None:
    y, tip = 2.5, 5.5 - 0.41
    inked = drawn(image, arrows((2 * COLUMNS + 4, 2 * COLUMNS + 5)))
    assert not inked(4.5, y)
    assert all(inked(x, y) for x in np.linspace(4.82, tip - 0.02, 9))
    assert not inked(tip + 0.12, y)
    assert not inked(5.5, y)
    for side in (-1, 1):
        assert inked(tip - 0.9 * HEAD, y + side * 0.4 * HEAD)
        assert not inked(4.85, y + side * 0.14)
        assert not inked(tip - 0.05, y + side * 0.14)
    _, ink = shade(image, tip - 0.7 * HEAD, y)
    assert ink != STYLE.halo
    assert shade(image, 4.9, y - 0.06)[1] != ink


@pytest.mark.parametrize(("child", "parent", "side"), [((1, 3), (5, 3), -1), ((5, 3), (1, 3), 1)])
def test_a_long_arrow_bends_to_its_left(
    image: QImage, child: tuple[int, int], parent: tuple[int, int], side: int
) -> None:
    number = child[1] * COLUMNS + child[0], parent[1] * COLUMNS + parent[0]
    inked = drawn(image, arrows(number))
    heights = [y for y in np.linspace(2.6, 4.4, 73) if inked(3.5, y)]
    assert heights
    assert np.mean(heights) == pytest.approx(3.5 + side * 0.375, abs=0.03)
    assert max(heights) - min(heights) < 0.2


@pytest.mark.parametrize(("wide", "across"), [(False, ROOT), (True, 0.92)])
def test_a_root_has_a_ring_around_its_middle(image: QImage, wide: bool, across: float) -> None:
    cell = 1 * COLUMNS + 2
    inked = drawn(image, arrows((cell, cell), wide=wide))
    for x, y in ((across / 2, 0), (-across / 2, 0), (0, ROOT / 2), (0, -ROOT / 2)):
        assert inked(2.5 + x, 1.5 + y)
    assert not inked(2.5, 1.5)
    assert not inked(2.5 + across / 2 - 0.1, 1.5)


def test_cells_without_a_parent_or_a_colour_have_neither(image: QImage) -> None:
    parents = np.full((ROWS, COLUMNS), -1, np.int64)
    parents[0, 0] = 0
    whole = CellRange(0, 0, COLUMNS, ROWS)
    drawn(
        image, lambda target: paint_arrows(target, whole, parents, np.zeros_like(parents), COLUMNS)
    )
    assert covered(image).sum() == 0


def covered(image: QImage) -> npt.NDArray[np.bool_]:
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    covered: npt.NDArray[np.bool_] = raw[:, :, 3] >= INKED
    return covered


def test_borders_of_parts_lie_between_cells(image: QImage) -> None:
    layout = LabelLayout(ROWS, COLUMNS, pitch=COLUMNS)
    blocks = Structure(Part.BLOCK, 4, 2)
    inked = drawn(image, lambda target: paint_structure(target, blocks, 0, layout))
    for x in (0, 4, 8):
        assert inked(x, 1.5)
    for y in (0, 2, 4):
        assert inked(1.5, y)
    for place in ((2.0, 1.5), (6.0, 1.5), (1.5, 1.0), (1.5, 3.0)):
        assert not inked(*place)


def test_parts_that_are_too_small_have_no_borders(image: QImage) -> None:
    layout = LabelLayout(ROWS, COLUMNS, pitch=COLUMNS)
    blocks = Structure(Part.BLOCK, 4, 2)
    small = Viewpoint(4.0, 0.0, 0.0)
    painter = QPainter(image)
    paint_structure(PaintTarget(painter, small, (100.0, 100.0), STYLE), blocks, 0, layout)
    paint_runs(PaintTarget(painter, small, (100.0, 100.0), STYLE), np.array([[0, 0, 3, 1]]))
    painter.end()
    assert not covered(image).any()


def test_a_run_has_a_capsule_inside_its_cells(image: QImage) -> None:
    inked = drawn(image, lambda target: paint_runs(target, np.array([[2, 1, 6, 2]])))
    for place in ((2.07, 1.5), (5.93, 1.5), (4, 1.07), (4, 1.93)):
        assert inked(*place)
    for place in ((1.9, 1.5), (6.1, 1.5), (4, 0.9), (4, 2.1), (4, 1.5)):
        assert not inked(*place)
    assert not inked(2.07, 1.07)  # its ends are round


def test_contours_are_bold_on_a_halo(image: QImage) -> None:
    inked = drawn(
        image, lambda target: paint_contours(target, np.array([[1, 2, 4, 2]]), target.style.bold)
    )
    assert all(inked(x, 2) for x in (1.0, 2.5, 4.0))
    assert not inked(0.8, 2)
    assert not inked(4.2, 2)
    assert not inked(2.5, 1.9)
    assert shade(image, 2.5, 2)[1] == STYLE.bold.lower()
    near = {shade(image, 2.5, 2 + offset / SCALE)[1] for offset in (-3, -2, 1, 2)}
    assert STYLE.halo.lower() in near


def test_padding_is_ruled_and_ends_where_the_buffer_does(image: QImage) -> None:
    inked = drawn(image, lambda target: paint_padding(target, PADDED, None))
    around = [(-0.15, 2.3), (8.3, 2.3), (3.3, -0.15), (3.3, 5.3)]
    assert all(inked(*place) for place in around)
    assert not inked(3.3, 2.3)
    assert not inked(0.3, 0.3)
    assert not inked(7.7, 4.7)
    ground = image.pixelColor(*(int(place) for place in VIEW.corner(3.3, 5.3)))
    line = image.pixelColor(*(int(place) for place in VIEW.corner(3.0, 5.3)))
    assert line != ground


def test_a_changed_cell_has_a_corner_at_its_top_right(image: QImage) -> None:
    changed = np.zeros((ROWS, COLUMNS), bool)
    changed[3, 2] = True
    visible = CellRange(0, 0, COLUMNS, ROWS)
    drawn(image, lambda target: paint_marks(target, visible, changed))
    rows, columns = np.nonzero(covered(image))
    left, top = VIEW.corner(2, 3)
    assert left + 0.7 * SCALE < columns.min()
    assert left + SCALE - 4 <= columns.max() <= left + SCALE
    assert top <= rows.min() <= top + 4
    assert rows.max() < top + 0.3 * SCALE
    bold = shade(image, 2 + 1 - 0.12, 3 + 0.12)[1]
    assert bold == STYLE.bold.lower()
    assert image.pixelColor(int(columns.min()), int(rows.min())).name() == STYLE.halo.lower()
