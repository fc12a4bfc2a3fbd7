"""Cells of large grids on their way to and from the clipboard, which hold nobody up."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from support.sessions import HeldRunner

from ccl_viewer.views.handing import CELLS, Handing


def test_cells_of_a_large_grid_are_packed_and_unpacked_aside(qapp: QApplication) -> None:
    runner, failures = HeldRunner(), list[str]()
    handing = Handing(runner, failures.append)
    cells = np.random.default_rng(1).integers(0, 9, (300, 300), dtype=np.uint8)
    taken: list[object] = []

    def paste() -> None:
        handing.take(QApplication.clipboard().mimeData().data(CELLS), taken.append)

    handing.put(np.zeros((300, 300), np.uint8), multivalued=True, exact=True)
    handing.put(cells, multivalued=True, exact=True)
    assert handing.after(paste)
    runner.work_all()
    assert not failures
    assert not handing.after(paste)
    np.testing.assert_array_equal(taken, [cells])


def test_a_copy_that_the_window_did_not_live_to_see_changes_nothing(qapp: QApplication) -> None:
    runner = HeldRunner()
    handing = Handing(runner, pytest.fail)
    QApplication.clipboard().setText("before")
    handing.put(np.ones((300, 300), np.uint8), multivalued=False)
    handing.close()
    runner.work_all()
    assert QApplication.clipboard().text() == "before"
