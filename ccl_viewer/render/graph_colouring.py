"""Colour the nodes of a graph so that neighbours differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.forest import Cells, Mask
from ccl_viewer.render.themes import HUES, LABEL_COLOURS
from ccl_viewer.support.cancellation import Check, never_cancel

Colours = npt.NDArray[np.uint8]
Costs = npt.NDArray[np.float64]

DOTTED_COST: Final = 0.125
"""Cost of a dotted colour: more than an equal plain colour far away, less than one nearby."""

_COLOURS: Final = len(LABEL_COLOURS)
_PLAIN: Final = len(HUES)
_OPEN: Final = _COLOURS  # a node without a colour so far


@dataclass(frozen=True, eq=False)
class Conflicts:
    """Pairs of nodes, shape (pairs,), and the cost of the same colour for both."""

    one: Cells
    other: Cells
    costs: Costs

    def weighted_degrees(self, nodes: int) -> Costs:
        """Return the sum of the costs at each node."""
        sums: Costs = np.bincount(self.one, self.costs, nodes).astype(np.float64)
        sums += np.bincount(self.other, self.costs, nodes)
        return sums


@dataclass(frozen=True, eq=False)
class NodePreferences:
    """Preferences of each node of a graph; all arrays have shape (nodes,)."""

    wishes: Colours  # preferred colour, from 0
    pull: Costs  # value of the preference; 0 if it only starts the search
    fixed: Mask  # nodes that get their preferred colour at any cost

    def __len__(self) -> int:
        return self.wishes.size


def colour_graph(
    nodes: NodePreferences, conflicts: Conflicts, priority: Costs, check: Check = never_cancel
) -> Colours:
    """Colour nodes by descending priority, each with the cheapest colour.

    So a node with fewer neighbours than colours differs from all of them. All nodes are coloured
    together when their neighbours of higher priority have colours.

    The colours, of shape (nodes,), are from 0.

    Source: M. T. Jones, P. E. Plassmann: A parallel graph coloring heuristic. SIAM J. Sci. Comput.
    14 (1993)
    """
    count = len(nodes)
    colours = np.where(nodes.fixed, nodes.wishes, _OPEN).astype(np.uint8)
    matter = ~(nodes.fixed[conflicts.one] & nodes.fixed[conflicts.other])
    one, other, costs = (part[matter] for part in vars(conflicts).values())
    source, target = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.argsort(source, kind="stable")
    target, costs = target[order], np.concatenate([costs, costs])[order]
    degrees = np.bincount(source, minlength=count)
    starts = np.cumsum(degrees) - degrees
    check()
    rank = np.empty(count, np.int64)
    rank[np.argsort(-priority, kind="stable")] = np.arange(count)
    later = np.where(rank[one] > rank[other], one, other)
    waits = ~(nodes.fixed[one] | nodes.fixed[other])
    waiting = np.bincount(later[waits], minlength=count)
    front = np.flatnonzero((waiting == 0) & ~nodes.fixed)
    while front.size:
        check()
        sizes = degrees[front]
        ends = np.cumsum(sizes)
        edges = np.arange(int(ends[-1])) + np.repeat(starts[front] - ends + sizes, sizes)
        near = target[edges]
        near_colours = colours[near]
        coloured = near_colours != _OPEN
        places = (
            np.repeat(np.arange(front.size), sizes)[coloured] * _COLOURS + near_colours[coloured]
        )
        shared = np.bincount(places, costs[edges[coloured]], front.size * _COLOURS)
        spent = shared.reshape(-1, _COLOURS) + _preferences(nodes, front)
        colours[front] = spent.argmin(axis=1)
        released, times = np.unique(near[~coloured], return_counts=True)
        waiting[released] -= times
        front = released[waiting[released] == 0]
    return colours


def _preferences(nodes: NodePreferences, which: Cells) -> Costs:
    """Return the costs of colours for some nodes, independent of their neighbours."""
    colours, wishes = np.arange(_COLOURS), nodes.wishes[which].astype(np.int64)
    turns = (colours[None, :] - wishes[:, None]) % _PLAIN
    costs = turns * 1e-6 + (colours >= _PLAIN) * DOTTED_COST
    costs[np.arange(which.size), wishes] -= nodes.pull[which]
    return costs
