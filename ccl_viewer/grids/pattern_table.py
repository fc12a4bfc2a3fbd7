"""The table of patterns: grids that are computed, each with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ccl_viewer.grids import pattern_curves, pattern_shapes, pattern_textures
from ccl_viewer.grids.pattern_type import MAX_SIDE, Pattern, PatternParameter

_MAX_VALUES = 255
_MAX_CORRIDORS = 4096  # drawing a maze takes about a hundred bytes per cell


def _whole(name: str, title: str, text: str, default: int, low: int, high: int) -> PatternParameter:
    return PatternParameter(name, title, text, default, low, high)


def _values(default: int) -> PatternParameter:
    return _whole("values", "Values", "Number of values.", default, 1, _MAX_VALUES)


def _grain(default: int, text: str) -> PatternParameter:
    return _whole("grain", "Grain", text, default, 1, MAX_SIDE)


def _size(default: int) -> PatternParameter:
    return _whole("size", "Size", "Width and height in cells.", default, 1, MAX_SIDE)


_WIDTH = _whole("width", "Width", "Width in cells.", 64, 1, MAX_SIDE)
_HEIGHT = _whole("height", "Height", "Height in cells.", 64, 1, MAX_SIDE)
_SEED = _whole("seed", "Seed", "Seed of the Mersenne Twister (MT19937).", 0, 0, 2**32 - 1)

_TABLE = (
    Pattern(
        "shibata",
        "Shibata's Figure 2",
        "The 10 x 10 example that Shibata's article follows step by step.",
        pattern_shapes.shibata,
    ),
    Pattern(
        "spiral",
        "Spiral",
        "One arm, one cell wide, wound from the top left corner to the middle: a single component "
        "with its ends as far apart as possible.",
        pattern_shapes.spiral,
        (
            _size(63),
            PatternParameter(
                "anticlockwise",
                "Anticlockwise",
                "1 begins downwards, 0 to the right.",
                0,
                0,
                1,
                bool,
            ),
        ),
    ),
    Pattern(
        "zigzag",
        "Zigzag spiral",
        "A spiral with teeth along its arm: a single 8-connected component without the long "
        "straight lines that speed a scan up.",
        pattern_shapes.zigzag,
        (
            _size(64),
            _whole("amplitude", "Amplitude", "Height of the teeth in cells.", 3, 1, 64),
        ),
    ),
    Pattern(
        "serpentine",
        "Serpentine",
        "One path that goes back and forth: a single component in which a label has to travel "
        "every row.",
        pattern_curves.serpentine,
        (_WIDTH, _HEIGHT, _whole("gap", "Gap", "Cells between two rows.", 1, 1, MAX_SIDE)),
    ),
    Pattern(
        "hilbert",
        "Hilbert's curve",
        "A path that fills the square and never leaves a neighbourhood before it is full: near in "
        "the grid, far along the path.",
        pattern_curves.hilbert,
        (_whole("order", "Order", "Levels of recursion.", 5, 1, 12),),
    ),
    Pattern(
        "maze",
        "Maze",
        "Passages without loops: one component with exactly one path between any two cells.",
        pattern_curves.maze,
        (
            _whole("width", "Width", "Width in cells.", 63, 1, _MAX_CORRIDORS),
            _whole("height", "Height", "Height in cells.", 63, 1, _MAX_CORRIDORS),
            _SEED,
        ),
    ),
    Pattern(
        "diagonals",
        "Diagonal chains",
        "Falling diagonals: cells that meet only at corners, as many components as cells with "
        "connectivity 4, long chains with 8.",
        pattern_curves.diagonals,
        (_WIDTH, _HEIGHT, _whole("gap", "Gap", "Cells between two chains.", 3, 1, MAX_SIDE)),
    ),
    Pattern(
        "stairs",
        "Stairs",
        "Falling paths of treads and risers: neither scans of rows nor scans of columns get far in "
        "one go.",
        pattern_curves.stairs,
        (_WIDTH, _HEIGHT, _whole("step", "Step", "Length of a tread in cells.", 3, 1, MAX_SIDE)),
    ),
    Pattern(
        "noise",
        "Noise",
        "Random squares: the density decides how many components there are, the granularity how "
        "large they are.",
        pattern_shapes.noise,
        (
            _WIDTH,
            _HEIGHT,
            PatternParameter(
                "density", "Density", "Probability of foreground.", 0.5, 0.0, 1.0, float
            ),
            _whole("granularity", "Granularity", "Side of a square in cells.", 1, 1, MAX_SIDE),
            _SEED,
        ),
    ),
    Pattern(
        "checkerboard",
        "Checkerboard",
        "Squares that meet only at corners: as many components as possible with connectivity "
        "4, and one with 8.",
        pattern_shapes.checkerboard,
        (_WIDTH, _HEIGHT, _whole("cell", "Cell", "Side of a square in cells.", 1, 1, MAX_SIDE)),
    ),
    Pattern(
        "comb",
        "Comb",
        "Teeth that only a spine along the bottom joins: every tooth has its own root until the "
        "last row merges them all.",
        pattern_shapes.comb,
        (
            _WIDTH,
            _HEIGHT,
            _whole("tooth", "Tooth", "Width of a tooth in cells.", 1, 1, MAX_SIDE),
            _whole("gap", "Gap", "Cells between two teeth.", 1, 1, MAX_SIDE),
        ),
    ),
    Pattern(
        "rings",
        "Concentric rings",
        "Rectangular rings, one inside the other: components that enclose each other and never "
        "touch.",
        pattern_shapes.rings,
        (
            _WIDTH,
            _HEIGHT,
            _whole("thickness", "Thickness", "Thickness of a ring in cells.", 1, 1, MAX_SIDE),
            _whole("gap", "Gap", "Cells between two rings.", 1, 1, MAX_SIDE),
        ),
    ),
    Pattern(
        "discs",
        "Discs",
        "Discs at random places, some of which overlap: compact components as in pictures of cells "
        "or grains. Stava and Benes have 2500, or 250, in 1024 x 1024 cells.",
        pattern_shapes.discs,
        (
            _WIDTH,
            _HEIGHT,
            _whole("count", "Count", "Number of discs.", 12, 0, 100_000),
            _whole("radius", "Radius", "Radius in cells.", 6, 0, 1024),
            _SEED,
            _whole(
                "scene",
                "Scene",
                "Side in cells of a square that larger grids repeat; 0 takes the whole grid.",
                0,
                0,
                MAX_SIDE,
            ),
        ),
    ),
    Pattern(
        "plates",
        "Large discs",
        "A few discs that grow with the grid: a larger grid shows the same scene in more cells, as "
        "Stava and Benes rescale their example (b).",
        pattern_shapes.plates,
        (
            _WIDTH,
            _HEIGHT,
            _whole("count", "Count", "Number of discs.", 12, 0, 1000),
            PatternParameter(
                "share", "Radius", "Radius as a share of the shorter side.", 0.125, 0.0, 1.0, float
            ),
            _SEED,
        ),
    ),
    Pattern(
        "clusters",
        "Discs and noise",
        "Discs of one size with noise between them, half of the foreground each. Kalentev's C1 to "
        "C4 have radii of 10, 20, 50 and 100 in 1024 x 1024 cells.",
        pattern_shapes.clusters,
        (
            _WIDTH,
            _HEIGHT,
            _whole("radius", "Radius", "Radius of a disc in cells.", 6, 1, 1024),
            PatternParameter("density", "Density", "Share of foreground.", 0.5, 0.0, 1.0, float),
            _SEED,
        ),
    ),
    Pattern(
        "blobs",
        "Blobs",
        "Smooth islands: the density is the share of the foreground, the grain the size of islands "
        "and bays.",
        pattern_textures.blobs,
        (
            _WIDTH,
            _HEIGHT,
            PatternParameter(
                "density",
                "Density",
                "Share of foreground.",
                0.5,
                0.0,
                1.0,
                float,
            ),
            _grain(8, "Distance in cells over which the land rises and falls."),
            _SEED,
        ),
    ),
    Pattern(
        "text",
        "Text",
        "Letters and digits: components with holes and bays, as in scanned pages.",
        pattern_textures.text,
        (
            PatternParameter("text", "Text", "The text to draw.", "CCL", 1, 200, str),
            _whole("size", "Size", "Height of the letters in cells.", 24, 6, 512),
        ),
    ),
    Pattern(
        "empty", "Empty", "Only background, to draw on.", pattern_shapes.empty, (_WIDTH, _HEIGHT)
    ),
    Pattern(
        "full",
        "Full",
        "Only foreground: the largest component that fits.",
        pattern_shapes.full,
        (_WIDTH, _HEIGHT),
    ),
    Pattern(
        "voronoi",
        "Fields",
        "Regions around random points, each of one value, as in a segmented picture: regions of "
        "equal value that touch are one segment.",
        pattern_textures.voronoi,
        (_WIDTH, _HEIGHT, _grain(10, "Distance between two points in cells."), _values(6), _SEED),
        multivalued=True,
    ),
    Pattern(
        "terrain",
        "Contour bands",
        "Segments of equal height of a smooth landscape: long and thin, one inside the other.",
        pattern_textures.terrain,
        (
            _WIDTH,
            _HEIGHT,
            _values(6),
            _grain(20, "Distance in cells over which the land rises and falls."),
            _SEED,
        ),
        multivalued=True,
    ),
    Pattern(
        "stripes",
        "Slanted stripes",
        "Segments that run across all tiles of an algorithm: each is merged at every level.",
        pattern_textures.stripes,
        (
            _WIDTH,
            _HEIGHT,
            _whole("thickness", "Thickness", "Thickness of a stripe in cells.", 4, 1, MAX_SIDE),
            _values(4),
        ),
        multivalued=True,
    ),
    Pattern(
        "tiles",
        "Tiles",
        "Segments without background between them: every border is looked at, and none is merged.",
        pattern_textures.tiles,
        (
            _WIDTH,
            _HEIGHT,
            _whole("cell", "Cell", "Side of a square in cells.", 8, 1, MAX_SIDE),
            _values(4),
        ),
        multivalued=True,
    ),
    Pattern(
        "mosaic",
        "Random values",
        "Segments of random values, 0 among them: many small ones, as noise leaves in a segmented "
        "picture.",
        pattern_textures.mosaic,
        (
            _WIDTH,
            _HEIGHT,
            _values(3),
            _whole("granularity", "Granularity", "Side of a square in cells.", 2, 1, MAX_SIDE),
            _SEED,
        ),
        multivalued=True,
    ),
)

PATTERNS: Mapping[str, Pattern] = MappingProxyType({pattern.key: pattern for pattern in _TABLE})
"""All patterns by key, in the order shown."""
