"""The ways of cells to their roots, one after the other."""

from __future__ import annotations

import numpy as np

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.render.forest import lookup_in_frame, path_cells

LAYOUT = LabelLayout(height=2, width=4, pitch=4, background=-1)
LABELS = np.array([[0, 0, 1, -1], [5, 2, 5, -1]], np.int32)
"""Cell 2 leads over 1 to 0, cell 5 to 2; 4 and 6 lead to 5; 3 and 7 have no label."""


def ways(*cells: int) -> list[int]:
    found = path_cells(lookup_in_frame(LABELS), LAYOUT, np.array(cells, np.int64))
    return sorted(found.tolist())


def test_a_way_holds_both_its_ends() -> None:
    assert ways(2) == [0, 1, 2]
    assert ways(0) == [0]


def test_ways_that_meet_are_walked_once() -> None:
    assert ways(4, 6) == [0, 1, 2, 4, 5, 6]


def test_a_cell_without_a_label_leads_nowhere() -> None:
    assert ways(3) == [3]


def test_a_circle_ends_the_way() -> None:
    labels = np.array([[1, 0, 1, -1], [-1, -1, -1, -1]], np.int32)
    found = path_cells(lookup_in_frame(labels), LAYOUT, np.array([2], np.int64))
    assert sorted(found.tolist()) == [0, 1, 2]
