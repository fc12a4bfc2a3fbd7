"""The equivalence forest of the pinned component: which nodes are drawn, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.counted import counted
from ccl_viewer.plan import LabelLayout
from ccl_viewer.render.forest import Lookup
from ccl_viewer.render.palette import label_indices
from ccl_viewer.session.analysis import RunAnalysis
from ccl_viewer.session.labels import LabelCache
from ccl_viewer.session.model import Model

if TYPE_CHECKING:
    from ccl_viewer.session.view_state import ViewState

Cell = tuple[int, int]
Cells = npt.NDArray[np.int64]
Labels = npt.NDArray[np.int32]
FEW: Final = 24
"""Forests of up to this many cells are shown whole."""

MOST: Final = 120
"""Nodes that are shown at most, of which no more than one each stands for others."""

SIBLINGS: Final = 6
"""Children of one parent that are shown before the rest of them is folded."""

TOP: Final = -1
"""Stands for the parent of all roots, where roots are folded."""

_CHAIN: Final = 24
_CLOSURE: Final = 64
_LARGEST: Final = 1 << 16  # of components of more cells, only those near the pin are looked at
_NEAR: Final = 128
_UNFOLDED: Final = 48  # how many more nodes are shown for each node that was unfolded
_CLIMB: Final = 64

_BETWEEN: Final = 2.5  # room between trees, as a multiple of that between neighbours
_SHELF_GAP: Final = 0.3  # room between shelves, as a share of a row
_CANDIDATES: Final = 32  # widths of shelves that are tried

Children = Sequence[Sequence[int]]
"""For each node, its children from left to right."""


@dataclass(frozen=True)
class Limits:
    """How many nodes are shown.

    Parameters
    ----------
    few : int
        Forests of up to this many cells are shown whole.
    most : int
        Nodes that are shown at most.
    siblings : int
        Children of one parent that are shown before the rest is folded.
    unfolded : frozenset of int
        Cells, as ``y * width + x``, whose children are not folded; :data:`TOP` for the roots.
    """

    few: int = FEW
    most: int = MOST
    siblings: int = SIBLINGS
    unfolded: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Node:
    """A node of the drawn forest.

    Parameters
    ----------
    cell : int
        The cell, as ``y * width + x``; for a node that stands for others, the cell below which
        they are, :data:`TOP` for whole trees.
    address : int
        What labels call the cell, as the paper writes it.
    label : int
        Its label, as the paper writes it.
    parent : int
        Place of the parent among the nodes; -1 for a root.
    folded : int
        How many cells the node stands for; 0 for one that is a cell itself.
    trees : int
        How many whole trees it stands for.
    skipped : int
        Ancestors between it and its parent that are not shown.
    changed : bool
        Whether its label changed in this step.
    """

    cell: int
    address: int
    label: int
    parent: int
    folded: int = 0
    trees: int = 0
    skipped: int = 0
    changed: bool = False


@dataclass(frozen=True)
class Forest:
    """A drawn forest, and what there is to say of the whole of it.

    Parameters
    ----------
    nodes : tuple of Node
        Parents before their children, siblings in raster order.
    cells : int
        Cells that have a label.
    trees : int
        Their roots.
    depth : int
        Most links from a cell to its root.
    unlabelled : int
        Cells without a label, or with one that names no cell.
    changed : int
        Cells whose label changed in this step.
    circles : int
        Circles of cells that point at each other: a faulty run has them. One cell of each is
        shown as a root.
    """

    nodes: tuple[Node, ...] = ()
    cells: int = 0
    trees: int = 0
    depth: int = 0
    unlabelled: int = 0
    changed: int = 0
    circles: int = 0

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Places of the roots among the nodes."""
        return tuple(i for i, node in enumerate(self.nodes) if node.parent < 0)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each node, the places of its children."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            if node.parent >= 0:
                below[node.parent].append(index)
        return tuple(map(tuple, below))

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Place among the nodes of each cell that is one, by ``y * width + x``."""
        return {node.cell: index for index, node in enumerate(self.nodes) if not node.folded}


@dataclass(frozen=True, eq=False)
class _Links:
    """Cells and whom they point at, all by their place among the cells."""

    cells: Cells
    labels: Labels
    changed: npt.NDArray[np.bool_]
    parent: Cells
    depth: Cells
    circles: int


def build_forest(
    labels: Lookup,
    before: Lookup | None,
    layout: LabelLayout,
    cells: Cells,
    focus: Collection[int] = (),
    limits: Limits | None = None,
) -> Forest:
    """Return the forest of some cells at a step.

    Parameters
    ----------
    labels : callable
        Returns the raw labels of cells after the step.
    before : callable or None
        The same of the step before; None at the first, before which no cell has a label.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, shape (n,)
        The cells, as ``y * width + x``, in rising order. Cells that they point at are added.
    focus : collection of int
        Cells that are shown with all their ancestors, or the ends of these if they are many.
    limits : Limits or None
        How many nodes are shown; None for the usual limits.

    Returns
    -------
    Forest
        With :attr:`Limits.most` nodes at most, and as many again that stand for others.
    """
    links, unlabelled = _links_of(labels, before, layout, cells)
    if not links.cells.size:
        return Forest(unlabelled=unlabelled)
    shown = _Choice(links, limits or Limits()).choose(focus)
    return Forest(
        nodes=_nodes(links, layout, shown),
        cells=int(links.cells.size),
        trees=int(np.count_nonzero(links.depth == 0)),
        depth=int(links.depth.max()),
        unlabelled=unlabelled,
        changed=int(np.count_nonzero(links.changed)),
        circles=links.circles,
    )


def _links_of(
    labels: Lookup, before: Lookup | None, layout: LabelLayout, cells: Cells
) -> tuple[_Links, int]:
    size, given = layout.height * layout.width, cells.size
    unlabelled = 0
    for _ in range(_CLOSURE):
        values = labels(cells)
        pointed = layout.parents(values)
        inside = (pointed >= 0) & (pointed < size)
        unlabelled = given - int(np.count_nonzero(inside)) if cells.size == given else unlabelled
        more = np.union1d(cells, pointed[inside])
        if more.size == cells.size:
            break
        cells = more
    cells, values, pointed = cells[inside], values[inside], pointed[inside]
    place = np.searchsorted(cells, pointed)
    place[place == cells.size] = 0
    # A parent that has no label itself is where its tree ends.
    known = cells[place] == pointed if cells.size else np.zeros(0, np.bool_)
    parent = np.where(known, place, np.arange(cells.size))
    parent, depth, circles = _depths(parent)
    old = layout.background if before is None else before(cells)
    return _Links(cells, values, values != old, parent, depth, circles), unlabelled


def _depths(parent: Cells) -> tuple[Cells, Cells, int]:
    """Return parents without circles, links to the root of each, and how many circles there were.

    Each round doubles how far is looked, so that long chains take few.
    """
    circles = 0
    own = np.arange(parent.size)
    while True:
        above, depth = parent.copy(), (parent != own).astype(np.int64)
        for _ in range(int(parent.size).bit_length() + 1):
            depth += depth[above]
            above = above[above]
        lost = np.flatnonzero(parent[above] != above)
        if not lost.size:
            return parent, depth, circles
        # After so many steps, `above` lies on a circle: cut it at its first cell.
        start = int(above[lost[0]])
        circle, cell = {start}, int(parent[start])
        while cell not in circle:
            circle.add(cell)
            cell = int(parent[cell])
        parent = parent.copy()
        parent[min(circle)] = min(circle)
        circles += 1


class _Choice:
    """Chooses the cells that are shown: from the roots down, no more than a few of each parent."""

    def __init__(self, links: _Links, limits: Limits) -> None:
        self._links = links
        self._limits = limits
        self._inner = np.bincount(
            links.parent[links.depth > 0], minlength=links.parent.size
        ).astype(np.bool_)
        self._order = np.argsort(links.parent, kind="stable")
        self._starts = np.searchsorted(links.parent[self._order], np.arange(links.cells.size + 1))
        self._shown = np.zeros(links.cells.size, np.bool_)

    def choose(self, focus: Iterable[int]) -> npt.NDArray[np.bool_]:
        """Return which cells are shown."""
        links, shown = self._links, self._shown
        if links.cells.size <= self._limits.few:
            shown[:] = True
            return shown
        for cell in focus:
            self._show_chain(cell)
        left = self._limits.most - int(np.count_nonzero(shown))
        level = [np.flatnonzero(links.depth == 0)]
        parents = [TOP]
        while level and left > 0:
            room = self._room(level, parents, left)
            chosen = [self._few(group, n) for group, n in zip(level, room, strict=True)]
            for group in chosen:
                left -= int(np.count_nonzero(~shown[group]))
                shown[group] = True
            nodes = np.sort(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)
            nodes = nodes[self._inner[nodes]]
            level = [self._children(int(node)) for node in nodes]
            parents = [int(links.cells[node]) for node in nodes]
        return shown

    def _show_chain(self, cell: int) -> None:
        """Show a cell and its ancestors, or those at both ends of a long chain."""
        place = int(np.searchsorted(self._links.cells, cell))
        if place == self._links.cells.size or self._links.cells[place] != cell:
            return
        chain = [place]
        while self._links.depth[place]:
            place = int(self._links.parent[place])
            chain.append(place)
        ends = chain if len(chain) <= 2 * _CHAIN else chain[:_CHAIN] + chain[-_CHAIN:]
        self._shown[ends] = True

    def _children(self, node: int) -> Cells:
        children = self._order[self._starts[node] : self._starts[node + 1]]
        others: Cells = children[children != node]
        return others

    def _room(self, groups: list[Cells], parents: list[int], left: int) -> list[int]:
        """Return how many of each group of siblings are shown, such that all get their share."""
        usual = self._limits.siblings
        wanted = []
        for group, parent in zip(groups, parents, strict=True):
            most = left if parent in self._limits.unfolded else usual
            # One that stands for a single cell takes the room of that cell.
            wanted.append(len(group) if len(group) <= most + 1 else most)
        while sum(wanted) > left and max(wanted) > 1:
            share = max(1, max(wanted) // 2)
            wanted = [min(number, share) for number in wanted]
        return wanted if sum(wanted) <= left else wanted[:left] + [0] * (len(wanted) - left)

    def _few(self, group: Cells, number: int) -> Cells:
        """Return some siblings: those on display, with children, or changed, before the others."""
        if len(group) <= number:
            return group
        dull = np.lexsort(
            (group, ~self._links.changed[group], ~self._inner[group], ~self._shown[group])
        )
        chosen: Cells = group[dull[: max(number, int(np.count_nonzero(self._shown[group])))]]
        return chosen


def _nodes(links: _Links, layout: LabelLayout, shown: npt.NDArray[np.bool_]) -> tuple[Node, ...]:
    """Return the shown cells as nodes, and one more for each parent with cells not shown."""
    own = np.arange(links.cells.size)
    # The nearest cell that is shown, above each cell and, for links, above its parent.
    nearest = np.where(shown, own, links.parent)
    for _ in range(int(links.cells.size).bit_length()):
        nearest = nearest[nearest]
    hidden = ~shown
    below = np.bincount(nearest[hidden & shown[nearest]], minlength=links.cells.size)
    made: list[Node] = []
    above: list[int] = []
    for place in np.flatnonzero(shown).tolist():
        parent = int(nearest[links.parent[place]])
        root = links.depth[place] == 0 or not shown[parent]
        above.append(-1 if root else parent)
        made.append(
            Node(
                cell=int(links.cells[place]),
                address=layout.addresses(int(links.cells[place])),
                label=int(links.labels[place]),
                parent=-1,
                skipped=0 if root else int(links.depth[place] - links.depth[parent]) - 1,
                changed=bool(links.changed[place]),
            )
        )
    nodes = _in_order(made, above, np.flatnonzero(shown).tolist(), below.tolist())
    adrift = hidden & ~shown[nearest]
    if adrift.any():
        trees = int(np.count_nonzero(adrift & (links.depth == 0)))
        count = int(np.count_nonzero(adrift))
        nodes.append(Node(TOP, TOP, TOP, -1, folded=count, trees=trees))
    return tuple(nodes)


def _in_order(
    made: list[Node], above: list[int], places: list[int], below: list[int]
) -> list[Node]:
    """Return nodes parents first, with those that stand for others behind their siblings."""
    children: dict[int, list[int]] = {}
    for number, parent in enumerate(above):
        children.setdefault(parent, []).append(number)
    nodes: list[Node] = []
    stack = [(number, -1) for number in reversed(children.get(-1, []))]
    while stack:
        number, parent = stack.pop()
        if number < 0:
            fold = made[-number - 1]
            count = below[places[-number - 1]]
            nodes.append(Node(fold.cell, fold.address, fold.label, parent, folded=count))
            continue
        index = len(nodes)
        nodes.append(replace(made[number], parent=parent))
        if below[places[number]]:
            stack.append((-number - 1, index))
        stack.extend((child, index) for child in reversed(children.get(places[number], [])))
    return nodes


@dataclass(frozen=True)
class Placement:
    """Where nodes are drawn.

    Parameters
    ----------
    x, y : tuple of float
        Middle of each node; y grows downwards.
    width, height : float
        Size of the whole.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    width: float
    height: float


def place_forest(
    children: Children,
    roots: Sequence[int],
    widths: Sequence[float],
    *,
    gap: float,
    row: float,
    aspect: float,
) -> Placement:
    """Return where the nodes of some trees are drawn.

    Parameters
    ----------
    children : sequence of sequence of int
        For each node, its children from left to right.
    roots : sequence of int
        The roots, in the order in which their trees are drawn.
    widths : sequence of float
        Width of each node.
    gap : float
        Room between neighbours.
    row : float
        From the middle of one level to that of the next.
    aspect : float
        Width that is there, as a multiple of the height that is there. Trees go on below others
        where that uses the room better.
    """
    trees = [_laid_out(root, children, widths, gap) for root in roots]
    x, y = [0.0] * len(children), [0.0] * len(children)
    corners, width, height = _shelved(trees, _best_width(trees, gap, row, aspect), gap, row)
    for tree, (left, top) in zip(trees, corners, strict=True):
        for node, place, level in tree.nodes:
            x[node] = left + place - tree.left
            y[node] = top + (level + 0.5) * row
    return Placement(tuple(x), tuple(y), width, height)


@dataclass(frozen=True)
class _Tree:
    """One tree that is laid out: its extent, and x and level of each node."""

    left: float
    width: float
    depth: int
    nodes: tuple[tuple[int, float, int], ...]


def _laid_out(root: int, children: Children, widths: Sequence[float], gap: float) -> _Tree:
    """Set subtrees side by side, as close as their outlines let them, from the leaves up."""
    offset: dict[int, float] = {}
    outlines: dict[int, tuple[list[float], list[float]]] = {}  # left and right end of each level
    for node in _postorder(root, children):
        left: list[float] = []
        right: list[float] = []
        for child in children[node]:
            lefts, rights = outlines.pop(child)
            shift = max((end - begin for end, begin in zip(right, lefts, strict=False)), default=0)
            offset[child] = shift = shift + gap if left else 0.0
            left += [shift + begin for begin in lefts[len(left) :]]
            right[: len(rights)] = [shift + end for end in rights] if shift else rights
        middle = offset[children[node][-1]] / 2 if left else 0.0
        if middle:
            left, right = [x - middle for x in left], [x - middle for x in right]
            for child in children[node]:
                offset[child] -= middle
        half = widths[node] / 2
        outlines[node] = [-half, *left], [half, *right]
    left, right = outlines[root]
    nodes, stack = [], [(root, 0.0, 0)]
    while stack:
        node, x, level = stack.pop()
        nodes.append((node, x, level))
        stack.extend((child, x + offset[child], level + 1) for child in children[node])
    return _Tree(min(left), max(right) - min(left), len(left), tuple(nodes))


def _postorder(root: int, children: Children) -> list[int]:
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(children[node])
    return order[::-1]


def _best_width(trees: Sequence[_Tree], gap: float, row: float, aspect: float) -> float:
    """Return the width of the shelves with which the whole can be shown largest."""
    widest = max((tree.width for tree in trees), default=0.0)
    ends = list(accumulate(tree.width + _BETWEEN * gap for tree in trees))
    limits = {max(end, widest) for end in ends[:: 1 + len(ends) // _CANDIDATES] + ends[-1:]}

    def needed(limit: float) -> float:
        # The larger of width and height says how much everything has to shrink.
        _, width, height = _shelved(trees, limit, gap, row)
        return max(width, height * aspect)

    return min(sorted(limits), key=needed, default=0.0)


def _shelved(
    trees: Sequence[_Tree], limit: float, gap: float, row: float
) -> tuple[list[tuple[float, float]], float, float]:
    """Put trees on shelves; return the left top corner of each, and the size of the whole."""
    corners: list[tuple[float, float]] = []
    left = top = shelf = right = 0.0
    for tree in trees:
        if left > 0 and left + tree.width > limit:
            left, top, shelf = 0.0, top + shelf + row * _SHELF_GAP, 0.0
        corners.append((left, top))
        right = max(right, left + tree.width)
        left += tree.width + _BETWEEN * gap
        shelf = max(shelf, tree.depth * row)
    return corners, right, top + shelf


class Move(Enum):
    """Where to go from a node of a drawn forest."""

    UP = auto()
    DOWN = auto()
    LEFT = auto()
    RIGHT = auto()


def moved(forest: Forest, start: int | None, move: Move) -> int | None:
    """Return the node that a key leads to.

    Parameters
    ----------
    forest : Forest
        The forest.
    start : int or None
        The current node; None for none, from which every key leads to the first root.
    move : Move
        Where to.

    Returns
    -------
    int or None
        The node itself if there is none that way; None in an empty forest.
    """
    if not forest.nodes:
        return None
    if start is None:
        return forest.roots[0]
    if move is Move.UP:
        parent = forest.nodes[start].parent
        return start if parent < 0 else parent
    if move is Move.DOWN:
        below = forest.children[start]
        return below[0] if below else start
    depths: list[int] = []
    for node in forest.nodes:
        depths.append(0 if node.parent < 0 else depths[node.parent] + 1)
    level = [other for other, depth in enumerate(depths) if depth == depths[start]]
    place = level.index(start) + (1 if move is Move.RIGHT else -1)
    return level[min(max(place, 0), len(level) - 1)]


class Tree(Model):
    """The equivalence forest of the pinned component at the step on display.

    Fields: "forest" (another one is to be shown), "pointed" (the user looks at another cell).

    Parameters
    ----------
    analysis : RunAnalysis
        The run on display.
    view : ViewState
        Pin and hover.
    labels : LabelCache
        The labels of the run.
    """

    def __init__(self, analysis: RunAnalysis, view: ViewState, labels: LabelCache) -> None:
        super().__init__()
        self._analysis = analysis
        self._view = view
        self._labels = labels
        self._most = MOST
        self._unfolded = frozenset[int]()
        self._members: tuple[object, Cell, Cells, int] | None = None
        self._made: Forest | None = None
        self._fresh = False
        analysis.changed.connect(self._on_analysis_changed)
        view.changed.connect(self._on_view_changed)

    def close(self) -> None:
        """Follow nobody any more."""
        self._analysis.changed.disconnect(self._on_analysis_changed)
        self._view.changed.disconnect(self._on_view_changed)
        super().close()

    @property
    def forest(self) -> Forest | None:
        """The forest; None if there is nothing to show, for which :attr:`hint` has the reason."""
        if not self._fresh:
            self._made, self._fresh = self._build(), True
        return self._made

    @property
    def hint(self) -> str:
        """Why there is no forest; empty if there is one."""
        if self._analysis.recording is None:
            return "Run an algorithm to see how labels point at each other."
        if self._view.pin is None:
            return "Pin a component to see its tree: click one of its cells."
        return "" if self.forest is not None else "The pinned cell is background: pin another one."

    @property
    def summary(self) -> str:
        """What there is to say of the whole forest, in a line."""
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
        if self._members is not None and self._members[3] > self._members[2].size:
            parts.append(f"only cells near the pin, of {self._members[3]:,}")
        return ", ".join(parts)

    @property
    def colours(self) -> npt.NDArray[np.uint8]:
        """Palette index of each node, ``uint8`` of shape (nodes,), as the canvas has them."""
        forest, colouring = self.forest, self._analysis.display.colouring
        if forest is None or colouring is None or not forest.nodes:
            return np.zeros(0, np.uint8)
        labels = np.array([[node.label for node in forest.nodes]], np.int32)
        every = replace(colouring, components=np.ones(labels.shape, np.int32))
        return label_indices(labels, every).reshape(-1)

    @property
    def pinned(self) -> int | None:
        """The node that shows the pinned cell, or stands for it."""
        return None if self._view.pin is None else self.showing(self._view.pin.cell)

    @property
    def pointed(self) -> int | None:
        """The node of the cell under the mouse or the cursor, on the canvas or here."""
        cell = self._view.hover or self._view.cursor
        return None if cell is None else self.showing(cell)

    def showing(self, cell: Cell) -> int | None:
        """Return the node that shows a cell, or stands for it; None if no node does."""
        forest, recording = self.forest, self._analysis.recording
        if forest is None or recording is None or not self._is_member(cell):
            return None
        layout, index = recording.layout, self._analysis.display.index
        lookup = self._labels.lookup(recording, index)
        place = cell[1] * layout.width + cell[0]
        for climbed in range(_CLIMB):
            node = forest.places.get(place)
            if node is not None:
                folds = (i for i in forest.children[node] if forest.nodes[i].folded)
                return node if not climbed else next(folds, node)
            parent = int(layout.parents(lookup(np.array([place])))[0])
            if parent in (place, -1) or parent >= layout.width * layout.height:
                break
            place = parent
        return None

    def cell_of(self, node: Node) -> Cell | None:
        """Return the cell of a node; None for one that stands for others."""
        recording = self._analysis.recording
        if node.folded or recording is None:
            return None
        return node.cell % recording.layout.width, node.cell // recording.layout.width

    def describe(self, node: Node) -> str:
        """Return what there is to say of a node, in a sentence."""
        cell = self.cell_of(node)
        if node.trees:
            return f"{counted(node.trees, 'more tree')} with {counted(node.folded, 'cell')}"
        if cell is None:
            return f"{counted(node.folded, 'more cell')} below {node.address}: click to unfold"
        kind = "a root" if node.parent < 0 else f"label {node.label}"
        changed = ", changed in this step" if node.changed else ""
        return f"{node.address}: cell ({cell[0]}, {cell[1]}), {kind}{changed}"

    def set_most(self, nodes: int) -> None:
        """Show about so many nodes, for which there is room."""
        most = min(max(nodes // 12 * 12, 24), 240)
        if most != self._most:
            self._most = most
            self._change()

    def press(self, index: int) -> None:
        """Pin the cell of a node; unfold one that stands for others."""
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

    def point_at(self, index: int | None) -> None:
        """Show the cell of a node on the canvas as if the mouse were over it."""
        forest = self.forest
        node = None if forest is None or index is None else forest.nodes[index]
        self._view.hover_at(None if node is None else self.cell_of(node))

    @property
    def unfolded(self) -> bool:
        """Whether anything was unfolded."""
        return bool(self._unfolded)

    def fold(self) -> None:
        """Fold again what was unfolded."""
        if self._unfolded:
            self._unfolded = frozenset()
            self._change()

    @property
    def can_pin(self) -> bool:
        """Whether there is a component to be pinned."""
        components = self._analysis.display.components
        return components is not None and len(components.areas) > 1

    def pin_largest(self) -> None:
        """Pin the first cell of the component with the most cells."""
        components = self._analysis.display.components
        if components is None or len(components.areas) < 2:
            return
        number = int(components.areas[1:].argmax()) + 1
        left, top = (int(side) for side in components.boxes[number, :2])
        row = components.components[top, left:]
        self._view.pin_cell((left + int((row == number).argmax()), top), component=True)

    def _on_analysis_changed(self, fields: frozenset[str]) -> None:
        if fields & {"display", "recording"}:
            self._unfolded, self._members = frozenset(), None
        if fields & {"display", "recording", "count", "index"}:
            self._change()

    def _on_view_changed(self, fields: frozenset[str]) -> None:
        if "pin" in fields:
            self._change()
        elif fields & {"hover", "cursor"}:
            self._announce("pointed")

    def _change(self) -> None:
        self._fresh = False
        self._announce("forest")

    def _is_member(self, cell: Cell) -> bool:
        colouring, pin = self._analysis.display.colouring, self._view.pin
        if colouring is None or pin is None:
            return False
        components = colouring.components
        height, width = components.shape
        inside = 0 <= cell[0] < width and 0 <= cell[1] < height
        return inside and bool(components[cell[1], cell[0]] == components[pin.cell[1], pin.cell[0]])

    def _build(self) -> Forest | None:
        display, pin = self._analysis.display, self._view.pin
        recording, colouring = display.recording, display.colouring
        if recording is None or colouring is None or pin is None or not self._is_member(pin.cell):
            return None
        if not colouring.components[pin.cell[1], pin.cell[0]]:
            return None
        index = display.index
        return build_forest(
            self._labels.lookup(recording, index),
            self._labels.lookup(recording, index - 1) if index else None,
            recording.layout,
            self._members_at(colouring.components, pin.cell),
            (pin.cell[1] * recording.layout.width + pin.cell[0],),
            Limits(most=self._most + _UNFOLDED * len(self._unfolded), unfolded=self._unfolded),
        )

    def _members_at(self, components: Labels, pin: Cell) -> Cells:
        """Return the cells of a component, or those near the pin if there are too many."""
        known = self._members
        if known is not None and known[0] is components and known[1] == pin:
            return known[2]
        cells = np.flatnonzero(components == components[pin[1], pin[0]])
        whole = cells.size
        if whole > _LARGEST:
            y, x = np.divmod(cells, components.shape[1])
            cells = cells[(abs(x - pin[0]) <= _NEAR) & (abs(y - pin[1]) <= _NEAR)]
        self._members = components, pin, cells, whole
        return cells
