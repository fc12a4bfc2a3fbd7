"""What other programs hand over and are given: files, pictures and text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage

from ccl_viewer.errors import InputError
from ccl_viewer.grids import Grid, rle, text_art
from ccl_viewer.grids.files import Cells, read_text
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.saving import segment_colours

_MOST_TEXT = 1 << 22
"""Characters of a text that is looked at; longer ones come as files."""


@dataclass(frozen=True, eq=False)
class Brought:
    """What was dropped or pasted: one of these.

    Parameters
    ----------
    path : str
        Name of a file; empty if there is none.
    picture : Picture or None
        Pixels.
    cells : Cells or None
        A grid.
    """

    path: str = ""
    picture: Picture | None = None
    cells: Cells | None = None


def can_read(data: QMimeData) -> bool:
    """Return whether something handed over may be of use, without taking it."""
    if any(url.isLocalFile() for url in data.urls()) or data.hasImage():
        return True
    return data.hasText() and _is_grid(data.text())


def read(data: QMimeData | None) -> Brought | None:
    """Return what was handed over; None if it is nothing of use.

    Parameters
    ----------
    data : QMimeData or None
        What was handed over; an empty clipboard may hand over None.

    Raises
    ------
    InputError
        If it is text art or RLE that is broken, or more than one file.
    """
    if data is None:
        return None
    files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    if len(files) > 1:  # which of them comes first is chance
        raise InputError(f"One file can be shown, not {len(files):,} at once: choose one of them.")
    if files:
        return Brought(path=files[0])
    # Text before pictures: spreadsheets and editors hand over a picture of their text as well.
    if data.hasText() and _is_grid(data.text()):
        return Brought(cells=read_text(data.text()))
    if data.hasImage():
        image = data.imageData()
        if isinstance(image, QImage) and not image.isNull():
            return Brought(picture=picture_of(image))
        raise InputError("The picture cannot be read: save it to a file and open that.")
    return None


def picture_of(image: QImage) -> Picture:
    """Return the pixels of a picture of Qt's; what is transparent lies over black."""
    if image.hasAlphaChannel():
        converted = image.convertToFormat(QImage.Format.Format_RGBA8888_Premultiplied)
        pixels = _bytes(converted, 4)
        alpha = np.ascontiguousarray(pixels[..., 3])
        return Picture(np.ascontiguousarray(pixels[..., :3]), None if alpha.all() else alpha)
    return Picture(_bytes(image.convertToFormat(QImage.Format.Format_RGB888), 3))


def grid_image(grid: Grid, *, multivalued: bool) -> QImage:
    """Return a grid as a picture, a pixel a cell.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid.
    multivalued : bool
        Whether its values are told apart; then each has a colour.
    """
    height, width = grid.shape
    colours = segment_colours() if multivalued else np.array([[0] * 3, [255] * 3], np.uint8)
    red, green, blue = colours.T.astype(np.uint32)
    table = 0xFF000000 | red << 16 | green << 8 | blue
    image = QImage(width, height, QImage.Format.Format_RGB32)
    # Not by one of Qt's conversions: they keep Python's lock, which stops the window.
    pixels = np.frombuffer(image.bits(), np.uint32).reshape(height, width)
    for row, cells in zip(pixels, grid, strict=True):
        np.take(table, cells, out=row, mode="clip")
    return image


def grid_text_if_short(grid: Grid) -> str:
    """Return a grid as text; nothing for one of which the text would be too long."""
    return grid_text(grid) if grid.size <= _MOST_TEXT else ""


def grid_text(grid: Grid) -> str:
    """Return a grid as text art, or as RLE if its values have no characters."""
    if int(grid.max()) < len(text_art.SYMBOLS):
        return text_art.format_grid(grid)
    return rle.format_grid(grid)


def _is_grid(text: str) -> bool:
    return len(text) <= _MOST_TEXT and (rle.is_rle(text) or text_art.is_text_art(text))


def _bytes(image: QImage, channels: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:, : image.width() * channels].reshape(-1, image.width(), channels).copy()
