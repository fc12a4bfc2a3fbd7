"""The equivalence forest of the pinned component at the step on display."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ccl_viewer.counted import counted
from ccl_viewer.pieces import PIECE, bands
from ccl_viewer.render.palette import Colouring, label_indices
from ccl_viewer.session.session import Session
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell
from ccl_viewer.session.tree.forest import (
    MOST,
    Cells,
    Forest,
    Labels,
    Limits,
    Node,
    build_forest,
    cell_of,
)

LARGEST = 1 << 16
"""Of components of more cells, only those near the pinned cell are looked at."""

_NEAR = 128
_SAMPLE = 1 << 20
_FEWEST, _MOST, _STEP = 24, 240, 12
_UNFOLDED = 48
"""How many more nodes are shown for each node that was unfolded."""

NO_RUN = "Run an algorithm to see how labels point at each other."
NO_PIN = "Pin a component (Ctrl+click) to see its tree."
WAITING = "Reading the labels of this step\N{HORIZONTAL ELLIPSIS}"
BACKGROUND = "The pinned cell is background: pin one of a component."


@dataclass(frozen=True, eq=False)
class _Members:
    """The cells of a component, as far as they are looked at."""

    components: Labels
    pinned: Cell
    cells: Cells
    whole: int


class PinnedTree:
    """Follows the pin and the step of a session.

    Parameters
    ----------
    session : Session
        What is on display.

    Attributes
    ----------
    changed : Signal
        Another forest is to be shown.
    """

    def __init__(self, session: Session) -> None:
        self.changed = Signal()
        self._session = session
        self._unfolded = frozenset[int]()
        self._most = MOST
        self._members: _Members | None = None
        self._made: tuple[tuple[object, ...], Forest | None] | None = None
        for signal in (
            session.recording_changed,
            session.playback.position_changed,
            session.look.pin_changed,
            session.step_labels.arrived,
        ):
            signal.connect(self._follow)

    @property
    def forest(self) -> Forest | None:
        """The forest; None if there is nothing to show, for which :attr:`hint` has the reason."""
        session, pinned = self._session, self._session.look.pinned
        key = session.recording, session.playback.position, pinned, self._unfolded, self._most
        if self._made is None or not _same(self._made[0], key):
            if self.waits:
                return self._made[1] if self._made and self._made[0][0] is key[0] else None
            self._made = key, self._build(pinned)
        return self._made[1]

    @property
    def waits(self) -> bool:
        """Whether labels are being decoded still; meanwhile, the forest before is shown."""
        labels = self._session.step_labels
        pinned = self._session.look.pinned is not None
        return pinned and (labels.waits() or labels.waits(before=True))

    @property
    def hint(self) -> str:
        """Why there is no forest; empty if there is one."""
        session = self._session
        if session.recording is None:
            return NO_RUN
        if session.look.pinned is None:
            return NO_PIN
        if self.forest is not None:
            return ""
        return WAITING if self.waits else BACKGROUND

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
        members = self._members
        if members is not None and members.whole > members.cells.size:
            parts.append(f"only cells near the pin, of {members.whole:,}")
        return ", ".join(parts)

    @property
    def colours(self) -> npt.NDArray[np.uint8]:
        """Palette index of each node, ``uint8`` of shape (nodes,), as the canvas has them."""
        forest, colouring = self.forest, self._session.colouring
        if forest is None or colouring is None or not forest.nodes:
            return np.zeros(0, np.uint8)
        labels = np.array([[node.label for node in forest.nodes]], np.int32)
        labels = labels.reshape(1, len(forest.nodes))
        return label_indices(labels, _everywhere(colouring, labels.shape)).reshape(-1)

    def place(self, node: Node) -> Cell | None:
        """Return the cell of a node; None for one that stands for others."""
        recording = self._session.recording
        return None if node.folded or recording is None else cell_of(node.cell, recording.layout)

    def describe(self, node: Node) -> str:
        """Return what there is to say of a node, in a sentence."""
        cell = self.place(node)
        if node.trees:
            return f"{counted(node.trees, 'more tree')} with {counted(node.folded, 'cell')}"
        if cell is None:
            return f"{counted(node.folded, 'more cell')} below {node.address}: click to unfold"
        kind = "a root" if node.parent < 0 else f"label {node.label}"
        changed = ", changed in this step" if node.changed else ""
        return f"{node.address}: cell ({cell[0]}, {cell[1]}), {kind}{changed}"

    def showing(self, cell: Cell) -> int | None:
        """Return the node that shows a cell, or that stands for it; None if it is of no node."""
        forest, recording = self.forest, self._session.recording
        if forest is None or recording is None:
            return None
        width = recording.layout.width
        chain = (cell, *self._session.inspect(cell).chain)
        for number, (x, y) in enumerate(chain):
            index = forest.places.get(y * width + x)
            if index is None:
                continue
            if number == 0:
                return index
            folds = (i for i in forest.children[index] if forest.nodes[i].folded)
            return next(folds, index)
        return None

    def make_room(self, nodes: int) -> None:
        """Say for how many nodes there is room; some more or fewer make no difference."""
        self._most = min(max(nodes // _STEP * _STEP, _FEWEST), _MOST)

    def press(self, index: int) -> None:
        """Pin the cell of a node; unfold one that stands for others."""
        forest = self.forest
        if forest is None or not 0 <= index < len(forest.nodes):
            return
        node = forest.nodes[index]
        cell = self.place(node)
        if cell is None:
            self._unfolded |= {node.cell}
            self.changed.emit()
        elif cell != self._session.look.pinned:
            self._session.look.pin(cell, component=True)

    def fold(self) -> None:
        """Fold again what was unfolded."""
        if self._unfolded:
            self._unfolded = frozenset()
            self.changed.emit()

    @property
    def unfolded(self) -> bool:
        """Whether anything was unfolded."""
        return bool(self._unfolded)

    @property
    def can_pin(self) -> bool:
        """Whether there is a component to be pinned."""
        return self._session.colouring is not None

    def pin_largest(self) -> None:
        """Pin the first cell of the component with the most cells; of large grids, in a sample."""
        colouring = self._session.colouring
        if colouring is None:
            return
        every = 1 + colouring.components.size // _SAMPLE
        sizes = np.bincount(colouring.components.reshape(-1)[::every])
        if sizes.size > 1:
            number = int(sizes[1:].argmax()) + 1
            first = int((colouring.components.reshape(-1) == number).argmax())
            y, x = divmod(first, colouring.layout.width)
            self._session.look.pin((x, y), component=True)

    def _follow(self) -> None:
        recording = self._session.recording
        if self._made is None or self._made[0][0] is not recording:
            self._unfolded = frozenset()
        self.changed.emit()

    def _build(self, pinned: Cell | None) -> Forest | None:
        session = self._session
        if pinned is None:
            return None
        recording, labels, colouring = session.recording, session.labels, session.colouring
        if recording is None or labels is None or colouring is None:
            return None
        if not (pinned[0] < labels.shape[1] and pinned[1] < labels.shape[0]):
            return None
        members = self._members_of(colouring, pinned)
        if members is None:
            return None
        focus = pinned[1] * labels.shape[1] + pinned[0]
        return build_forest(
            labels,
            session.labels_before,
            recording.layout,
            members.cells,
            (focus,),
            Limits(most=self._most + _UNFOLDED * len(self._unfolded), unfolded=self._unfolded),
        )

    def _members_of(self, colouring: Colouring, pinned: Cell) -> _Members | None:
        components, known = colouring.components, self._members
        if known is None or known.components is not components or known.pinned != pinned:
            number = components[pinned[1], pinned[0]]
            if not number:
                return None
            whole, cells = _all_of(components, number)
            if cells is None:
                cells = _near(components, number, pinned)
            self._members = _Members(components, pinned, cells, whole)
        return self._members


def _all_of(components: Labels, number: np.int32) -> tuple[int, Cells | None]:
    """Count the cells of a component; return them, too, unless there are more than are shown."""
    whole, found, width = 0, [], components.shape[1]
    # No array as large as the grid: its memory would be dearer than the search.
    for rows in bands(components.shape, PIECE):
        cells = np.flatnonzero(components[rows] == number)
        whole += cells.size
        if cells.size and whole <= LARGEST:
            found.append(cells + rows.start * width)
    return whole, np.concatenate(found) if whole <= LARGEST else None


def _near(components: Labels, number: np.int32, pinned: Cell) -> Cells:
    """Return the cells of a component that are near the pinned one, as ``y * width + x``."""
    left, top = max(pinned[0] - _NEAR, 0), max(pinned[1] - _NEAR, 0)
    y, x = np.nonzero(components[top : pinned[1] + _NEAR, left : pinned[0] + _NEAR] == number)
    cells: Cells = (y + top) * components.shape[1] + x + left
    return cells


def _same(before: tuple[object, ...], now: tuple[object, ...]) -> bool:
    return before[0] is now[0] and before[1:] == now[1:]


def _everywhere(colouring: Colouring, shape: tuple[int, ...]) -> Colouring:
    """Return colours that take every cell for foreground."""
    return replace(colouring, components=np.ones(shape, np.int32))
