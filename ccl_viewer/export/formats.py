"""The table of what recordings can be exported as."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError
from ccl_viewer.export.film import Writer
from ccl_viewer.export.gif import FASTEST, write_gif
from ccl_viewer.export.pictures import write_pictures

FOLDER: Final = "/"


@dataclass(frozen=True)
class ExportFormat:
    """One row of the table.

    Parameters
    ----------
    suffix : str
        End of the name, in lower case; ``"/"`` for a folder.
    title : str
        What it is, for people.
    write : callable
        Writes it.
    shortest : int
        Milliseconds of the shortest frame that it can show; durations are multiples of 10 ms.
    """

    suffix: str
    title: str
    write: Writer
    shortest: int = 10

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files."""
        return self.suffix == FOLDER


EXPORT_FORMATS: Final = (
    ExportFormat(".gif", "animation (GIF)", write_gif, shortest=FASTEST),
    ExportFormat(FOLDER, "folder of numbered pictures (PNG)", write_pictures),
)


def export_format(path: str | Path) -> ExportFormat:
    """Return the format that a name asks for.

    Parameters
    ----------
    path : str or Path
        A name that ends with ``/``, has no suffix, or is that of a folder, asks for a folder.

    Raises
    ------
    InputError
        If its suffix is none of those known.
    """
    text = str(path)
    place = Path(path)
    if text.endswith(("/", "\\")) or place.is_dir() or not place.suffix:
        wanted = FOLDER
    else:
        wanted = place.suffix.lower()
    for row in EXPORT_FORMATS:
        if row.suffix == wanted:
            return row
    suffixes = ", ".join(row.suffix for row in EXPORT_FORMATS if not row.is_folder)
    raise InputError(
        f"Recordings are exported as {suffixes} or as a folder (a name that ends with /), not as "
        f"{place.name}: choose a name like that."
    )
