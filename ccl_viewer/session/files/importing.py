"""Pictures on their way to becoming the grid: what was chosen, asked for, and remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ccl_viewer.grids import Grid
from ccl_viewer.grids.files import Cells, Content
from ccl_viewer.grids.grid import MAX_PIXELS, USUAL_PIXELS
from ccl_viewer.grids.import_settings import Channel, ImportSettings, Kind
from ccl_viewer.grids.importing import Converted, Source, convert, suggested
from ccl_viewer.session.files.reading import ReadingWork
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.signals import Signal

_KEPT_BYTES = 1 << 28  # larger pictures are not kept to be imported again


Take = Callable[[Grid, str, bool | None], object]


@dataclass(frozen=True, eq=False)
class Offer:
    """A picture that waits for choices.

    Parameters
    ----------
    source : Source
        The picture.
    name : str
        Where it came from, for the user: a path, or "Clipboard".
    settings : ImportSettings
        What to begin with.
    """

    source: Source
    name: str
    settings: ImportSettings


@dataclass(frozen=True)
class UnconfirmedFile:
    """A file that is read only if the user wants it so.

    Parameters
    ----------
    path : str
        Its name.
    fact : str
        How large it is, and how much memory it takes, without a full stop.
    always : bool
        As for :meth:`Importing.open`.
    """

    path: str
    fact: str
    always: bool


@dataclass(eq=False)
class ConvertingWork:
    """Makes the grid of a picture.

    Parameters
    ----------
    offer : Offer
        The picture, and how to import it.

    Attributes
    ----------
    converted : Converted or None
        The grid, once it is made.
    """

    offer: Offer
    converted: Converted | None = None

    def perform(self, job: Job, /) -> None:
        """Make it."""
        self.converted = convert(self.offer.source, self.offer.settings, job.cancel.check)


class Importing:
    """What becomes of files and of what other programs hand over.

    What says of each cell what it is becomes the grid at once; pictures are offered for choices, or
    taken as the last one was, if that was wished.

    Parameters
    ----------
    jobs : Jobs
        Starts long work.
    take : callable
        Given the grid, where it came from, and whether its values are to be told apart; None leaves
        that as it is.
    """

    def __init__(self, jobs: Jobs, take: Take) -> None:
        self.offered = Signal()
        self.too_large = Signal()
        self.ask = True
        self.offer: Offer | None = None
        self.unconfirmed: UnconfirmedFile | None = None
        self._jobs = jobs
        self._take = take
        self._remembered: ImportSettings | None = None
        self._last: Offer | None = None

    @property
    def can_repeat(self) -> bool:
        """Whether the last picture can be imported again with other settings."""
        return self._last is not None

    def open(self, path: str, *, always: bool = False, large: bool = False) -> None:
        """Open a picture, an array or text.

        Parameters
        ----------
        path : str
            Name of the file.
        always : bool
            Offer a picture even if choices were to be kept.
        large : bool
            Read it even if it takes gigabytes of memory; otherwise that has to be confirmed.
        """
        work = ReadingWork(path, max_pixels=MAX_PIXELS if large else USUAL_PIXELS)
        self._read(work, f"Opening {Path(path).name}", always=always)

    def bring(self, content: Content, name: str) -> None:
        """Bring a grid or pixels that came from another program.

        Parameters
        ----------
        content : Cells or Picture
            What came.
        name : str
            Where it came from, for the user.
        """
        self._read(ReadingWork(name, content), f"Opening {name}", always=False)

    def repeat(self) -> None:
        """Offer the last picture again, with the settings that it was imported with."""
        if self._last is not None:
            self.offer = self._last
            self.offered.emit()

    def accept(
        self, settings: ImportSettings, converted: Converted | None = None, *, ask: bool = True
    ) -> None:
        """Import the picture on offer.

        Parameters
        ----------
        settings : ImportSettings
            How; what is not about this one picture is remembered for the next.
        converted : Converted or None
            What these settings make of it, if that is known already.
        ask : bool
            Whether the next picture is offered again.
        """
        if self.offer is None:
            return
        offer, self.offer = replace(self.offer, settings=settings), None
        self.ask = ask
        self._remembered = replace(settings, crop=None, target=None)
        self._last = offer if offer.source.picture.planes.nbytes <= _KEPT_BYTES else None
        if converted is not None:
            self._take(converted.grid, offer.name, converted.multivalued)
            return
        work = ConvertingWork(offer)
        self._jobs.start(f"Importing {offer.name}", work, lambda: self._converted(work))

    def decline(self) -> None:
        """Leave the picture on offer alone."""
        self.offer = None

    def _converted(self, work: ConvertingWork) -> None:
        if work.converted is not None:
            made = work.converted
            self._take(made.grid, work.offer.name, made.multivalued)

    def _read(self, work: ReadingWork, title: str, *, always: bool) -> None:
        self.offer = self.unconfirmed = None
        self._jobs.start(title, work, lambda: self._arrived(work, always=always))

    def _arrived(self, work: ReadingWork, *, always: bool) -> None:
        content = work.content
        if work.too_large:
            self.unconfirmed = UnconfirmedFile(work.name, work.too_large, always)
            self.too_large.emit()
        elif isinstance(content, Cells):
            several = True if content.grid.max() > 1 else None
            self._take(content.grid, work.name, several)
        elif content is not None:
            source = Source(content)
            settings = suggested(content, array=work.array)
            if settings.kind is Kind.BINARY:  # not numbers that are surely values
                settings = self._fitting(source) or settings
            self.offer = Offer(source, work.name, settings)
            if self.ask or always:
                self.offered.emit()
            else:
                self.accept(settings, ask=False)

    def _fitting(self, source: Source) -> ImportSettings | None:
        """Return the remembered settings, as far as a picture has what they ask for."""
        settings = self._remembered
        if settings is None:
            return None
        if settings.channel not in source.channels:
            settings = replace(settings, channel=Channel.LUMA, threshold=None)
        # A threshold means the same in pictures of 8 bits alone.
        if source.picture.planes.dtype != np.uint8:
            settings = replace(settings, threshold=None)
        return settings
