"""The choice of layers to draw in and over cells, in the window and in exported frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from ccl_viewer.execution.plan import LaunchStructure, PartKind
from ccl_viewer.render.geometry import ARROWS_FROM, LINES_FROM, MARKS_FROM
from ccl_viewer.support.dataclass_json import from_json


class CellColours(StrEnum):
    """The meaning of a cell's colour."""

    INPUT = "input"
    LABEL = "label"
    TREE = "tree"
    COMPONENT = "component"
    DEPTH = "depth"
    LOADS = "loads"
    STORES = "stores"
    ATOMICS = "atomics"
    CONTENTION = "contention"


COUNTED: Final = (
    CellColours.LOADS,
    CellColours.STORES,
    CellColours.ATOMICS,
    CellColours.CONTENTION,
)
"""Colours for counts of memory accesses to a cell."""


COLOURS_MEAN: Final[Mapping[CellColours, str]] = MappingProxyType(
    {
        CellColours.INPUT: "colour: input alone",
        CellColours.LABEL: "colour: label",
        CellColours.TREE: "colour: tree",
        CellColours.COMPONENT: "colour: final component",
        CellColours.DEPTH: "colour: steps to the root (0: root)",
        CellColours.LOADS: "colour: loads, the emulator's count",
        CellColours.STORES: "colour: stores, the emulator's count",
        CellColours.ATOMICS: "colour: atomics, the emulator's count",
        CellColours.CONTENTION: "colour: most atomics at once, the emulator's count",
    }
)
"""Meaning of the colours, for the legend."""


class Numbers(StrEnum):
    """Meaning of the number in a cell; other values name an array recorded beside the labels."""

    NONE = ""
    RAW = "raw"
    ROOT = "root"
    COMPONENT = "component"


LAYER_PREFIX: Final = "layer:"
"""Prefix of the name of an array that the numbers show."""


@dataclass(frozen=True)
class LegendLine:
    """A line of the legend about a layer, in the window, in pictures and on pages."""

    text: str
    sample: str  # in `SAMPLES` of render/legend.py, and a class of assets/page/player.css
    smallest: float = 0.0  # pixels of a cell from which it is drawn so
    small: str = ""  # the sample of smaller cells; if empty, the legend asks to zoom in
    array: str = ""  # field of the view that names the array it follows, if not the labels
    of_array: str = ""  # the text then; {} is the array's name


@dataclass(frozen=True)
class LayerSwitch:
    """A layer that can be switched: its row in menus, forms, legends, keys and pages."""

    text: str  # of its action, with the mnemonic
    title: str  # in forms
    tip: str  # in tooltips, and in the page's list of keys
    key: str = ""  # in the window
    page_key: str = ""  # on pages, which have a button for each layer with a key
    icon: str = ""  # stem of a file in assets/icons, if it is not the layer's name
    legend: tuple[LegendLine, ...] = ()
    needs: str = ""  # field of the view without which a layer with a legend draws nothing

    @property
    def name(self) -> str:
        """The action's text without its mnemonic."""
        return self.text.replace("&", "")


SWITCHES: Final[Mapping[str, LayerSwitch]] = MappingProxyType(
    {
        "changed": LayerSwitch(
            "&Changed cells",
            "Changed cells",
            "Mark cells that the step changed",
            key="C",
            page_key="C",
            legend=(
                LegendLine(
                    "changed",
                    "changed",
                    MARKS_FROM,
                    "stripe",
                    array="array",
                    of_array="{} changed",
                ),
            ),
            needs="changed",
        ),
        "arrows": LayerSwitch(
            "Parent &arrows",
            "Arrows to parents",
            "Arrows from cells to their parents",
            key="A",
            page_key="A",
            legend=(
                LegendLine(
                    "root", "root", ARROWS_FROM, array="referring", of_array="refers to itself"
                ),
                LegendLine("parent", "arrow", ARROWS_FROM, array="referring", of_array="{}"),
            ),
            needs="parents",
        ),
        "tiles": LayerSwitch(
            "T&iles",
            "Tiles, strips and blocks of cells",
            "Tiles, strips and blocks of cells that the algorithm works in",
        ),
        "structure": LayerSwitch(
            "&Structure",
            "Thread blocks, warps and all other parts",
            "All parts into which the launch divides the grid",
            page_key="S",
        ),
        "contours": LayerSwitch(
            "Con&tours", "Outlines of components", "Lines around the components", page_key="K"
        ),
        "lines": LayerSwitch(
            "&Grid lines", "Grid lines", "Lines between cells", key="G", page_key="G", icon="grid"
        ),
        "onion": LayerSwitch(
            "&Onion skin",
            "Step before, as a rim",
            "The step before, as a rim around this one",
            page_key="U",
            legend=(LegendLine("rim: step before", "rim", LINES_FROM),),
            needs="before",
        ),
        "only": LayerSwitch(
            "Only the &pinned component",
            "Dim all but the pinned component",
            "Dim all but the pinned component",
            page_key="D",
        ),
        "total": LayerSwitch(
            "Total co&unts",
            "Memory counts of all steps so far",
            "Memory accesses of all steps so far",
            icon="sums",
        ),
    }
)
"""Layers that are on or off, by their fields in :class:`Layers`, in the order of menus."""

DIFFERENCE: Final = LayerSwitch(
    "Differences",
    "Differences",
    "Hatch cells that are in a different component than in the first run",
    page_key="Shift+D",
    legend=(LegendLine("differs from the first run", "differs"),),
)
"""The further layer of pages with runs side by side."""

TILES: Final = frozenset({PartKind.TILE, PartKind.STRIP, PartKind.QUAD})
"""Parts of the grid that belong to the algorithm, not to its launches."""


@dataclass(frozen=True)
class Layers:
    """What is drawn in and over cells."""

    colours: CellColours = CellColours.TREE
    numbers: str = Numbers.RAW  # one of Numbers, or LAYER_PREFIX and a name
    changed: bool = True  # marks on the cells that the step changed
    arrows: bool = False  # from each cell to its parent, if cells are large enough
    tiles: bool = False  # the tiles, strips and blocks of cells that the launch works in
    structure: bool = False  # all parts into which the launch divides the grid, and the padding
    contours: bool = False  # around the components
    lines: bool = True  # between cells
    onion: bool = False  # rims in the colours of the previous step
    only: bool = True  # dim everything but the pinned component
    total: bool = False  # sum memory accesses over all steps so far
    strength: float = 1.0  # share of a cell's colour, 0.1 to 1; the rest shows the input

    def shows(self, name: str) -> bool:
        return bool(getattr(self, name))

    def drawn_structures(
        self, structures: tuple[LaunchStructure, ...]
    ) -> tuple[LaunchStructure, ...]:
        """Return the structures of a launch that are drawn."""
        if self.structure:
            return structures
        return tuple(one for one in structures if self.tiles and one.part in TILES)

    def to_values(self) -> dict[str, Any]:
        return dict(vars(self))

    def from_json(self, values: object) -> Layers:
        """Return these layers with stored values; invalid ones are ignored."""
        read = from_json(self, values)
        valid = read.numbers in set(Numbers) or read.numbers.startswith(LAYER_PREFIX)
        return read if valid else replace(read, numbers=self.numbers)


def shown_array_name(numbers: str, arrays: Collection[str]) -> str:
    """Return the array that the numbers show, if it is one of `arrays`, or an empty text.

    If its values name cells, arrows and paths to roots follow it, so that they always agree with
    the numbers. Otherwise they follow the labels.
    """
    name = numbers.removeprefix(LAYER_PREFIX)
    return name if name != numbers and name in arrays else ""


def number_choices(layers: Sequence[str]) -> tuple[str, ...]:
    """Return the choices for numbers of a run with these arrays beside its labels."""
    return (*Numbers, *(LAYER_PREFIX + name for name in layers))
