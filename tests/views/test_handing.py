"""Cells of large grids on their way to and from the clipboard, which hold nobody up."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from support.sessions import HeldRunner

from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.pieces import PIECE
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.views.clipboard import clipboard, handing
from ccl_viewer.views.clipboard.handing import CELLS, Handing, PackingWork, UnpackingWork


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


def saved(array: np.ndarray[Any, Any], **how: Any) -> bytes:
    """An array as a ``.npy`` file."""
    file = io.BytesIO()
    npy.write_array(file, array, **how)
    return file.getvalue()


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no file at all",
        saved(np.ones((3, 4), np.uint8))[:-1],
        saved(np.ones((3, 4), np.uint8)) + b"1",
        saved(np.ones((3, 4), np.int64)),
        saved(np.ones(4, np.uint8)),
        saved(np.asfortranarray(np.eye(3, 4, dtype=np.uint8))),
    ],
    ids=["empty", "no file", "short", "long", "other numbers", "a row", "columns first"],
)
def test_what_is_no_grid_is_not_taken(packed: bytes) -> None:
    work = UnpackingWork(QByteArray(packed))
    work.perform(Job("", lambda _job: None, lambda: None, lambda _error: None))
    assert work.cells is None


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
    handed = list[int]()

    class Bytes(QByteArray):
        def __init__(self, data: Any = b"") -> None:
            handed.append(len(data))
            super().__init__(data)

        def append(self, data: Any, /, *more: Any) -> QByteArray:
            handed.append(len(data))
            return super().append(data, *more)

    monkeypatch.setattr("ccl_viewer.views.clipboard.handing.QByteArray", Bytes)
    cells = np.random.default_rng(1).integers(0, 9, (700, 600), dtype=np.uint8)
    work = PackingWork(cells, multivalued=True, exact=True)
    work.perform(Job("", work.perform, lambda: None, lambda error: pytest.fail(str(error))))
    assert sum(handed) < 1_000, "Python's lock is kept while bytes are copied"
    np.testing.assert_array_equal(np.load(io.BytesIO(work.packed.data())), cells)


def test_large_cells_are_unpacked_without_asking_for_all_of_their_memory(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = np.random.default_rng(1).integers(0, 9, (700, 600), dtype=np.uint8)
    packed, asked = io.BytesIO(), list[int]()
    np.save(packed, cells)

    def noted(part: QByteArray) -> np.ndarray:
        asked.append(part.size())
        return bytes_of(part)

    bytes_of = handing._bytes_of
    monkeypatch.setattr(handing, "_bytes_of", noted)
    work = UnpackingWork(QByteArray(packed.getvalue()))
    work.perform(Job("", work.perform, lambda: None, lambda error: pytest.fail(str(error))))
    assert work.cells is not None
    np.testing.assert_array_equal(work.cells, cells)
    assert sum(asked) == cells.size
    assert max(asked) <= PIECE


@pytest.mark.parametrize("multivalued", [False, True])
def test_a_picture_has_a_colour_for_each_value(qapp: QApplication, multivalued: bool) -> None:
    cells = np.array([[0, 1, 2], [255, 0, 7]], np.uint8)[:, ::-1]
    image = clipboard.grid_image(cells, multivalued=multivalued)
    colours = segment_colours() if multivalued else np.array([[0] * 3] + [[255] * 3] * 255)
    for (y, x), value in np.ndenumerate(cells):
        red, green, blue = colours[value].tolist()
        assert image.pixelColor(x, y) == QColor(red, green, blue)
