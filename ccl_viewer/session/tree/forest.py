"""The equivalence forest of some cells: who points at whom, with few enough nodes to be drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ccl_viewer.pieces import distinct, left_out
from ccl_viewer.plan import LabelLayout
from ccl_viewer.session.state import Cell

Cells = npt.NDArray[np.int64]
Labels = npt.NDArray[np.int32]

FEW = 24
"""Forests of up to this many cells are shown whole."""

MOST = 120
"""Nodes that are shown at most, of which no more than one each stands for others."""

SIBLINGS = 6
"""Children of one parent that are shown before the rest of them is folded."""

TOP = -1
"""Stands for the parent of all roots, where roots are folded."""

_CHAIN = 24
_CLOSURE = 64


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
    labels: Labels,
    before: Labels | None,
    layout: LabelLayout,
    cells: Cells,
    focus: Collection[int] = (),
    limits: Limits | None = None,
) -> Forest:
    """Return the forest of some cells at a step.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels of the step.
    before : ndarray of int32, shape (height, width), or None
        Those of the step before; None at the first, before which no cell has a label.
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


def cell_of(cell: int, layout: LabelLayout) -> Cell:
    """Return column and row of a cell given as ``y * width + x``."""
    return cell % layout.width, cell // layout.width


def _links_of(
    labels: Labels, before: Labels | None, layout: LabelLayout, cells: Cells
) -> tuple[_Links, int]:
    flat = labels.reshape(-1)
    size = flat.size
    given = cells.size
    unlabelled = 0
    for _ in range(_CLOSURE):
        pointed = layout.parents(flat[cells])
        inside = (pointed >= 0) & (pointed < size)
        unlabelled = given - int(np.count_nonzero(inside)) if cells.size == given else unlabelled
        missing = left_out(pointed[inside], cells)
        if not missing.size:
            break
        cells = distinct(np.concatenate([cells, missing]))
    cells, pointed = cells[inside], pointed[inside]
    place = np.searchsorted(cells, pointed)
    place[place == cells.size] = 0
    # A parent that has no label itself is where its tree ends.
    known = cells[place] == pointed if cells.size else np.zeros(0, np.bool_)
    parent = np.where(known, place, np.arange(cells.size))
    parent, depth, circles = _depths(parent)
    old = layout.background if before is None else before.reshape(-1)[cells]
    changed = flat[cells] != old
    return _Links(cells, flat[cells], changed, parent, depth, circles), unlabelled


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
