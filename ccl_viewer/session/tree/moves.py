"""Where keys lead in a drawn forest: up to the parent, down to a child, along a level."""

from __future__ import annotations

from enum import Enum, auto

from ccl_viewer.session.tree.forest import Forest


class Move(Enum):
    """Where to go from a node."""

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
        The node that is current; None for none, from which every key leads to the first root.
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
    level = _level_of(forest, start)
    place = level.index(start) + (1 if move is Move.RIGHT else -1)
    return level[min(max(place, 0), len(level) - 1)]


def _level_of(forest: Forest, index: int) -> list[int]:
    """Return the nodes as deep as one, from left to right."""
    depths: list[int] = []
    for node in forest.nodes:
        depths.append(0 if node.parent < 0 else depths[node.parent] + 1)
    return [other for other, depth in enumerate(depths) if depth == depths[index]]
