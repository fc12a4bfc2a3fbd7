"""Turn a picture into a grid by its settings: channel, threshold, crop, scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import MAX_PIXELS, MAX_SEGMENTS, Grid, check_size
from ccl_viewer.grids.import_settings import (
    MAX_LEVELS,
    BackgroundSegment,
    Channel,
    Crop,
    ImportKind,
    ImportSettings,
)
from ccl_viewer.grids.pictures import Picture, number_colours, to_grey
from ccl_viewer.grids.scaling import Starts, find_block_starts, find_even_starts, resample
from ccl_viewer.grids.thresholds import (
    Histogram,
    choose_level,
    count_grey_values,
    find_range,
    format_level,
    mark_foreground,
)
from ccl_viewer.support.arrays import count_occurrences, split_into_bands
from ccl_viewer.support.cancellation import Check, never_cancel

_PART = 1 << 20  # pixels converted at a time
_SAMPLED = 1 << 16  # values of an array that are sampled to guess its kind


@dataclass(frozen=True, eq=False)
class ImportedGrid:
    """A grid made of a picture.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        0 and 1, or values up to 255.
    multivalued : bool
        Whether only cells of equal value are to connect.
    threshold : float or None
        The threshold that was used; None if there was none.
    note : str
        What was done, as a sentence for the user.
    """

    grid: Grid
    multivalued: bool
    threshold: float | None
    note: str


class PictureSource:
    """A picture with its channels and histograms cached, so that moving a threshold is quick.

    Parameters
    ----------
    picture : Picture
        The picture.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._channel: tuple[Channel, npt.NDArray[Any]] | None = None
        self._histogram: tuple[tuple[Channel, Crop], Histogram | None] | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that the picture has."""
        colours = (Channel.RED, Channel.GREEN, Channel.BLUE) if self.picture.coloured else ()
        alpha = () if self.picture.alpha is None else (Channel.ALPHA,)
        return (Channel.LUMA, *colours, *alpha)

    def channel(self, channel: Channel) -> npt.NDArray[Any]:
        """Return the values of a channel, shape (height, width).

        Raises
        ------
        InputError
            If the picture does not have this channel.
        """
        if self._channel is None or self._channel[0] is not channel:
            if channel not in self.channels:
                raise InputError(f"The picture has no {channel} channel: choose another.")
            self._channel = channel, _take_channel(self.picture, channel)
        return self._channel[1]

    def histogram(self, channel: Channel, box: Crop) -> Histogram | None:
        """Return the histogram of a part of a channel; None if it holds only NaN and infinity."""
        key = channel, box
        if self._histogram is None or self._histogram[0] != key:
            self._histogram = key, count_grey_values(_cut(self.channel(channel), box))
        return self._histogram[1]

    def threshold_range(self, channel: Channel) -> tuple[float, float]:
        """Return the lowest and highest value that a threshold may have."""
        if self.picture.white is not None:
            return 0, self.picture.white
        low, high = find_range(self.channel(channel)) or (0, 1)
        return (low, high) if high > low else (low, low + 1)

    def choose_level(self, settings: ImportSettings) -> tuple[float | None, str]:
        """Return the value above which pixels of the used part are foreground, and its origin."""
        box = settings.crop_for(self.picture.size)
        return choose_level(
            settings.threshold, lambda: self.histogram(settings.channel, box), self.picture.white
        )

    def otsu(self, settings: ImportSettings) -> float:
        """Return the threshold that Otsu's method finds in the used part."""
        return self.choose_level(replace(settings, threshold="otsu"))[0] or 0


def suggest_settings(picture: Picture, *, array: bool) -> ImportSettings:
    """Return the initial settings.

    Parameters
    ----------
    picture : Picture
        The picture.
    array : bool
        Whether it was a file of numbers: a few distinct integers are taken for segments.
    """
    integers = array and picture.planes.dtype.kind in "ui"
    return ImportSettings(
        kind=ImportKind.VALUES if integers and has_few_values(picture, 16) else ImportKind.BINARY
    )


def has_few_values(picture: Picture, most: int = MAX_SEGMENTS) -> bool:
    """Return whether the first pixels of a picture have at most `most` values or colours."""
    rows = max(1, _SAMPLED // picture.planes.shape[1])
    return len(np.unique(number_colours(picture.planes[:rows]))) <= most


def convert(
    source: PictureSource, settings: ImportSettings, check: Check = never_cancel
) -> ImportedGrid:
    """Make a grid of a picture.

    Parameters
    ----------
    source : PictureSource
        The picture.
    settings : ImportSettings
        How.
    check : callable
        Called between parts of the work; raises if the work is to stop.

    Returns
    -------
    ImportedGrid
        The grid and how it was made.

    Raises
    ------
    InputError
        If the picture does not have the channel or holds more values than a grid can, or if the
        grid would be too large.
    """
    size = settings.result_size(source.picture.size)
    check_size((size[1], size[0]), MAX_PIXELS)
    box = settings.crop_for(source.picture.size)
    cells, threshold, note = _MAKERS[settings.kind](source, settings, box, check)
    if source.picture.alpha is not None and settings.channel is not Channel.ALPHA:
        cells *= _cut(source.picture.alpha, box) > 0
    if settings.kind is not ImportKind.BINARY and source.picture.planes.dtype.kind == "f":
        cells *= ~np.isnan(_cut(source.picture.planes, box))
    rows, columns = _find_starts(settings, box, size)
    if (rows.size, columns.size) != cells.shape or settings.target is not None:
        cells = resample(cells, rows, columns, settings.method, check)
    return ImportedGrid(cells, settings.kind is not ImportKind.BINARY, threshold, note)


_Made = tuple[Grid, float | None, str]

_TITLES = {
    Channel.LUMA: "Brightness",
    Channel.RED: "Red",
    Channel.GREEN: "Green",
    Channel.BLUE: "Blue",
    Channel.ALPHA: "Opacity",
}


def _divide(source: PictureSource, settings: ImportSettings, box: Crop, check: Check) -> _Made:
    values = _cut(source.channel(settings.channel), box)
    if values.dtype == np.bool_:
        exchanged = " Foreground and background were exchanged." if settings.invert else ""
        rule = partial(mark_foreground, level=None, invert=settings.invert)
        return _map_bands(values, rule, check), None, f"A picture of one bit per pixel.{exchanged}"
    level, how = source.choose_level(settings)
    rule = partial(mark_foreground, level=level, invert=settings.invert)
    if level is None:
        which = "0 alone" if settings.invert else "Every value but 0"
    else:
        side = "up to" if settings.invert else "above"
        which = f"{_TITLES[settings.channel]} {side} {format_level(level)}"
    return _map_bands(values, rule, check), level, f"{which} is foreground ({how})."


def _grade(source: PictureSource, settings: ImportSettings, box: Crop, check: Check) -> _Made:
    if not 2 <= settings.levels <= MAX_LEVELS:
        raise InputError(f"The number of levels is from 2 to {MAX_LEVELS}: choose one of these.")
    values = _cut(source.channel(settings.channel), box)
    grey_histogram = source.histogram(settings.channel, box)
    edges = np.empty(0)
    if grey_histogram is not None:
        top = grey_histogram.high + 1 if grey_histogram.whole else grey_histogram.high
        if top > grey_histogram.low:
            with np.errstate(over="ignore"):  # of the last edge, which is left out
                edges = np.linspace(grey_histogram.low, top, settings.levels + 1)[1:-1]
    number = settings.levels

    def rule(part: npt.NDArray[Any]) -> npt.NDArray[Any]:
        level = np.searchsorted(edges, part, side="right")
        return number - 1 - level if settings.invert else level

    cells = _map_bands(values, rule, check)
    counts = count_occurrences(cells.ravel(), 256, check)
    return _renumber(cells, _choose_background(counts, settings)), None, f"{number} levels of grey."


def _separate(source: PictureSource, settings: ImportSettings, box: Crop, check: Check) -> _Made:
    if source.picture.coloured and settings.channel is Channel.LUMA:
        planes = source.picture.planes[box.y : box.y + box.height, box.x : box.x + box.width]
        noun = "colours"
    else:
        planes = _cut(source.channel(settings.channel), box)
        noun = "values"
        if planes.dtype.kind == "f":
            planes = np.where(np.isnan(planes), planes.dtype.type(0), planes)
    distinct = _find_distinct(planes, noun, check)
    keeps = distinct[0] >= 0 and distinct[-1] <= MAX_SEGMENTS and not settings.invert
    keeps = keeps and settings.background is BackgroundSegment.DARKEST and np.all(distinct % 1 == 0)
    if keeps:
        cells = _map_bands(planes, number_colours, check)
        return cells, None, _counted(int(np.count_nonzero(distinct)), noun)
    order = distinct[::-1] if settings.invert else distinct
    ranks = np.argsort(order)

    def rule(part: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return ranks[np.searchsorted(distinct, number_colours(part))]

    zero = int(np.searchsorted(distinct, 0))
    has_zero = zero < distinct.size and distinct[zero] == 0
    darkest = int(ranks[zero]) if has_zero else None
    if distinct.size > MAX_SEGMENTS + 1:
        raise InputError(_too_many(noun))
    cells = _map_bands(planes, rule, check)
    counts = count_occurrences(cells.ravel(), 256, check)
    chosen = (
        darkest
        if settings.background is BackgroundSegment.DARKEST
        else _choose_background(counts, settings)
    )
    segments = distinct.size - (chosen is not None)
    if segments > MAX_SEGMENTS:
        raise InputError(_too_many(noun))
    return _renumber(cells, chosen), None, _counted(segments, noun)


_MAKERS: dict[ImportKind, Callable[[PictureSource, ImportSettings, Crop, Check], _Made]] = {
    ImportKind.BINARY: _divide,
    ImportKind.LEVELS: _grade,
    ImportKind.VALUES: _separate,
}


def _take_channel(picture: Picture, channel: Channel) -> npt.NDArray[Any]:
    if channel is Channel.LUMA:
        return to_grey(picture.planes)
    if channel is Channel.ALPHA and picture.alpha is not None:
        return picture.alpha
    index = (Channel.RED, Channel.GREEN, Channel.BLUE).index(channel)
    plane: npt.NDArray[Any] = picture.planes[..., index]
    return plane


def _cut(values: npt.NDArray[Any], box: Crop) -> npt.NDArray[Any]:
    return values[box.y : box.y + box.height, box.x : box.x + box.width]


def _map_bands(
    values: npt.NDArray[Any], rule: Callable[[npt.NDArray[Any]], npt.NDArray[Any]], check: Check
) -> Grid:
    cells = np.empty(values.shape[:2], np.uint8)
    for rows in split_into_bands(cells.shape, _PART):
        check()
        cells[rows] = rule(values[rows])
    return cells


def _find_distinct(planes: npt.NDArray[Any], noun: str, check: Check) -> npt.NDArray[Any]:
    numbers: npt.NDArray[Any] | None = None
    for rows in split_into_bands(planes.shape[:2], _PART):
        check()
        band_numbers = np.unique(number_colours(planes[rows]))
        numbers = band_numbers if numbers is None else np.union1d(numbers, band_numbers)
        if numbers.size > MAX_SEGMENTS + 1:
            raise InputError(_too_many(noun))
    if numbers is None:
        raise InputError("The picture is empty: give it at least one pixel.")
    return numbers


def _too_many(noun: str) -> str:
    return (
        f"The picture holds more than {MAX_SEGMENTS} {noun}, the most segments of a grid: choose "
        "levels of grey, or a smaller part."
    )


def _counted(count: int, noun: str) -> str:
    return f"Segments of equal {noun}: {count}."


def _choose_background(counts: npt.NDArray[np.int64], settings: ImportSettings) -> int | None:
    """Return the rank of the values that become background."""
    if settings.background is BackgroundSegment.NONE:
        return None
    return int(counts.argmax()) if settings.background is BackgroundSegment.COMMONEST else 0


def _renumber(cells: Grid, background: int | None) -> Grid:
    """Turn ranks into segments: `background` becomes 0, the rest 1, 2, ... in order."""
    table = np.arange(1, 257)
    if background is not None:
        table[background] = 0
        table[background + 1 :] -= 1
    renumbered: Grid = table.astype(np.uint8)[cells]
    return renumbered


def _find_starts(
    settings: ImportSettings, box: Crop, size: tuple[int, int]
) -> tuple[Starts, Starts]:
    if settings.target is None and settings.factor < -1:
        return find_block_starts(box.height, -settings.factor), find_block_starts(
            box.width, -settings.factor
        )
    return find_even_starts(box.height, size[1]), find_even_starts(box.width, size[0])
