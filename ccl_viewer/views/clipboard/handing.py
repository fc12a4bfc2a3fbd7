"""Cells on their way to and from the clipboard; those of large grids are packed aside."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
from numpy.lib import format as npy
from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.grids import Grid, as_segments
from ccl_viewer.pieces import PIECE
from ccl_viewer.session.editing.drawing import AT_ONCE_CELLS
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.jobs.work import Work
from ccl_viewer.views.clipboard.clipboard import grid_image, grid_text_if_short

CELLS: Final = "application/x-ccl-viewer-cells"
"""Format of cells on the clipboard: those of a ``.npy`` file."""

_LONGEST_HEADER: Final = 1 << 12
"""Bytes in which the header of such a file has room."""


@dataclass(eq=False)
class PackingWork:
    """Makes of cells what other programs and other windows take over.

    Parameters
    ----------
    cells : ndarray of uint8, shape (height, width)
        The cells; nobody may change them.
    multivalued : bool
        Whether their values are told apart.
    exact : bool
        Whether other windows are to have their values.

    Attributes
    ----------
    image : QImage or None
        The cells as a picture, once it is made.
    text : str
        The same as text; empty if that is too long.
    packed : QByteArray
        The same as a ``.npy`` file; empty if other windows are not to have the values.
    """

    cells: Grid
    multivalued: bool
    exact: bool
    image: QImage | None = None
    text: str = ""
    packed: QByteArray = field(default_factory=QByteArray)

    def perform(self, _job: Job, /) -> None:
        """Make it."""
        self.image = grid_image(self.cells, multivalued=self.multivalued)
        self.text = grid_text_if_short(self.cells)
        if self.exact:
            self.packed = _packed(self.cells)

    def mime_data(self) -> QMimeData:
        """Return all of it."""
        data = QMimeData()
        if self.image is not None:
            data.setImageData(self.image)
        if self.text:
            data.setText(self.text)
        if self.exact:
            data.setData(CELLS, self.packed)
        return data


@dataclass(eq=False)
class UnpackingWork:
    """Reads cells that a window packed; they stay None if they are broken."""

    packed: QByteArray
    cells: Grid | None = None

    def perform(self, _job: Job, /) -> None:
        """Read them."""
        try:
            self.cells = as_segments(_unpacked(self.packed))
        except (ValueError, EOFError, OSError):
            self.cells = None


def _unpacked(packed: QByteArray) -> Grid:
    """Return the cells of what :func:`_packed` made, a piece at a time.

    Asked for its memory, an array of bytes that the clipboard has, too, copies all of it, and keeps
    Python's lock meanwhile.

    Raises
    ------
    ValueError
        If it is broken.
    """
    head = io.BytesIO(packed.left(_LONGEST_HEADER).data())
    npy.read_magic(head)
    shape, by_columns, dtype = npy.read_array_header_1_0(head)
    begin = head.tell()
    size = packed.size() - begin
    if by_columns or dtype != np.uint8 or len(shape) != 2 or size != math.prod(shape):
        raise ValueError("these are no cells of a grid")
    cells = np.empty(size, np.uint8)
    for start in range(0, size, PIECE):
        cells[start : start + PIECE] = _bytes_of(packed.mid(begin + start, PIECE))
    return cells.reshape(shape)


def _packed(cells: Grid) -> QByteArray:
    """Return cells as a ``.npy`` file: as ``numpy.save`` makes one, but by NumPy, in place.

    Bytes are copied under Python's lock, which stops the window; arrays are not. So cells are
    written to where the clipboard takes them over without a copy.
    """
    flat = np.ascontiguousarray(cells).ravel()
    head = io.BytesIO()
    npy.write_array_header_1_0(head, npy.header_data_from_array_1_0(flat.reshape(cells.shape)))
    packed = QByteArray(head.getvalue())
    begin = packed.size()
    packed.resize(begin + flat.size)
    _bytes_of(packed)[begin:] = flat
    return packed


def _bytes_of(packed: QByteArray) -> Grid:
    """Return the bytes as an array that shares their memory; they may be written."""
    # It has the buffer protocol, of which its types do not tell.
    return np.frombuffer(memoryview(cast("Any", packed)), np.uint8)


class Handing:
    """Puts cells on the clipboard and takes them from it: the newest request counts.

    Parameters
    ----------
    runner : Runner
        Packs and unpacks cells of large grids; small ones are packed at once.
    failed : callable
        Told, in a sentence, why cells could not be packed or unpacked.
    """

    def __init__(self, runner: Runner, failed: Callable[[str], object]) -> None:
        self._latest = Latest(runner)
        self._failed = failed
        self._waiting: Callable[[], object] | None = None

    def put(
        self,
        cells: Grid,
        *,
        multivalued: bool,
        exact: bool = False,
        done: Callable[[], object] = lambda: None,
    ) -> None:
        """Put cells on the clipboard: as a picture, a pixel a cell, and if they are few as text.

        Parameters
        ----------
        cells : ndarray of uint8, shape (height, width)
            The cells; nobody may change them afterwards.
        multivalued : bool
            Whether their values are told apart; then each has a colour.
        exact : bool
            Whether other windows of this program are to have their values.
        done : callable
            Called once they are there.
        """
        work = PackingWork(cells, multivalued, exact)

        def finish() -> None:
            QGuiApplication.clipboard().setMimeData(work.mime_data())
            done()

        self._do("Copying", work, finish, at_once=cells.size <= AT_ONCE_CELLS)

    def take(self, packed: QByteArray, taken: Callable[[Grid | None], object]) -> None:
        """Read cells from the clipboard, in the format :data:`CELLS`.

        Parameters
        ----------
        packed : QByteArray
            The cells.
        taken : callable
            Given the cells; None if they are broken.
        """
        work = UnpackingWork(packed)
        at_once = packed.size() <= AT_ONCE_CELLS
        self._do("Pasting", work, lambda: taken(work.cells), at_once=at_once)

    def after(self, act: Callable[[], object]) -> bool:
        """Do something once cells that are being packed are on the clipboard.

        Returns
        -------
        bool
            Whether there are any; otherwise nothing is to be waited for.
        """
        if self._latest.busy:
            self._waiting = act
        return self._latest.busy

    def close(self) -> None:
        """Hear nothing more of what is being packed or unpacked."""
        self._latest.stop()
        self._waiting = None

    def _do(self, title: str, work: Work, done: Callable[[], object], *, at_once: bool) -> None:
        self.close()

        def finish() -> None:
            done()
            waiting, self._waiting = self._waiting, None
            if waiting is not None:
                waiting()

        if at_once:
            work.perform(Job(title, work.perform, finish, self._give_up))
            finish()
        else:
            self._latest.start(title, work, finish, self._give_up)

    def _give_up(self, error: CCLViewerError) -> None:
        self._waiting = None
        self._failed(str(error))
