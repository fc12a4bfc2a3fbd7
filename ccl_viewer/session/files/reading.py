"""Reads what a person opens, and tells what can be taken as it is from what leaves choices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ccl_viewer.errors import LargeInputError
from ccl_viewer.grids.files import Cells, Content, read_content
from ccl_viewer.grids.grid import USUAL_PIXELS
from ccl_viewer.grids.pictures import Picture, without_colour
from ccl_viewer.session.jobs.job import Job

_NUMBERS = frozenset({".npy"})


@dataclass(eq=False)
class ReadingWork:
    """Reads a file, or looks at pixels that came from elsewhere.

    Parameters
    ----------
    name : str
        The file's name, or where the pixels came from.
    content : Cells, Picture or None
        What came from elsewhere; None to read the file.
    max_pixels : int
        Most pixels to read of the file.

    Attributes
    ----------
    array : bool
        Whether the file holds numbers, not a picture.
    too_large : str
        What a file is that has to be confirmed, instead of its content.
    """

    name: str
    content: Content | None = None
    max_pixels: int = USUAL_PIXELS
    array: bool = False
    too_large: str = ""

    def perform(self, job: Job, /) -> None:
        """Read it."""
        if self.content is None:
            job.report("Reading")
            try:
                self.content = read_content(self.name, self.max_pixels)
            except LargeInputError as error:
                self.too_large = error.fact
            self.array = Path(self.name).suffix.lower() in _NUMBERS
        if isinstance(self.content, Picture):
            self.content = _plain(self.content)


def _plain(picture: Picture) -> Content:
    """Return a picture, or its cells if it is black and white alone."""
    if picture.coloured:
        picture = replace(picture, planes=without_colour(picture.planes))
    if not picture.binary:
        return picture
    note = "A picture of black and white: white is foreground."
    return Cells((picture.planes != 0).astype(np.uint8), note)
