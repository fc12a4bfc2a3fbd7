"""A folder of numbered PNG pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ccl_viewer.export.film import Film

_DIGITS: Final = 4


def write_pictures(film: Film, folder: Path) -> None:
    """Write ``frame_0000.png`` and so on.

    Parameters
    ----------
    film : Film
        The frames.
    folder : Path
        An empty folder.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from PIL import Image

    palette = film.palette.tobytes()
    digits = max(_DIGITS, len(str(len(film.durations) - 1)))
    for number, frame in enumerate(film.frames()):
        picture = Image.fromarray(frame)
        picture.putpalette(palette)
        picture.save(folder / f"frame_{number:0{digits}}.png", format="PNG")
