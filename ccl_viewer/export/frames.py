"""Whole frames: one grid or several side by side, each with a legend and a caption below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import LabelLayout, LaunchStructure
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import NOT_BEGUN
from ccl_viewer.recording.metrics import find_wrong_at_end
from ccl_viewer.render import geometry, legend, scene
from ccl_viewer.render.display_list import (
    BASELINE,
    DisplayList,
    Item,
    Layer,
    Rects,
    Texts,
    as_boxes,
)
from ccl_viewer.render.facts import step_caption
from ccl_viewer.render.forest import Mask
from ccl_viewer.render.layers import COUNTED, LAYER_PREFIX, SWITCHES, CellColours, Layers, Numbers
from ccl_viewer.render.painters import pillow
from ccl_viewer.render.palette import Colouring, colour_run
from ccl_viewer.render.step_view import (
    Marks,
    Placement,
    RecordingLabels,
    Sampler,
    StepView,
    ViewOptions,
    view_step,
)
from ccl_viewer.render.themes import (
    DIMMED,
    FIRST_DEPTH,
    THIN,
    CanvasTheme,
    canvas_colours,
    canvas_theme,
    mix_colours,
    pack_colour,
)
from ccl_viewer.support.cancellation import Check, never_cancel

PAD: Final = 20
"""Pixels around a grid and its caption."""

BAR: Final = 3
"""Height of the progress bar, in pixels."""

GAP: Final = 12
"""Pixels above and below the bar."""

_TARGET: Final = 640
_TARGET_BESIDE: Final = 480
_LARGEST_CELL: Final = 56
_NARROWEST: Final = 440  # captions of usual length fit in one line
_NARROWEST_BESIDE: Final = 320
_WIDE: Final = 2
_COLUMNS: Final = {1: 1, 2: 2, 3: 3, 4: 2}
_LEADING: Final = 3
_BETWEEN: Final = 3
_TITLE: Final = 19
_BODY: Final = 15
_SMALL: Final = 13
_SAMPLES: Final = 6
_KEPT: Final = 1 << 24  # pixels of samples that are kept rather than painted twice
_WIDER: Final = 1.08  # margin: SVG viewers may use a wider typeface
_METRICS: Final = legend.LegendMetrics(
    lambda text, size: _WIDER * pillow.measure(text, size), _SMALL
)


@dataclass(frozen=True)
class FrameStyle:
    """The look of frames.

    Parameters
    ----------
    scale : int or None
        Pixels per cell; None for about 640 pixels on the longer side of a grid, 480 side by side.
    theme : str
        ``"dark"`` or ``"light"``.
    caption : bool
        Whether there are legends and captions.
    numbers : str
        ``"auto"`` writes numbers where they are legible, ``"on"`` makes cells large enough for
        them, ``"off"`` leaves them out.
    layers : Layers
        The layers to draw.
    pin : tuple of int or None
        Column and row of a cell of the pinned component.
    follow : tuple of (int, int)
        Columns and rows of cells with paths to their roots, for layers without all arrows.
    highlight : tuple of (int, int)
        Columns and rows of cells that are marked.
    """

    scale: int | None = None
    theme: str = "dark"
    caption: bool = True
    numbers: Literal["auto", "on", "off"] = "auto"
    layers: Layers = Layers()  # noqa: RUF009 (it is immutable)
    pin: Cell | None = None
    follow: tuple[Cell, ...] = ()
    highlight: tuple[Cell, ...] = ()

    @property
    def visible_layers(self) -> Layers:
        """The layers; without numbers if these are off."""
        off = self.numbers == "off"
        return replace(self.layers, numbers=Numbers.NONE) if off else self.layers


def check_layers(
    recording: Recording, layers: Layers, pin: Cell | None = None, follow: Sequence[Cell] = ()
) -> None:
    """Refuse layers and cells that no picture of a run can show.

    Raises
    ------
    InputError
        If the numbers are of an array that was not recorded, or a cell is outside the grid.
    """
    name = layers.numbers.removeprefix(LAYER_PREFIX)
    if name != layers.numbers and name not in recording.layers:
        recording.layer(name, -1)  # its error lists the recorded arrays
    height, width = recording.image.shape
    for x, y in (*follow, *(() if pin is None else (pin,))):
        if not (0 <= x < width and 0 <= y < height):
            raise InputError(
                f"Column {x}, row {y} is outside the grid of {width} x {height} cells: "
                "choose a cell inside it, counted from 0."
            )


class FrameRenderer:
    """Makes display lists of frames of one size, and paints them with one palette.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs, side by side.
    frames : sequence of tuple of int
        The step of each recording, for each frame.
    style : FrameStyle or None
        The look.
    check : callable
        Called before each frame and while colours are chosen; may raise to stop the work.

    Raises
    ------
    InputError
        If the theme is unknown, the scale is below 1, or requested numbers are not legible.

    Attributes
    ----------
    scale : int
        Pixels per cell.
    size : tuple of int
        Width and height of the frames, in pixels.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        frames: Sequence[Sequence[int]],
        style: FrameStyle | None = None,
        check: Check = never_cancel,
    ) -> None:
        self._check = check
        self._style = style = FrameStyle() if style is None else style
        self._frames = frames
        self._theme = canvas_theme(style.theme)
        for recording in recordings:
            check_layers(recording, style.layers, style.pin, style.follow)
        self.scale = _scale(recordings, style)
        alone = len(recordings) == 1
        margin = PAD if style.caption or not alone else 0
        boxes = [_grid_box(recording, style, self.scale) for recording in recordings]
        grid = max(box[2] for box in boxes), max(box[3] for box in boxes)
        narrowest = _NARROWEST if alone else _NARROWEST_BESIDE
        self._width = max(grid[0], narrowest) if style.caption else grid[0]
        captions = [
            _Caption(recording, style, self.scale, self._width, self._theme)
            for recording in recordings
        ]
        below = self._caption_height(captions) if style.caption else 0
        columns = 1 if grid[0] > _WIDE * grid[1] else _COLUMNS[len(recordings)]
        across, down = self._width + margin, grid[1] + below + margin
        rows = -(-len(recordings) // columns)
        self.size = columns * across + margin, rows * down + margin
        self._panes = []
        for place, (recording, box, caption) in enumerate(
            zip(recordings, boxes, captions, strict=True)
        ):
            row, column = divmod(place, columns)
            side, top = column * across + margin, row * down + margin
            pane = self._place_pane(recording, box, side, top)
            self._panes.append((pane, caption, side, top + grid[1]))
        self._painter = pillow.PicturePainter()
        self._painted: dict[int, npt.NDArray[np.uint8]] = {}  # samples for the palette

    def _caption_height(self, captions: Sequence[_Caption]) -> int:
        """Return the height of the tallest caption of any frame."""
        return max(
            caption.height([frame[place] for frame in self._frames])
            for place, caption in enumerate(captions)
        )

    def _place_pane(
        self, recording: Recording, box: tuple[int, int, int, int], side: int, top: int
    ) -> _Pane:
        """Return a run's pane, with its grid in the middle of its column."""
        left = side + (self._width - box[2]) // 2
        placement = Placement(self.scale, left + box[0], top + box[1], *self.size)
        return _Pane(recording, self._style, placement, self._theme, self._check)

    def display_list(self, number: int) -> DisplayList:
        """Return the display list of a frame; frames count from 0."""
        self._check()
        layers: list[Layer] = []
        for step, (pane, caption, side, below) in zip(
            self._frames[number], self._panes, strict=True
        ):
            view = pane.view(step)
            layers += scene.build_base(view, pane.cache).layers
            if self._style.highlight:
                layers += scene.build_overlay(view).layers
            if self._style.caption:
                layers.append(Layer("caption", tuple(caption.items(view, step, side, below))))
        width, height = self.size
        return DisplayList(width, height, pack_colour(self._theme.canvas), tuple(layers))

    def picture(self, number: int) -> pillow.Picture:
        """Paint a frame as ``0xAARRGGBB``, shape (height, width)."""
        return self._painter.paint(self.display_list(number))

    def indices(self, number: int) -> npt.NDArray[np.uint8]:
        """Paint a frame as indices into :attr:`palette`, shape (height, width)."""
        palette = self._palette
        painted = self._painted.pop(number, None)
        return palette.indices(self.picture(number)) if painted is None else painted

    @property
    def palette(self) -> npt.NDArray[np.uint8]:
        """Colours of the indices, ``uint8`` of shape (256, 3); the last is not used."""
        return self._palette.rgb

    @cached_property
    def _palette(self) -> pillow.FramePalette:
        count = len(self._frames)
        looked_at = sorted({round(place) for place in np.linspace(0, count - 1, _SAMPLES)})
        if self.size[0] * self.size[1] * len(looked_at) > _KEPT:
            return pillow.FramePalette(self._find_needed_colours(), map(self.picture, looked_at))
        pictures = {number: self.picture(number) for number in looked_at}
        palette = pillow.FramePalette(self._find_needed_colours(), pictures.values())
        self._painted = {number: palette.indices(shown) for number, shown in pictures.items()}
        return palette

    def _find_needed_colours(self) -> Iterator[int]:
        """Yield the colours that any frame may have, even on tiny areas."""
        layers, theme = self._style.layers, self._theme
        table = canvas_colours(theme, layers.strength).table
        shaded = layers.colours in {CellColours.DEPTH, *COUNTED}
        count = THIN if shaded else FIRST_DEPTH
        banks = [0]
        if self._style.pin is not None and layers.only:
            banks.append(DIMMED)
        for bank in banks:
            yield from table[bank : bank + count].tolist()
        for rgb in (theme.canvas, theme.text, theme.dim, theme.accent, theme.error):
            yield pack_colour(rgb)


def draw_thumbnail(recording: Recording, step: int, theme: str = "light") -> npt.NDArray[np.uint8]:
    """Paint one step as a small picture without caption; a pixel may cover several cells.

    Parameters
    ----------
    recording : Recording
        The run.
    step : int
        Index of the step.
    theme : str
        ``"dark"`` or ``"light"``.

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)
        Red, green and blue; the longer side has up to 640 pixels.
    """
    height, width = recording.image.shape
    scale: float = auto_scale(height, width)
    if scale * max(height, width) > _TARGET:
        scale = _TARGET / max(height, width)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    colours = canvas_theme(theme)
    style = FrameStyle(layers=Layers(colours=CellColours.TREE))
    pane = _Pane(recording, style, Placement(scale, 0, 0, *size), colours)
    layers = scene.build_base(pane.view(step), pane.cache).layers
    painted = pillow.PicturePainter().paint(
        DisplayList(*size, pack_colour(colours.canvas), tuple(layers))
    )
    return np.stack([painted >> shift & 0xFF for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


class _Pane:
    """The views of one run in a frame."""

    def __init__(
        self,
        recording: Recording,
        style: FrameStyle,
        placement: Placement,
        theme: CanvasTheme,
        check: Check = never_cancel,
    ) -> None:
        self._check = check
        self.cache = scene.SceneCache()
        self._recording = recording
        self._style = style
        self._sample = Sampler().sample(recording.image, placement)
        self._labels = RecordingLabels()
        self._theme = theme

    def view(self, step: int) -> StepView:
        """Return the view of a step."""
        options = ViewOptions(
            self._style.visible_layers,
            self._colouring,
            self._theme,
            _SMALL,
            pin=self._style.pin,
            wrong=self._wrong if step == len(self._recording) - 1 else None,
            marks=Marks(self._style.highlight, self._style.follow),
        )
        return view_step(self._labels, self._recording, step, self._sample, options)

    @cached_property
    def _wrong(self) -> Mask | None:
        return find_wrong_at_end(self._recording)

    @cached_property
    def _colouring(self) -> Colouring:
        return colour_run(self._recording, check=self._check)


@dataclass(frozen=True)
class _Row:
    """A line of text: what, how large, its colour, pixels to the next, and a text at its right."""

    text: str
    size: int
    colour: int
    height: int
    right: str = ""


@dataclass(frozen=True)
class _Caption:
    """The caption below one grid: progress, legend, and the step in words."""

    recording: Recording
    style: FrameStyle
    scale: int
    width: int
    theme: CanvasTheme

    def height(self, steps: Sequence[int]) -> int:
        """Return the largest height of the captions of some steps."""
        text = max(sum(row.height for row in self._rows(step)) for step in set(steps))
        kinds = {
            ()
            if step == NOT_BEGUN
            else self.style.visible_layers.drawn_structures(self.recording.step(step).structures)
            for step in steps
        }
        legends = max(len(self._legend(self._choose_fullest(kind))) for kind in kinds)
        height = legends * _METRICS.line + (GAP if legends else 0)
        return round(height) + 2 * GAP + BAR + text - _BETWEEN - _LEADING

    def items(self, view: StepView, step: int, left: int, top: int) -> Iterator[Item]:
        """Yield the caption of a step, at a corner."""
        width, theme = self.width, self.theme
        done = round(width * (step + 1) / len(self.recording))
        track = pack_colour(mix_colours(theme.canvas, theme.dim, 0.3))
        bar = as_boxes([[left, top + GAP, left + width, top + GAP + BAR]])
        yield Rects(bar, fill=track)
        yield Rects(
            as_boxes([[left, top + GAP, left + done, top + GAP + BAR]]), pack_colour(theme.accent)
        )
        y = top + 2 * GAP + BAR
        if rows := self._legend(scene.legend_contents(view)):
            colours = canvas_colours(theme, self.style.layers.strength)
            yield from legend.draw_rows(rows, _METRICS, left, y - GAP / 2, colours)
            y += round(len(self._legend(self._choose_fullest(view.structures))) * _METRICS.line)
        for row in self._rows(step):
            middle = y + pillow.ascent(row.size) - BASELINE * row.size
            place = np.array([[left, middle]], np.float64)
            yield Texts((row.text,), place, row.size, row.colour, "left")
            if row.right:
                end = np.array([[left + width, middle]], np.float64)
                yield Texts((row.right,), end, _BODY, pack_colour(theme.dim), "right")
            y += row.height

    def _legend(self, shown: legend.LegendContents) -> list[list[legend.LegendItem]]:
        items = [item for item in legend.legend_items(shown) if not item.dim]
        return legend.break_into_rows(items, _METRICS, self.width)

    def _choose_fullest(self, structures: tuple[LaunchStructure, ...]) -> legend.LegendContents:
        """Return the contents of the longest legend, for which frames leave room."""
        layers = self.style.visible_layers
        if self.style.follow:
            layers = replace(layers, arrows=True)
        verdict = self.recording.verdict
        return legend.LegendContents(
            layers,
            layers.colours,
            self.scale,
            self.recording.layout,
            structures,
            numbers=numbers_fit(self.scale, self.recording.layout),
            drawn=[name for name in SWITCHES if layers.shows(name)],
            wrong=verdict.wrong_cells if verdict and self.recording.converged else 0,
        )

    def _rows(self, step: int) -> list[_Row]:
        caption = step_caption(self.recording, step)
        text, dim = pack_colour(self.theme.text), pack_colour(self.theme.dim)
        beside = self.width - pillow.width_of(caption.place, _BODY) - PAD
        title, *more = _block(caption.title, _TITLE, text, beside)
        rows = [replace(title, right=caption.place), *more]
        rows += _block(caption.step, _BODY, text, self.width)
        rows += _block(caption.counts, _BODY, text, self.width)
        rows += _block(caption.setting, _SMALL, dim, self.width)
        rows += _block(caption.result, _BODY, text, self.width)
        if caption.error is not None:
            rows += _block(caption.error, _BODY, pack_colour(self.theme.error), self.width)
        return rows


def _block(text: str, size: int, colour: int, width: int) -> list[_Row]:
    if not text:
        return []
    height = pillow.line_height(size) + _LEADING
    rows = [_Row(part, size, colour, height) for part in pillow.wrap_text(text, size, width)]
    return [*rows[:-1], replace(rows[-1], height=height + _BETWEEN)]


def auto_scale(height: int, width: int, target: int = _TARGET) -> int:
    """Return the pixels per cell that make the longer side about 640 pixels, or another target."""
    return min(_LARGEST_CELL, max(1, target // max(height, width)))


def numbers_fit(scale: float, layout: LabelLayout) -> bool:
    """Return whether the numbers of a run are legible in cells of a size."""
    return scene.number_size(scale, _digits(layout)) is not None


def smallest_number_scale(layout: LabelLayout) -> int:
    """Return the fewest pixels per cell at which all numbers are legible."""
    scale = int(geometry.NUMBERS_FROM)
    while not numbers_fit(scale, layout):
        scale += 1
    return scale


def _digits(layout: LabelLayout) -> int:
    last = layout.addresses(layout.height * layout.width - 1)
    return max(len(str(last)), len(str(layout.background)))


def _grid_box(recording: Recording, style: FrameStyle, scale: int) -> tuple[int, int, int, int]:
    """Return the place of cell (0, 0) in the box of a grid, and the size of the box."""
    layout = recording.layout
    window = (0, 0, layout.width, layout.height)
    if style.layers.structure:
        window = geometry.buffer_window(layout)
    line = int(style.layers.lines and scale >= geometry.LINES_FROM)
    width, height = window[2] - window[0], window[3] - window[1]
    return -window[0] * scale, -window[1] * scale, width * scale + line, height * scale + line


def _scale(recordings: Sequence[Recording], style: FrameStyle) -> int:
    target = _TARGET if len(recordings) == 1 else _TARGET_BESIDE
    shapes = [(recording.layout.height, recording.layout.width) for recording in recordings]
    auto = min(auto_scale(height, width, target) for height, width in shapes)
    if style.scale is not None and style.scale < 1:
        raise InputError(f"A cell takes at least 1 pixel, not {style.scale}.")
    if style.numbers != "on":
        return auto if style.scale is None else style.scale
    least = max(smallest_number_scale(recording.layout) for recording in recordings)
    if style.scale is None:
        return max(least, auto)
    if style.scale < least and not all(
        numbers_fit(style.scale, recording.layout) for recording in recordings
    ):
        raise InputError(
            f"Numbers are not legible in cells of {style.scale} pixels: choose a scale of {least} "
            "or more, or leave the numbers out."
        )
    return style.scale
