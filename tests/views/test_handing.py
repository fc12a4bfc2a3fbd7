"""Cells of large grids on their way to and from the clipboard, which hold nobody up."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from support.sessions import HeldRunner

from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.pieces import PIECE
from ccl_viewer.session.job import Job
from ccl_viewer.views import clipboard
from ccl_viewer.views.handing import CELLS, Handing, PackingWork


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


def test_large_cells_are_packed_without_long_calls_that_keep_pythons_lock(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    def convert(*_args: object) -> None:
        pytest.fail("Qt converts pictures with the lock kept")

    picture = type("Picture", (QImage,), {"convertToFormat": convert})
    monkeypatch.setattr(clipboard, "QImage", picture)
    written = list[int]()

    class File(io.BytesIO):
        def write(self, data: Any, /) -> int:
            written.append(len(memoryview(data)))
            return super().write(data)

    monkeypatch.setattr("ccl_viewer.views.handing.io.BytesIO", File)
    cells = np.random.default_rng(1).integers(0, 9, (700, 600), dtype=np.uint8)
    work = PackingWork(cells, multivalued=True, exact=True)
    work.perform(Job("", work.perform, lambda: None, lambda error: pytest.fail(str(error))))
    assert max(written) <= PIECE
    np.testing.assert_array_equal(np.load(io.BytesIO(work.packed)), cells)


@pytest.mark.parametrize("multivalued", [False, True])
def test_a_picture_has_a_colour_for_each_value(qapp: QApplication, multivalued: bool) -> None:
    cells = np.array([[0, 1, 2], [255, 0, 7]], np.uint8)[:, ::-1]
    image = clipboard.grid_image(cells, multivalued=multivalued)
    colours = segment_colours() if multivalued else np.array([[0] * 3] + [[255] * 3] * 255)
    for (y, x), value in np.ndenumerate(cells):
        red, green, blue = colours[value].tolist()
        assert image.pixelColor(x, y) == QColor(red, green, blue)
