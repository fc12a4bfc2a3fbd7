"""Write grids to files and to text, losslessly."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids import rle, text_art
from ccl_viewer.grids.grid import Grid, as_grid, as_segments
from ccl_viewer.grids.pictures import PGM_SEGMENTS, SEGMENTS_KEY
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.label_colours import OKABE_ITO


def save_grid(path: str | os.PathLike[str], grid: Grid, *, multivalued: bool = False) -> None:
    """Write a grid to a file, in the format of the file's suffix.

    The file is written under a temporary name and then renamed, so that it is never incomplete.

    Parameters
    ----------
    path : path_like
        Ends in ``.png`` or ``.pbm`` (one bit per pixel, foreground white), ``.npy`` (uint8),
        ``.txt`` (text art), ``.rle`` (Golly) or ``.pgm`` (grey values).
    grid : array_like, shape (height, width)
        Non-zero is foreground.
    multivalued : bool
        Whether the values are kept: 0 is background, 1 to 255 are segments. A PNG then has a colour
        for each value, a PBM cannot hold them, and text holds values up to 61.

    Raises
    ------
    InputError
        If the suffix is unknown, `grid` is not a grid or does not fit into the format, or the file
        cannot be written.
    """
    target = Path(path)
    try:
        write = _WRITERS[target.suffix.lower()]
    except KeyError:
        raise InputError(
            f"A grid cannot be saved as {target.name!r}: end the name in "
            f"{', '.join(WRITTEN_SUFFIXES)}."
        ) from None
    cells = as_segments(grid) if multivalued else as_grid(grid)
    if target.suffix.lower() == ".txt":
        text_art.check_fits(cells)
    elif target.suffix.lower() == ".pbm" and cells.max() > 1:
        raise InputError(
            "A PBM picture holds two values, and this grid has more: save it as .png, .npy, .pgm "
            "or .rle."
        )
    elif target.suffix.lower() == ".pgm" and multivalued:
        write = _write_pgm_segments
    with replacing(target) as beside, beside.open("wb") as file:
        write(file, cells)


def segment_colours() -> npt.NDArray[np.uint8]:
    """Return a different colour for each value, uint8 of shape (256, 3); 0 is black."""
    values = np.arange(256)
    hue = values * 0.61803398875 % 1.0  # steps of the golden ratio keep neighbours apart
    shade = 1.0 - 0.45 * (values % 3) / 2
    # Three waves a third of a turn apart make a ring of colours.
    turns = (hue[:, None] + np.array([0.0, 1 / 3, 2 / 3])) * 2 * np.pi
    colours: npt.NDArray[np.uint8]
    colours = np.rint((0.5 + 0.5 * np.cos(turns)) * shade[:, None] * 223 + 32).astype(np.uint8)
    colours[0] = 0
    colours[1 : 1 + len(OKABE_ITO)] = OKABE_ITO
    return colours


def _write_png(file: IO[bytes], grid: Grid) -> None:
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    if grid.max() <= 1:
        _write_bits(file, grid, "PNG")
        return
    image = Image.fromarray(grid)
    image.putpalette(segment_colours().tobytes())
    about = PngInfo()
    about.add_text(SEGMENTS_KEY, "palette indices are the values of the grid")
    image.save(file, "PNG", pnginfo=about)


def _write_bits(file: IO[bytes], grid: Grid, pillow_format: str) -> None:
    from PIL import Image

    Image.fromarray(grid * np.uint8(255)).convert("1", dither=Image.Dither.NONE).save(
        file, pillow_format
    )


def _write_pbm(file: IO[bytes], grid: Grid) -> None:
    _write_bits(file, grid, "PPM")


def _write_pgm(file: IO[bytes], grid: Grid) -> None:
    _write_grey(file, b"P5\n", grid * np.uint8(255))


def _write_pgm_segments(file: IO[bytes], grid: Grid) -> None:
    _write_grey(file, PGM_SEGMENTS, grid)


def _write_grey(file: IO[bytes], start: bytes, grid: Grid) -> None:
    height, width = grid.shape
    file.write(start + f"{width} {height}\n255\n".encode("ascii") + grid.tobytes())


def _write_npy(file: IO[bytes], grid: Grid) -> None:
    np.save(file, grid, allow_pickle=False)


def _write_text(file: IO[bytes], grid: Grid) -> None:
    file.write(text_art.format_grid(grid).encode("ascii"))


def _write_rle(file: IO[bytes], grid: Grid) -> None:
    file.write(rle.format_grid(grid).encode("ascii"))


_WRITERS: dict[str, Callable[[IO[bytes], Grid], None]] = {
    ".png": _write_png,
    ".pbm": _write_pbm,
    ".npy": _write_npy,
    ".txt": _write_text,
    ".rle": _write_rle,
    ".pgm": _write_pgm,
}
WRITTEN_SUFFIXES: Final = tuple(_WRITERS)
"""Suffixes of the formats that a grid can be saved in."""
