"""The equivalence forest of the pinned component: the nodes to draw, and their places."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.reference import Labels
from ccl_viewer.render.forest import NO_CELL, Cells, Lookup, Mask, find_parents, path_cells
from ccl_viewer.render.palette import label_indices
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.analysis import HIDDEN_TEXT, RunAnalysis
from ccl_viewer.window.core.cell_info import path_to_root
from ccl_viewer.window.core.labels import LabelCache
from ccl_viewer.window.core.model import Model, watch

if TYPE_CHECKING:
    from ccl_viewer.window.core.view_state import ViewState

Children = Sequence[Sequence[int]]
"""For each node, its children from left to right."""

MAX: Final = 120
"""Most single cells shown; each may have one node more for its folded children."""

TOP: Final = -1
"""The parent of all roots, for folded roots."""

_FEW: Final = 24  # forests of up to this many cells are shown whole
_SIBLINGS: Final = 6  # children shown per parent; more are folded
_UNFOLDED: Final = 48  # further children shown per unfolded parent
_CHAIN: Final = 24  # links above the pin shown at each end of a long chain
LARGEST: Final = 1 << 16  # cells; of larger components, only those near the pin are shown
NEAR: Final = 128

_BETWEEN: Final = 2.5  # gap between trees, as a multiple of that between neighbours
_SHELF_GAP: Final = 0.3  # gap between shelves, as a share of a row


@dataclass(frozen=True)
class Node:
    """A node of the drawn forest: a cell, or a folded group of cells.

    A group has the cell below which its members are, :data:`TOP` for whole trees.
    """

    cell: int  # as y * width + x
    address: int  # the label that means this cell
    label: int  # raw, as the paper writes it
    parent: int  # index of the parent's node; -1 for a root
    folded: int = 0  # cells of the group; 0 for a cell
    trees: int = 0  # whole trees of the group
    skipped: int = 0  # hidden ancestors between it and its parent
    changed: bool = False  # whether its label changed in this step


@dataclass(frozen=True)
class DrawnForest:
    """A drawn forest, and figures about the whole forest.

    A faulty run may have `circles` of cells that point at each other. One cell of each is shown as
    a root.
    """

    nodes: tuple[Node, ...] = ()  # parents before their children, siblings in raster order
    cells: int = 0  # with a label
    trees: int = 0
    depth: int = 0  # most links from a cell to its root
    unlabelled: int = 0  # cells without a label, or with a label that names no cell
    changed: int = 0  # cells with a changed label in this step
    circles: int = 0
    left_out: int = 0  # cells of the component that are far from the pin

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Indices of the roots' nodes."""
        return tuple(i for i, node in enumerate(self.nodes) if node.parent < 0)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each node, the indices of its children."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            if node.parent >= 0:
                below[node.parent].append(index)
        return tuple(map(tuple, below))

    @cached_property
    def index_by_cell(self) -> Mapping[int, int]:
        """Index of each single cell's node, by ``y * width + x``."""
        return {node.cell: index for index, node in enumerate(self.nodes) if not node.folded}


@dataclass(frozen=True, eq=False)
class _Links:
    """Labelled cells and their parents, as indices into the cells."""

    cells: Cells
    labels: Labels
    changed: Mask
    parent: Cells
    depth: Cells
    circles: int
    unlabelled: int


def build_forest(
    labels: Lookup,
    before: Lookup | None,
    layout: LabelLayout,
    cells: Cells,
    pin: int,
    most: int = MAX,
    unfolded: frozenset[int] = frozenset(),
) -> DrawnForest:
    """Return the forest of some cells, in rising order; cells that they point at are added.

    `labels` and `before` give the raw labels after the step and before it. The pinned cell is shown
    with its ancestors, or with both ends of a long chain. At most `most` nodes are shown, besides
    groups; cells in `unfolded` show more children, and with :data:`TOP` more roots are shown.
    """
    links = _links_of(labels, before, layout, cells)
    if not links.cells.size:
        return DrawnForest(unlabelled=links.unlabelled)
    return DrawnForest(
        nodes=_nodes(links, layout, _choose(links, pin, most, unfolded)),
        cells=int(links.cells.size),
        trees=int(np.count_nonzero(links.depth == 0)),
        depth=int(links.depth.max()),
        unlabelled=links.unlabelled,
        changed=int(np.count_nonzero(links.changed)),
        circles=links.circles,
    )


def _links_of(labels: Lookup, before: Lookup | None, layout: LabelLayout, cells: Cells) -> _Links:
    unlabelled = int(np.count_nonzero(find_parents(labels, layout, cells) == NO_CELL))
    cells = path_cells(labels, layout, cells)
    pointed = find_parents(labels, layout, cells)
    cells, pointed = cells[pointed != NO_CELL], pointed[pointed != NO_CELL]
    values = labels(cells)
    # A tree ends at a parent without a label.
    parent = np.where(np.isin(pointed, cells), np.searchsorted(cells, pointed), _own(cells))
    circles = _cut_circles(parent)
    _, depth = _follow_links(parent)
    old = layout.background if before is None else before(cells)
    return _Links(cells, values, values != old, parent, depth, circles, unlabelled)


def _own(cells: Cells) -> Cells:
    return np.arange(cells.size)


def _follow_links(parent: Cells) -> tuple[Cells, Cells]:
    """Return the cell that each cell reaches by at least as many links as cells, and its depth."""
    above, depth = parent.copy(), (parent != _own(parent)).astype(np.int64)
    for _ in range(int(parent.size).bit_length() + 1):
        depth += depth[above]
        above = above[above]
    return above, depth


def _cut_circles(parent: Cells) -> int:
    """Make the first cell of each circle a root; return the number of circles."""
    above, _ = _follow_links(parent)
    circles, visited = 0, set[int]()
    # After this many links, a cell that has not found a root is on a circle.
    for start in np.unique(above[parent[above] != above]).tolist():
        if start not in visited:
            circles += 1
            cell = start
            while cell not in visited:
                visited.add(cell)
                cell = int(parent[cell])
            parent[start] = start
    return circles


def _choose(links: _Links, pin: int, most: int, unfolded: frozenset[int]) -> Mask:
    """Return the cells to show: from the roots down, only a few per parent."""
    if links.cells.size <= _FEW:
        return np.ones(links.cells.size, np.bool_)
    shown = np.zeros(links.cells.size, np.bool_)
    shown[_chain(links, pin)] = True
    order = np.argsort(links.parent, kind="stable")
    starts = np.searchsorted(links.parent[order], np.arange(links.cells.size + 1))
    inner = np.bincount(links.parent[links.depth > 0], minlength=links.cells.size) > 0
    groups = deque([(TOP, np.flatnonzero(links.depth == 0))])
    while groups and (room := most - int(np.count_nonzero(shown))) > 0:
        parent, group = groups.popleft()
        number = _SIBLINGS + (_UNFOLDED if parent in unfolded else 0)
        # Cells already shown, with children, or changed come first.
        best = group[np.lexsort((group, ~links.changed[group], ~inner[group], ~shown[group]))]
        # A group of a single cell would take as much room as the cell.
        few = best if len(best) <= number + 1 else best[:number]
        shown[few[~shown[few]][:room]] = True
        for node in np.sort(few[inner[few] & shown[few]]).tolist():
            below = order[starts[node] : starts[node + 1]]
            groups.append((int(links.cells[node]), below[below != node]))
    return shown


def _chain(links: _Links, cell: int) -> list[int]:
    """Return a cell and its ancestors, or both ends of a long chain."""
    index = int(np.searchsorted(links.cells, cell))
    if index == links.cells.size or links.cells[index] != cell:
        return []
    chain = [index]
    while links.depth[index]:
        index = int(links.parent[index])
        chain.append(index)
    return chain if len(chain) <= 2 * _CHAIN else chain[:_CHAIN] + chain[-_CHAIN:]


def _nodes(links: _Links, layout: LabelLayout, shown: Mask) -> tuple[Node, ...]:
    """Return the shown cells as nodes, and one group for each parent with hidden cells."""
    nearest = np.where(shown, _own(links.cells), links.parent)
    for _ in range(int(links.cells.size).bit_length()):
        nearest = nearest[nearest]
    hidden = np.bincount(nearest[~shown], minlength=links.cells.size)
    above = nearest[links.parent]
    roots = (links.depth == 0) | ~shown[above]
    skipped = np.where(roots, 0, links.depth - links.depth[above] - 1)
    children: dict[int, list[int]] = {}
    for index in np.flatnonzero(shown)[::-1].tolist():
        children.setdefault(-1 if roots[index] else int(above[index]), []).append(index)
    nodes: list[Node] = []
    stack = [(index, -1, 0) for index in children.get(-1, ())]
    while stack:
        index, parent, folded = stack.pop()
        cell, label = int(links.cells[index]), int(links.labels[index])
        node = Node(cell, layout.addresses(cell), label, parent, folded)
        if not folded:
            changed = bool(links.changed[index])
            node = replace(node, skipped=int(skipped[index]), changed=changed)
            if hidden[index]:
                stack.append((index, len(nodes), int(hidden[index])))
            stack += [(child, len(nodes), 0) for child in children.get(index, ())]
        nodes.append(node)
    adrift = ~shown[nearest]
    if adrift.any():
        trees = int(np.count_nonzero(adrift & (links.depth == 0)))
        nodes.append(Node(TOP, TOP, TOP, -1, folded=int(np.count_nonzero(adrift)), trees=trees))
    return tuple(nodes)


@dataclass(frozen=True)
class NodePositions:
    """The centre of each node, with y growing downwards, and the size of the whole."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    width: float
    height: float


def lay_out_forest(
    children: Children,
    roots: Sequence[int],
    widths: Sequence[float],
    *,
    gap: float,
    row: float,
    aspect: float,
) -> NodePositions:
    """Return the positions of the nodes of some trees, from their widths; parents come first.

    Each parent is centred over its children, and trees share no columns. `gap` is the space between
    neighbours, `row` the distance between levels. Trees continue in further rows to approach the
    aspect ratio `aspect`, width by height.
    """
    offset, left, right, depth = _subtrees(children, widths, gap)
    x, y = [0.0] * len(children), [0.0] * len(children)
    spans = [left[root] + right[root] for root in roots]
    heights = [depth[root] * row for root in roots]
    area = sum(
        (span + _BETWEEN * gap) * (height + _SHELF_GAP * row)
        for span, height in zip(spans, heights, strict=True)
    )
    limit = max([*spans, math.sqrt(area * aspect)])
    begin = top = shelf = width = 0.0
    for root, span, height in zip(roots, spans, heights, strict=True):
        if begin > 0 and begin + span > limit:
            begin, top, shelf = 0.0, top + shelf + row * _SHELF_GAP, 0.0
        x[root], y[root] = begin + left[root], top + row / 2
        width, shelf = max(width, begin + span), max(shelf, height)
        begin += span + _BETWEEN * gap
    for node, below in enumerate(children):
        for child in below:
            x[child], y[child] = x[node] + offset[child], y[node] + row
    return NodePositions(tuple(x), tuple(y), width, top + shelf)


def _subtrees(
    children: Children, widths: Sequence[float], gap: float
) -> tuple[list[float], list[float], list[float], list[int]]:
    """Return the offset of each node to the right of its parent, and the extent of its subtree.

    The extent is to its left, to its right, and the number of levels.
    """
    left, right = [width / 2 for width in widths], [width / 2 for width in widths]
    offset, depth = [0.0] * len(children), [1] * len(children)
    for node in reversed(range(len(children))):
        below = children[node]
        if not below:
            continue
        for before, child in pairwise(below):
            offset[child] = offset[before] + right[before] + gap + left[child]
        middle = offset[below[-1]] / 2
        for child in below:
            offset[child] -= middle
        left[node] = max(left[node], middle + left[below[0]])
        right[node] = max(right[node], middle + right[below[-1]])
        depth[node] = 1 + max(depth[child] for child in below)
    return offset, left, right, depth


class TreeDiagram(Model):
    """The equivalence forest of the pinned component at the step on display."""

    forest_changed = Signal()  # another one is to be shown
    pointed_changed = Signal()  # another cell is under mouse or cursor

    def __init__(self, analysis: RunAnalysis, view: ViewState, labels: LabelCache) -> None:
        super().__init__()
        self._analysis = analysis
        self._view = view
        self._labels = labels
        self._most = MAX
        self._unfolded = frozenset[int]()
        self._forest: DrawnForest | None = None
        self._fresh = False
        watch(self._forget_unfolded, analysis.display_changed, analysis.recording_changed)
        watch(
            self._change,
            analysis.display_changed,
            analysis.recording_changed,
            analysis.count_changed,
            analysis.index_changed,
            analysis.hidden_answers_changed,
        )
        view.pin_changed.connect(self._change)
        watch(self._point, view.hover_changed, view.cursor_changed)

    @property
    def forest(self) -> DrawnForest | None:
        """The forest; None if none is shown, for which :attr:`empty_text` has the reason."""
        if not self._fresh:
            self._forest, self._fresh = self._build(), True
        return self._forest

    @property
    def hidden(self) -> bool:
        """Whether an open question asks for something that the tree shows."""
        return HiddenInformation.PATHS in self._analysis.hidden_answers

    @property
    def empty_text(self) -> str:
        """Why no forest is shown; empty if one is."""
        if self._analysis.recording is None:
            return "Run an algorithm to see how labels point at each other."
        if self._view.pin is None:
            return "Pin a component to see its tree: click one of its cells while you explore (V)."
        if self.hidden:
            return HIDDEN_TEXT
        return "" if self.forest is not None else "The pinned cell is background: pin another one."

    @property
    def summary(self) -> str:
        """The figures of the whole forest, in a line."""
        forest = self.forest
        if forest is None:
            return ""
        parts = [
            f"{counted(forest.cells, 'cell')} in {counted(forest.trees, 'tree')}",
            f"depth {forest.depth:,}",
            f"{counted(forest.changed, 'label')} changed",
        ]
        if forest.unlabelled:
            parts.append(f"{counted(forest.unlabelled, 'cell')} without a label")
        if forest.circles:
            parts.append(f"{counted(forest.circles, 'circle')} of labels")
        if forest.left_out:
            parts.append(f"without {counted(forest.left_out, 'cell')} far from the pin")
        return ", ".join(parts)

    @property
    def colours(self) -> npt.NDArray[np.uint8]:
        """Palette index of each node, ``uint8`` of shape (nodes,), as on the canvas."""
        forest, colouring = self.forest, self._analysis.display.colouring
        if forest is None or colouring is None or not forest.nodes:
            return np.zeros(0, np.uint8)
        labels = np.array([[node.label for node in forest.nodes]], np.int32)
        return label_indices(labels, colouring, np.ones(labels.shape, np.int32)).reshape(-1)

    @property
    def pinned(self) -> int | None:
        """The node of the pinned cell, or the group that contains it."""
        return None if self._view.pin is None else self.node_of(self._view.pin.cell)

    @property
    def pointed(self) -> int | None:
        """The node of the cell under the mouse or the cursor, on the canvas or here."""
        cell = self._view.hover or self._view.cursor
        return None if cell is None else self.node_of(cell)

    def node_of(self, cell: Cell) -> int | None:
        """Return the node of a cell, or the group that contains it; None if there is neither."""
        forest, recording = self.forest, self._analysis.recording
        if forest is None or recording is None or not self._is_member(cell):
            return None
        layout, lookup = (
            recording.layout,
            self._labels.make_label_lookup(recording, self._analysis.display.index),
        )
        above = path_to_root(lookup, layout, cell)
        cell_node, *others = (
            forest.index_by_cell.get(y * layout.width + x) for x, y in (cell, *above)
        )
        shown = next((node for node in others if node is not None), None)
        if cell_node is not None or shown is None:
            return cell_node
        return next((i for i in forest.children[shown] if forest.nodes[i].folded), shown)

    def cell_of(self, node: Node) -> Cell | None:
        """Return the cell of a node; None for a group."""
        recording = self._analysis.recording
        if node.folded or recording is None:
            return None
        return node.cell % recording.layout.width, node.cell // recording.layout.width

    def describe(self, node: Node) -> str:
        """Describe a node in a sentence."""
        cell = self.cell_of(node)
        if node.trees:
            return f"{counted(node.trees, 'more tree')} with {counted(node.folded, 'cell')}"
        if cell is None:
            return f"{counted(node.folded, 'more cell')} below {node.address}: click to unfold"
        kind = "a root" if node.parent < 0 else f"label {node.label}"
        changed = ", changed in this step" if node.changed else ""
        return f"{node.address}: cell ({cell[0]}, {cell[1]}), {kind}{changed}"

    def set_most(self, nodes: int) -> None:
        """Set the number of nodes for which there is room."""
        most = min(max(nodes // 12 * 12, 24), 240)
        if most != self._most:
            self._most = most
            self._change()

    def press(self, index: int) -> None:
        """Pin the cell of a node; unfold a group."""
        forest = self.forest
        if forest is None or not 0 <= index < len(forest.nodes):
            return
        node, pin = forest.nodes[index], self._view.pin
        cell = self.cell_of(node)
        if cell is None:
            self._unfolded |= {node.cell}
            self._change()
        elif pin is None or cell != pin.cell:
            self._view.pin_cell(cell, component=True)

    def hover_node(self, index: int | None) -> None:
        """Show the cell of a node on the canvas as if the mouse were over it."""
        forest = self.forest
        node = None if forest is None or index is None else forest.nodes[index]
        self._view.hover_at(None if node is None else self.cell_of(node))

    @property
    def has_unfolded(self) -> bool:
        return bool(self._unfolded)

    def fold(self) -> None:
        if self._unfolded:
            self._unfolded = frozenset()
            self._change()

    @property
    def can_pin(self) -> bool:
        components = self._analysis.display.component_table
        return components is not None and len(components.areas) > 1

    def pin_largest(self) -> None:
        """Pin the first cell of the component with the most cells."""
        components = self._analysis.display.component_table
        if components is not None and self.can_pin:
            largest = int(components.areas[1:].argmax()) + 1
            self._view.pin_cell(components.first_cell(largest), component=True)

    def _forget_unfolded(self) -> None:
        self._unfolded = frozenset()

    def _point(self) -> None:
        self._announce(self.pointed_changed)

    def _change(self) -> None:
        self._fresh = False
        self._announce(self.forest_changed)

    def _is_member(self, cell: Cell) -> bool:
        colouring, pin = self._analysis.display.colouring, self._view.pin
        if colouring is None or pin is None:
            return False
        (x, y), (pin_x, pin_y) = cell, pin.cell
        height, width = colouring.components.shape
        number = colouring.components[pin_y, pin_x]
        return bool(number and x < width and y < height and colouring.components[y, x] == number)

    def _build(self) -> DrawnForest | None:
        display, pin = self._analysis.display, self._view.pin
        recording, colouring = display.recording, display.colouring
        if recording is None or colouring is None or pin is None or self.hidden:
            return None
        if not self._is_member(pin.cell):
            return None
        x, y = pin.cell
        width, index = recording.layout.width, display.index
        cells = np.flatnonzero(colouring.components == colouring.components[y, x])
        every = cells.size
        if every > LARGEST:
            near = (abs(cells // width - y) <= NEAR) & (abs(cells % width - x) <= NEAR)
            cells = cells[near]
        forest = build_forest(
            self._labels.make_label_lookup(recording, index),
            self._labels.make_label_lookup(recording, index - 1) if index else None,
            recording.layout,
            cells,
            y * width + x,
            self._most + _UNFOLDED * len(self._unfolded),
            self._unfolded,
        )
        return replace(forest, left_out=every - cells.size)
