"""Where the nodes of trees are drawn: tidy trees in linear time, packed side by side.

The layout of one tree is that of Reingold and Tilford as Walker generalised it, in the form that
C. Buchheim, M. Juenger and S. Leipert gave it: "Improving Walker's Algorithm to Run in Linear
Time", Graph Drawing 2002. It is written without recursion, since chains of parents may be long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

_BETWEEN = 2.5
"""Room between trees, as a multiple of that between neighbours."""

_SHELF_GAP = 0.3
"""Room between shelves, as a share of a row."""

_CANDIDATES = 32
"""Widths of shelves that are tried."""

Children = Sequence[Sequence[int]]
"""For each node, its children from left to right."""


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

    Returns
    -------
    Placement
        In which no two nodes overlap and each parent is in the middle over its children.
    """
    tidy = _Tidy(children, widths, gap)
    trees = [tidy.place(root) for root in roots]
    x, y = [0.0] * len(children), [0.0] * len(children)
    corners, width, height = _shelved(trees, _best_width(trees, gap, row, aspect), gap, row)
    for tree, (left, top) in zip(trees, corners, strict=True):
        for node, level in tree.levels:
            x[node] = left + tidy.x[node] - tree.left
            y[node] = top + (level + 0.5) * row
    return Placement(tuple(x), tuple(y), width, height)


@dataclass(frozen=True)
class _Tree:
    """One tree that is laid out: its extent, and the level of each node from 0."""

    left: float
    width: float
    depth: int
    levels: tuple[tuple[int, int], ...]


class _Tidy:
    """Lays out trees, one after the other."""

    def __init__(self, children: Children, widths: Sequence[float], gap: float) -> None:
        count = len(children)
        self.x = [0.0] * count
        self._children = children
        self._widths = widths
        self._gap = gap
        self._parent = [-1] * count
        self._number = [0] * count
        self._prelim = [0.0] * count
        self._mod = [0.0] * count
        self._shift = [0.0] * count
        self._change = [0.0] * count
        self._thread = [-1] * count
        self._ancestor = list(range(count))
        for node, below in enumerate(children):
            for number, child in enumerate(below):
                self._parent[child], self._number[child] = node, number

    def place(self, root: int) -> _Tree:
        """Lay out the tree below a root."""
        levels = self._levels(root)
        default = {node: self._children[node][0] for node, _ in levels if self._children[node]}
        for node, _ in reversed(levels):
            self._settle(node)
        # In postorder: a node is set apart from its left siblings once its subtree is laid out.
        for node in _postorder(root, self._children):
            self._first(node)
            parent = self._parent[node]
            if node != root and parent >= 0:
                default[parent] = self._apportion(node, default[parent])
        left, right = self._second(root)
        depth = 1 + max(level for _, level in levels)
        return _Tree(left, right - left, depth, tuple(levels))

    def _settle(self, node: int) -> None:
        self._prelim[node] = self._mod[node] = self._shift[node] = self._change[node] = 0.0
        self._thread[node], self._ancestor[node] = -1, node

    def _levels(self, root: int) -> list[tuple[int, int]]:
        levels = [(root, 0)]
        for node, level in levels:
            levels.extend((child, level + 1) for child in self._children[node])
        return levels

    def _first(self, node: int) -> None:
        """Give a node its place beside its left sibling, its children being placed."""
        below = self._children[node]
        left = self._left_sibling(node)
        middle = 0.0
        if below:
            self._execute_shifts(node)
            middle = (self._prelim[below[0]] + self._prelim[below[-1]]) / 2
        if left < 0:
            self._prelim[node] = middle
        else:
            self._prelim[node] = self._prelim[left] + self._apart(left, node)
            if below:
                self._mod[node] = self._prelim[node] - middle

    def _apportion(self, node: int, default: int) -> int:
        """Move a subtree right until it is clear of those at its left; return the new default."""
        left = self._left_sibling(node)
        if left < 0:
            return default
        # Inner and outer contours of the subtree (right) and of all those before it (left).
        inner_right = outer_right = node
        inner_left = left
        outer_left = self._children[self._parent[node]][0]
        sums = [self._mod[place] for place in (inner_left, inner_right, outer_left, outer_right)]
        while self._next_right(inner_left) >= 0 and self._next_left(inner_right) >= 0:
            inner_left, inner_right = self._next_right(inner_left), self._next_left(inner_right)
            outer_left, outer_right = self._next_left(outer_left), self._next_right(outer_right)
            self._ancestor[outer_right] = node
            shift = (
                self._prelim[inner_left]
                + sums[0]
                - self._prelim[inner_right]
                - sums[1]
                + self._apart(inner_left, inner_right)
            )
            if shift > 0:
                self._move(self._ancestor_of(inner_left, node, default), node, shift)
                sums[1] += shift
                sums[3] += shift
            for index, place in enumerate((inner_left, inner_right, outer_left, outer_right)):
                sums[index] += self._mod[place]
        if self._next_right(inner_left) >= 0 and self._next_right(outer_right) < 0:
            self._thread[outer_right] = self._next_right(inner_left)
            self._mod[outer_right] += sums[0] - sums[3]
        if self._next_left(inner_right) >= 0 and self._next_left(outer_left) < 0:
            self._thread[outer_left] = self._next_left(inner_right)
            self._mod[outer_left] += sums[1] - sums[2]
            default = node
        return default

    def _move(self, left: int, right: int, shift: float) -> None:
        """Move a subtree, and note that those between are to be spread out."""
        between = self._number[right] - self._number[left]
        self._change[right] -= shift / between
        self._shift[right] += shift
        self._change[left] += shift / between
        self._prelim[right] += shift
        self._mod[right] += shift

    def _execute_shifts(self, node: int) -> None:
        shift = change = 0.0
        for child in reversed(self._children[node]):
            self._prelim[child] += shift
            self._mod[child] += shift
            change += self._change[child]
            shift += self._shift[child] + change

    def _second(self, root: int) -> tuple[float, float]:
        """Add up what was moved on the way down; return the left and right ends."""
        left, right = float("inf"), float("-inf")
        stack = [(root, 0.0)]
        while stack:
            node, moved = stack.pop()
            self.x[node] = self._prelim[node] + moved
            left = min(left, self.x[node] - self._widths[node] / 2)
            right = max(right, self.x[node] + self._widths[node] / 2)
            moved += self._mod[node]
            stack.extend((child, moved) for child in self._children[node])
        return left, right

    def _apart(self, left: int, right: int) -> float:
        return (self._widths[left] + self._widths[right]) / 2 + self._gap

    def _left_sibling(self, node: int) -> int:
        parent, number = self._parent[node], self._number[node]
        return self._children[parent][number - 1] if parent >= 0 and number else -1

    def _next_left(self, node: int) -> int:
        return self._children[node][0] if self._children[node] else self._thread[node]

    def _next_right(self, node: int) -> int:
        return self._children[node][-1] if self._children[node] else self._thread[node]

    def _ancestor_of(self, inner_left: int, node: int, default: int) -> int:
        ancestor = self._ancestor[inner_left]
        return ancestor if self._parent[ancestor] == self._parent[node] else default


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
