"""Choice of what is drawn in and over cells, in the window and in exported frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from ccl_viewer.execution.plan import Part, Structure
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
"""Boolean fields of :class:`Layers`, with their titles in forms."""


TILES: Final = frozenset({Part.TILE, Part.STRIP, Part.QUAD})
"""Parts of the grid that belong to the algorithm, not to its launches."""


@dataclass(frozen=True)
class Layers:
    """What is drawn in and over cells."""

    colours: CellColours = CellColours.TREE
    numbers: str = Numbers.RAW  # one of Numbers, or LAYER_PREFIX and a name
    arrows: bool = False  # from each cell to its parent, if cells are large enough
    changed: bool = True  # marks on the cells that the step changed
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

    def parts_of(self, structures: tuple[Structure, ...]) -> tuple[Structure, ...]:
        """Return the structures of a launch that are drawn."""
        if self.structure:
            return structures
        return tuple(one for one in structures if self.tiles and one.part in TILES)

    def to_values(self) -> dict[str, Any]:
        return dict(vars(self))

    def from_json(self, values: object) -> Layers:
        """Return these layers with stored values; invalid ones are ignored."""
        read = from_json(self, values)
        known = read.numbers in set(Numbers) or read.numbers.startswith(LAYER_PREFIX)
        return read if known else replace(read, numbers=self.numbers)


def array_of(numbers: str, arrays: Collection[str]) -> str:
    """Return the array that the numbers show, if it is one of `arrays`, or an empty text.

    If its values name cells, arrows and paths to roots follow it, so that they always agree with
    the numbers. Otherwise they follow the labels.
    """
    name = numbers.removeprefix(LAYER_PREFIX)
    return name if name != numbers and name in arrays else ""


def numbers_of(layers: Sequence[str]) -> tuple[str, ...]:
    """Return the choices for numbers of a run with these arrays beside its labels."""
    return (*Numbers, *(LAYER_PREFIX + name for name in layers))
