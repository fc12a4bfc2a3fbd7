"""What is drawn of the cells and over them, in the window and in exported frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from ccl_viewer.execution.plan import Part, Structure
from ccl_viewer.support.remembering import recalled


class CellColours(StrEnum):
    """What the colour of a cell says."""

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
"""Those that say what the launch did to the memory of a cell, where that was counted."""


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
"""What the colours say, for a legend."""


class Numbers(StrEnum):
    """What the number in a cell is; other values name an array recorded beside the labels."""

    NONE = ""
    RAW = "raw"
    ROOT = "root"
    COMPONENT = "component"


LAYER_PREFIX: Final = "layer:"
"""Numbers beginning thus show the array of that name."""

SWITCHES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "arrows": "Arrows to parents",
        "changed": "Changed cells",
        "tiles": "Tiles, strips and blocks of cells",
        "structure": "Thread blocks, warps and all other parts",
        "contours": "Outlines of components",
        "lines": "Grid lines",
        "onion": "Step before, as a rim",
        "only": "Dim all but the pinned component",
        "total": "Memory counts of all steps so far",
    }
)
"""Fields of :class:`Layers` that are either shown or not, with their titles in forms."""


TILES: Final = frozenset({Part.TILE, Part.STRIP, Part.QUAD})
"""Parts of the grid that belong to an algorithm, more than to how it was launched."""


@dataclass(frozen=True)
class Layers:
    """What is drawn of the cells and over them."""

    colours: CellColours = CellColours.TREE
    numbers: str = Numbers.RAW  # one of Numbers, or LAYER_PREFIX and a name
    arrows: bool = False  # from each cell to its parent, where cells are large enough
    changed: bool = True  # marks on the cells that the step changed
    tiles: bool = False  # the tiles, strips and blocks of cells that the launch works in
    structure: bool = False  # all parts into which the launch divides the grid, and its padding
    contours: bool = False  # around the components
    lines: bool = True  # between cells
    onion: bool = False  # the colours of the step before, around those of this one
    only: bool = True  # everything but the pinned component is dimmed
    total: bool = False  # counts of memory accesses are those of all steps so far
    strength: float = 1.0  # how strongly cells are coloured, 0.1 to 1; the rest shows the input

    def shows(self, name: str) -> bool:
        return bool(getattr(self, name))

    def parts_of(self, structures: tuple[Structure, ...]) -> tuple[Structure, ...]:
        """Return which of the divisions of a launch are drawn."""
        if self.structure:
            return structures
        return tuple(one for one in structures if self.tiles and one.part in TILES)

    def to_values(self) -> dict[str, Any]:
        return dict(vars(self))

    def recalled(self, values: object) -> Layers:
        """Return these layers with what was remembered; what is damaged stays as it is."""
        read = recalled(self, values)
        known = read.numbers in set(Numbers) or read.numbers.startswith(LAYER_PREFIX)
        return read if known else replace(read, numbers=self.numbers)


def array_of(numbers: str, arrays: Collection[str]) -> str:
    """Return the array that the numbers show, if it is one of these; empty if it is not.

    Of the arrays whose values name cells, it is the one that arrows, and ways to roots, lead
    along: they always agree with the numbers. Where it is none, they lead along the labels.
    """
    name = numbers.removeprefix(LAYER_PREFIX)
    return name if name != numbers and name in arrays else ""


def numbers_of(layers: Sequence[str]) -> tuple[str, ...]:
    """Return what the numbers can show of a run with these arrays beside its labels."""
    return (*Numbers, *(LAYER_PREFIX + name for name in layers))
