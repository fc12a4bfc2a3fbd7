"""Colours of labels and depths, and two themes for everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Stage, StageLevel
from ccl_viewer.support.label_colours import OKABE_ITO, Rgb


def mix_colours(first: Rgb, second: Rgb, share: float) -> Rgb:
    """Return a mix of two colours, with `share` of the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


BACKGROUND: Final = 0
UNLABELLED: Final = 1
FIRST_COLOUR: Final = 2

HUES: Final = OKABE_ITO
"""The plain colours of labels, and the colours of values."""

_DOTTED: Final = (2, 3, 4, 5, 6)
_SHADE: Final = 0.35

LABEL_COLOURS: Final[tuple[Rgb, ...]] = (
    *HUES,
    *(mix_colours(HUES[hue], (0, 0, 0), _SHADE) for hue in _DOTTED),
)
"""The colours of labels: the hues, and darker colours with dots of the hue in large cells.

Dotted colours are for labels near which all hues are taken. Two hues have no dotted colour, because
it would look like another colour under a colour-vision deficiency.
"""

FIRST_DOTTED: Final = FIRST_COLOUR + len(HUES)
"""Palette index of the first dotted colour."""

DOTS: Final = tuple(FIRST_COLOUR + hue for hue in _DOTTED)
"""Palette indices of the dots of the dotted colours, in order."""

FIRST_DEPTH: Final = FIRST_COLOUR + len(LABEL_COLOURS)
"""Palette index of depth 0."""

DEEPEST: Final = 12
"""Smallest depth with the last colour."""

FIRST_COUNT: Final = FIRST_DEPTH + DEEPEST + 1
"""Palette index of a count of 1."""

COUNT_SHADES: Final = 9
"""One shade for each power of two: 1, 2 to 3, 4 to 7, ...; the last for all counts from 256."""

THIN: Final = 36
"""Added to an index if many cells of a pixel are background; twice, if most are."""

DIMMED: Final = 3 * THIN
"""Added to an index for a dimmed colour."""

_THIN_SHARES: Final = (0.0, 0.3, 0.6)
DIMMED_SHARE: Final = 0.8
_DEPTH_ANCHORS: Final[tuple[Rgb, ...]] = (
    (255, 236, 143),
    (247, 176, 82),
    (221, 106, 94),
    (156, 76, 138),
    (92, 70, 156),
    (66, 84, 132),
)  # lightness falls, so the order is visible under every colour-vision deficiency
_COUNT_ANCHORS: Final[tuple[Rgb, ...]] = (
    (74, 22, 98),
    (62, 82, 142),
    (34, 142, 140),
    (98, 198, 100),
    (250, 228, 60),
)  # lightness rises


@dataclass(frozen=True)
class CanvasTheme:
    """Colours around the labels.

    `canvas` is for the area around the grid and between cells, `unlabelled` for foreground without
    a label, `dim` for secondary text, `accent` for progress, `panel` for the legend's background,
    and `led` for frames around cells that a lesson points at.
    """

    name: str
    canvas: Rgb
    background: Rgb
    unlabelled: Rgb
    text: Rgb
    dim: Rgb
    accent: Rgb
    error: Rgb
    panel: Rgb
    ok: Rgb
    led: Rgb


_ROLES: Final[Mapping[str, tuple[Rgb, Rgb]]] = {
    "canvas": ((21, 23, 28), (250, 250, 251)),
    "background": ((38, 42, 51), (228, 231, 236)),
    "unlabelled": ((138, 146, 160), (133, 141, 154)),
    "text": ((230, 233, 238), (26, 30, 38)),
    "dim": ((160, 169, 184), (86, 96, 112)),
    "accent": ((90, 169, 255), (23, 99, 198)),
    "error": ((255, 123, 123), (194, 38, 38)),
    "panel": ((30, 33, 40), (255, 255, 255)),
    "ok": ((96, 208, 148), (20, 125, 70)),
    "led": ((255, 216, 74), (154, 91, 0)),
}  # in the dark and in the light theme
DARK: Final = CanvasTheme("dark", **{role: dark for role, (dark, _) in _ROLES.items()})
LIGHT: Final = CanvasTheme("light", **{role: light for role, (_, light) in _ROLES.items()})
THEMES: Final[Mapping[str, CanvasTheme]] = MappingProxyType(
    {theme.name: theme for theme in (DARK, LIGHT)}
)


def canvas_theme(name: str) -> CanvasTheme:
    """Return a theme by its name; raise InputError if it does not exist."""
    if name not in THEMES:
        raise InputError(f"There is no theme {name!r}: choose {' or '.join(THEMES)}.")
    return THEMES[name]


def ink_over(paper: Rgb) -> Rgb:
    """Return black or white, whichever contrasts more with a colour.

    It compares the relative luminance of WCAG 2 with 0.179, where both contrasts are equal.
    """
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in paper)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (12, 14, 18) if luminance > 0.179 else (244, 246, 249)


def depth_indices(
    depths: npt.NDArray[np.int32], foreground: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint8]:
    """Return the palette index of each cell by its depth from ``forest.roots_and_depths``.

    Background has index 0, foreground without a label 1.
    """
    shades = np.where(depths < 0, UNLABELLED, np.minimum(depths, DEEPEST) + FIRST_DEPTH)
    return np.multiply(shades, foreground, dtype=np.int32).astype(np.uint8)


def count_indices(
    counts: npt.NDArray[np.int32], foreground: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint8]:
    """Return the palette index of each cell by a count; equal in all runs and steps.

    Cells that were not counted have index 0 on background, 1 elsewhere.
    """
    _, digits = np.frexp(counts.astype(np.float64))  # binary digits of the count
    shades = np.minimum(digits, COUNT_SHADES) + (FIRST_COUNT - 1)
    return np.where(counts > 0, shades, foreground * UNLABELLED).astype(np.uint8)


def input_indices(values: npt.NDArray[np.uint8], *, multivalued: bool) -> npt.NDArray[np.uint8]:
    """Return the palette indices of the grid's cells: grey, or a colour for each value."""
    if not multivalued:
        plain: npt.NDArray[np.uint8] = np.multiply(values != 0, UNLABELLED, dtype=np.uint8)
        return plain
    colours = (values - np.uint8(1)) % np.uint8(len(HUES)) + np.uint8(FIRST_COLOUR)
    coloured: npt.NDArray[np.uint8] = np.multiply(colours, values != 0, dtype=np.uint8)
    return coloured


def _shades(anchors: Sequence[Rgb], count: int) -> npt.NDArray[np.float64]:
    """Return `count` colours at equal distances between given ones."""
    at = np.linspace(0, len(anchors) - 1, count)
    channels = zip(*anchors, strict=True)
    return np.transpose([np.interp(at, range(len(anchors)), channel) for channel in channels])


@dataclass(frozen=True, eq=False)
class CanvasColours:
    """The colours of a theme for painters, ``0xAARRGGBB``."""

    theme: CanvasTheme
    strength: float = 1.0  # share of a cell's colour, 0 to 1; the rest shows the input

    @cached_property
    def rgb_table(self) -> npt.NDArray[np.uint8]:
        """Colours of palette indices, ``uint8`` of shape (256, 3)."""
        theme = self.theme
        plain = np.empty((THIN, 3), np.float64)
        plain[:] = theme.canvas
        plain[:FIRST_DEPTH] = (theme.background, theme.unlabelled, *LABEL_COLOURS)
        plain[FIRST_DEPTH:FIRST_COUNT] = _shades(_DEPTH_ANCHORS, DEEPEST + 1)
        plain[FIRST_COUNT : FIRST_COUNT + COUNT_SHADES] = _shades(_COUNT_ANCHORS, COUNT_SHADES)
        plain[FIRST_COLOUR:] += (np.array(theme.unlabelled) - plain[FIRST_COLOUR:]) * (
            1 - self.strength
        )
        table = np.empty((DIMMED // THIN + 1, THIN, 3))
        for index, share in enumerate(_THIN_SHARES):
            table[index] = plain + (np.array(theme.background) - plain) * share
        table[DIMMED // THIN] = plain + (np.array(theme.canvas) - plain) * DIMMED_SHARE
        colours = np.empty((256, 3), np.uint8)
        colours[:] = theme.canvas
        colours[: table.size // 3] = np.rint(table).reshape(-1, 3)
        return colours

    @cached_property
    def table(self) -> npt.NDArray[np.uint32]:
        """Colours of palette indices, ``uint32`` of shape (256,)."""
        weights = np.array([1 << 16, 1 << 8, 1], np.uint32)
        table: npt.NDArray[np.uint32] = self.rgb_table @ weights | np.uint32(0xFF000000)
        return table

    @cached_property
    def inks(self) -> tuple[int, ...]:
        """Colours of numbers on each palette index."""
        inks = [pack_colour(ink_over(_rgb(row))) for row in self.rgb_table]
        faint = pack_colour(mix_colours(self.theme.dim, self.theme.canvas, 0.6))
        inks[DIMMED : DIMMED + THIN] = [faint] * THIN
        inks[BACKGROUND] = pack_colour(self.theme.dim)
        return tuple(inks)

    @cached_property
    def arrows(self) -> tuple[int, ...]:
        """Colours of arrows from cells of each palette index, in contrast to it."""
        to, share = ((255, 255, 255), 0.35) if self._dark else ((0, 0, 0), 0.3)
        return tuple(pack_colour(mix_colours(_rgb(row), to, share)) for row in self.rgb_table)

    @property
    def bold(self) -> int:
        """Colour of lines over cells."""
        return pack_colour((255, 255, 255) if self._dark else (17, 19, 24))

    @property
    def halo(self) -> int:
        """Colour of the halo that separates such lines from cells of any colour."""
        return pack_colour((10, 12, 16) if self._dark else (255, 255, 255))

    @property
    def padding(self) -> tuple[int, int]:
        """Colours of cells around the grid, and of their hatching."""
        theme = self.theme
        ground = mix_colours(theme.canvas, theme.background, 0.55)
        return pack_colour(ground), pack_colour(mix_colours(theme.canvas, theme.dim, 0.4))

    @property
    def _dark(self) -> bool:
        return self.theme.name == "dark"


@lru_cache(maxsize=16)
def canvas_colours(theme: CanvasTheme, strength: float = 1.0) -> CanvasColours:
    return CanvasColours(theme, strength)


def pack_colour(rgb: Rgb) -> int:
    """Return an opaque colour as ``0xAARRGGBB``."""
    return 0xFF << 24 | rgb[0] << 16 | rgb[1] << 8 | rgb[2]


def _rgb(row: npt.NDArray[np.uint8]) -> Rgb:
    red, green, blue = row.tolist()
    return red, green, blue


STAGE_COLORS: Final[Mapping[Stage, str]] = MappingProxyType(
    {
        Stage.INIT: "#8d99ae",
        Stage.PROPAGATE: "#2fa98c",
        Stage.SCAN: "#3f9be0",
        Stage.ANALYSIS: "#e0912f",
        Stage.LABEL: "#b9a41e",
        Stage.TILE: "#6a8fd8",
        Stage.MERGE: "#d0628f",
        Stage.FLATTEN: "#a5763f",
        Stage.STRIP: "#3f9be0",
        Stage.STRIP_MERGE: "#d8683c",
        Stage.RELABEL: "#3fae5c",
        Stage.FEATURES: "#9270d6",
        Stage.ROWS: "#2fa98c",
        Stage.COLUMNS: "#b97ae0",
        Stage.HORIZONTAL_MERGE: "#d0628f",
        Stage.VERTICAL_MERGE: "#d8683c",
        Stage.KERNEL_1: "#6a8fd8",
        Stage.KERNEL_2: "#d0628f",
        Stage.KERNEL_3: "#a5763f",
        Stage.KERNEL_4: "#3fae5c",
    }
)
"""Colour of each stage, readable under white and black text and in both themes."""

_LIGHTER: Final = 0.22  # share of white added at each level


@lru_cache(maxsize=256)
def stage_colour(at: StageLevel) -> str:
    """Return the colour of a stage; higher levels of a merge are lighter."""
    red, green, blue = bytes.fromhex(STAGE_COLORS[at.stage][1:])
    share = 1 - (1 - _LIGHTER) ** ((at.level or 1) - 1)
    return "#{:02x}{:02x}{:02x}".format(*mix_colours((red, green, blue), (255, 255, 255), share))


_RING: Final = "M2 50a48 48 0 1 0 96 0a48 48 0 1 0-96 0z"

STAGE_PATHS: Final[Mapping[Stage, str]] = MappingProxyType(
    {
        Stage.INIT: _RING,
        Stage.PROPAGATE: "M8 0L100 50L8 100z",
        Stage.SCAN: "M50 2L100 95H0z",
        Stage.ANALYSIS: "M50 -4L104 50L50 104L-4 50z",
        Stage.LABEL: "M8 8h84v84h-84z",
        Stage.TILE: "M0 0h43v43h-43zM57 0h43v43h-43zM0 57h43v43h-43zM57 57h43v43h-43z",
        Stage.MERGE: "M0 0L50 40L100 0V100L50 60L0 100z",
        Stage.FLATTEN: "M0 34h100v32h-100z",
        Stage.STRIP: "M0 2h100v22h-100zM0 39h100v22h-100zM0 76h100v22h-100z",
        Stage.STRIP_MERGE: "M0 2h100v22h-100zM39 24h22v52h-22zM0 76h100v22h-100z",
        Stage.RELABEL: _RING + "M26 50a24 24 0 1 0 48 0a24 24 0 1 0-48 0z",
        Stage.FEATURES: "M50 0L63 36H100L71 59L82 96L50 74L18 96L29 59L0 36H37z",
        Stage.ROWS: "M0 34H54V8L100 50L54 92V66H0z",
        Stage.COLUMNS: "M34 0V54H8L50 100L92 54H66V0z",
        Stage.HORIZONTAL_MERGE: "M0 0L40 50L0 100H100L60 50L100 0z",
        Stage.VERTICAL_MERGE: "M0 0L50 40L100 0V100L50 60L0 100z",
        Stage.KERNEL_1: "M24 14L46 0H62V82H82V100H22V82H42V24L24 34z",
        Stage.KERNEL_2: "M14 0H86V58H34V82H86V100H14V41H66V18H14z",
        Stage.KERNEL_3: "M14 0H86V100H14V82H66V58H28V41H66V18H14z",
        Stage.KERNEL_4: "M14 0H34V44H64V0H84V100H64V62H14z",
    }
)
"""Each stage's mark as an SVG path in a square of size 100, filled even-odd."""
