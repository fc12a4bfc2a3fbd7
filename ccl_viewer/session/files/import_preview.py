"""What the import dialog shows of a picture and of the grid that it would become."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.grids.import_settings import Crop, ImportSettings, Kind
from ccl_viewer.grids.importing import Converted, Source, convert
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.scaling import Method, even_starts, scale
from ccl_viewer.session.facts.counting import count_components
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.signals import Signal

SIDE = 640
"""Longest side of the pictures that are shown, in pixels."""

BARS = 128
"""Bars of a histogram."""

_QUICK = 1 << 20  # pixels that are converted at once; of more, a sample is shown first


@dataclass(frozen=True, eq=False)
class Preview:
    """What is known so far.

    Parameters
    ----------
    settings : ImportSettings
        What it belongs to.
    thumbnail : ndarray of uint8, shape (h, w, 3), or None
        The whole picture, small.
    cells : ndarray of uint8, shape (h, w), or None
        The grid, small: of the crop alone.
    scale : tuple of float
        Lowest and highest value of the channel.
    bars : ndarray of float64, shape (BARS,), or None
        Histogram of the crop between these two.
    otsu : float or None
        Otsu's threshold of the crop.
    converted : Converted or None
        The whole grid.
    components : int or None
        How many components it has.
    error : str
        Why there is no grid, as a sentence.
    """

    settings: ImportSettings
    thumbnail: npt.NDArray[np.uint8] | None = None
    cells: Grid | None = None
    scale: tuple[float, float] = (0, 255)
    bars: npt.NDArray[np.float64] | None = None
    otsu: float | None = None
    converted: Converted | None = None
    components: int | None = None
    error: str = ""


class ImportPreview:
    """Converts a picture over and over as settings change; the newest settings win.

    Parameters
    ----------
    source : Source
        The picture.
    settings : ImportSettings
        What to begin with.
    connectivity : int
        4 or 8, for the number of components.
    runner : Runner
        Runs the work.
    """

    def __init__(
        self, source: Source, settings: ImportSettings, connectivity: int, runner: Runner
    ) -> None:
        self.changed = Signal()
        self.preview = Preview(settings)
        self._source = source
        self._small = _sampled(source)
        self._connectivity = connectivity
        self._latest = Latest(runner)
        self._work: _PreviewWork | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self._source.picture.size

    @property
    def busy(self) -> bool:
        """Whether more is being found out."""
        return self._latest.busy

    def update(self, settings: ImportSettings) -> None:
        """Show what other settings make of the picture."""
        before = replace(self.preview, settings=settings, converted=None, components=None, error="")
        work = _PreviewWork(before, self._source, self._small, self._connectivity)
        self._work = work
        self._latest.start("Previewing", work, self._done, self._failed)
        self.changed.emit()

    def poll(self) -> None:
        """Take note of what was found out so far."""
        if self._work is not None and self._work.preview is not self.preview:
            self.preview = self._work.preview
            self.changed.emit()

    def close(self) -> None:
        """Stop all work and forget the views."""
        self._latest.stop()
        self._work = None
        self.changed.clear()

    def _done(self) -> None:
        self.poll()
        self.changed.emit()

    def _failed(self, error: CCLViewerError) -> None:
        self.poll()
        self.preview = replace(self.preview, cells=None, error=str(error))
        self._work = None
        self.changed.emit()


@dataclass(eq=False)
class _PreviewWork:
    """Finds out all there is to a preview: what is quick first."""

    preview: Preview
    source: Source
    small: tuple[Source, int]
    connectivity: int

    def perform(self, job: Job, /) -> None:
        settings, picture = self.preview.settings, self.source.picture
        if self.preview.thumbnail is None:
            self._put(job, thumbnail=_thumbnail(picture))
        small, step = self.small
        if step > 1:
            rough = _reduced(settings, picture.size, step)
            self._look(job, small, rough)
            self._put(job, cells=_shown(convert(small, rough, job.cancel.check), job))
        job.cancel.check()
        self._look(job, self.source, settings)
        converted = convert(self.source, settings, job.cancel.check)
        self._put(job, converted=converted, cells=_shown(converted, job))
        count = count_components(
            converted.grid,
            self.connectivity,
            multivalued=converted.multivalued,
            check=job.cancel.check,
        )
        self._put(job, components=count)

    def _look(self, job: Job, source: Source, settings: ImportSettings) -> None:
        """Find the histogram, and the threshold that Otsu's method finds in it."""
        if settings.kind is Kind.VALUES:
            return
        box = settings.box(source.picture.size)
        low, high = source.scale_of(settings.channel)
        found = source.histogram(settings.channel, box)
        self._put(
            job, scale=(low, high), bars=found.bars(low, high, BARS), otsu=source.otsu(settings)
        )

    def _put(self, job: Job, **found: Any) -> None:
        self.preview = replace(self.preview, **found)
        job.report("")


def _sampled(source: Source) -> tuple[Source, int]:
    """Return a picture of every nth pixel of every nth row that is small, and n."""
    picture = source.picture
    width, height = picture.size
    step = 1
    while (width // step) * (height // step) > _QUICK:
        step += 1
    if step == 1:
        return source, 1
    alpha = None if picture.alpha is None else picture.alpha[::step, ::step]
    return Source(Picture(picture.planes[::step, ::step], alpha)), step


def _reduced(settings: ImportSettings, size: tuple[int, int], step: int) -> ImportSettings:
    box = settings.box(size)
    small = Crop(box.x // step, box.y // step, -(-box.width // step), -(-box.height // step))
    return replace(settings, crop=small, factor=1, target=None)


def _shown(converted: Converted, job: Job) -> Grid:
    """Return a grid small enough to be shown, by majority."""
    grid = converted.grid
    height, width = grid.shape
    side = max(height, width)
    if side <= SIDE:
        return grid
    rows = even_starts(height, max(1, height * SIDE // side))
    columns = even_starts(width, max(1, width * SIDE // side))
    return scale(grid, rows, columns, Method.MAJORITY, job.cancel.check)


def _thumbnail(picture: Picture) -> npt.NDArray[np.uint8]:
    """Return the picture as red, green and blue, its longest side at most :data:`SIDE` pixels."""
    width, height = picture.size
    side = max(width, height)
    rows = even_starts(height, min(height, max(1, height * SIDE // side)))
    columns = even_starts(width, min(width, max(1, width * SIDE // side)))
    small = picture.planes[rows][:, columns]
    if small.dtype != np.uint8:
        small = _stretched(small.astype(np.float64))
    if small.ndim == 2:
        small = np.repeat(small[:, :, None], 3, axis=2)
    return np.ascontiguousarray(small)


def _stretched(values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Return values as shades from the lowest to the highest; NaN is black, infinity extreme."""
    finite = values[np.isfinite(values)]
    # Halves, as the two may lie farther apart than the largest number.
    low, high = (finite.min() / 2, finite.max() / 2) if finite.size else (0.0, 0.0)
    shares = (values / 2 - low) / max(high - low, 1e-300)
    shades: npt.NDArray[np.uint8] = np.nan_to_num(shares.clip(0, 1) * 255, nan=0.0).astype(np.uint8)
    return shades
