"""Facts about labels, computed by ``kernels/facts.cu`` on the device that has the labels."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import ArrayBackend
from ccl_viewer.execution.plan import Kernel, LabelLayout
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.support.cancellation import Check, never_cancel

_FACTS: Final = "facts"
_PICTURES: Final = "pictures"
_PACKED: Final = 64  # as in facts.cu
_CHANGES: Final = 9
_TREES: Final = 6
_MOST_ROUNDS: Final = 6  # of 64 links each, enough for 2^31 cells
_MOST_AT_ONCE: Final = 64  # frames
_ROOM_SHARE: Final = 16  # fraction of the room for links that are counted together

DeviceArray = Any
"""An array on the backend's device, NumPy's or CuPy's."""


@dataclass(frozen=True)
class ChangeCounts:
    """Counts of what a step did to cells.

    Parameters
    ----------
    first, smaller, larger, lost : int
        Cells that got their first label, got a smaller label, got a larger label, lost their label.
    roots : int
        Foreground cells with a label that names the cell itself.
    hooked, made : int
        Foreground cells that stopped being roots, and that became roots.
    indirect : int
        Foreground cells with a label that names a non-root.
    unlabelled : int
        Foreground cells without a label.
    """

    first: int
    smaller: int
    larger: int
    lost: int
    roots: int
    hooked: int
    made: int
    indirect: int
    unlabelled: int

    @property
    def changed(self) -> int:
        """Cells with a changed label."""
        return self.first + self.smaller + self.larger + self.lost


@dataclass(frozen=True)
class TreeCounts:
    """A step's trees compared with the end of the run.

    Parameters
    ----------
    wrong : int
        Cells that do not lead to the final root of their component.
    mixed : int
        Cells with a label that names a cell of another component, background, or no cell.
    depth : int
        Most labels to follow from a cell to its root.
    left : int
        Foreground cells without a final label, which `wrong` does not count.
    apart : int
        Cells with a root other than their final one.
    trees : int
        Cells that are the root of a tree, including background.
    """

    wrong: int
    mixed: int
    depth: int
    left: int
    apart: int
    trees: int


@dataclass(frozen=True, eq=False)
class FinalRoots:
    """The final roots of a run; arrays on the device, of the grid's shape.

    Parameters
    ----------
    wanted : array of int32
        The expected root of each cell; -1 for cells that do not count, -2 if there is no root.
    links : array of uint64
        The links of the last labels, as from :meth:`GridKernels.find_roots_and_depths`.
    """

    wanted: DeviceArray
    links: DeviceArray


class GridKernels:
    """Kernels that count facts about frames of labels of one grid.

    Frames are arrays on the device of the backend: the labels after a step, without padding,
    ``int32`` of the grid's shape. All methods are thread-safe.

    Parameters
    ----------
    backend : ArrayBackend
        The array backend of the frames' device.
    image : ndarray of uint8, shape (height, width)
        The grid; 0 is background.
    connectivity : int
        4 or 8.
    multivalued : bool
        Whether only cells of equal value connect.
    placed : array of uint8 or None
        The image on the device, if it is there already.

    Attributes
    ----------
    backend : ArrayBackend
        The array backend of the frames' device.
    image : array of uint8
        The image on the device.
    """

    def __init__(
        self,
        backend: ArrayBackend,
        image: npt.NDArray[np.uint8],
        connectivity: int,
        *,
        multivalued: bool = False,
        placed: DeviceArray | None = None,
    ) -> None:
        self.backend = backend
        self._shape = image.shape
        self._cells = image.size
        self.image = backend.to_device(image) if placed is None else placed
        self._corners, self._by_value = np.int32(connectivity == 8), np.int32(multivalued)
        self._components: DeviceArray = None
        self._numbers: tuple[DeviceArray, int] | None = None
        self._chosen: WeakKeyDictionary[ChosenCells, DeviceArray] = WeakKeyDictionary()
        self._lock = threading.RLock()

    # The components

    def component_first_cells(self) -> DeviceArray:
        """Return the first cell of each cell's component, int32; -1 on background."""
        with self._lock:
            if self._components is None:
                self._components = self._find_components()
            return self._components

    def _find_components(self) -> DeviceArray:
        components, cells = self.backend.empty(self._shape, np.int32), np.int32(self._cells)
        width = np.int32(self._shape[1])
        start, neighbours = (self.image, components, width, cells), (self._corners, self._by_value)
        self._launch_per_cell("facts_components_init", *start, self._by_value)
        self._launch_per_cell("facts_components_merge", *start, *neighbours)
        self._launch_per_cell("facts_components_flatten", components, cells)
        return components

    def component_numbers(self) -> tuple[DeviceArray, int]:
        """Return the number of each cell's component, and the number of components.

        Returns
        -------
        component_numbers : array of int32, of the grid's shape
            0 on background; 1 to the count in raster order of each component's first cell.
        count : int
            Number of components.
        """
        with self._lock:
            if self._numbers is None:
                self._numbers = self._find_numbers()
            return self._numbers

    def _find_numbers(self) -> tuple[DeviceArray, int]:
        components, cells = self.component_first_cells(), np.int32(self._cells)
        counts = self.backend.empty(self._pieces, np.int32)
        self._launch_piecewise("facts_components_count", components, counts, cells)
        ends = np.cumsum(self.backend.to_host(counts), dtype=np.int32)
        before = np.append(np.int32(0), ends[:-1])
        numbers = self.backend.empty(self._shape, np.int32)
        placed = self.backend.to_device(before)
        self._launch_piecewise("facts_components_begin", components, placed, numbers, cells)
        self._launch_per_cell("facts_components_number", components, numbers, cells)
        return numbers, int(ends[-1])

    @property
    def component_count(self) -> int:
        """Number of components."""
        return self.component_numbers()[1]

    def measure_components(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
        """Return area and box of each component.

        Returns
        -------
        areas : ndarray of uint32, shape (count + 1,)
            Cells of each component; element 0 (background) is 0.
        boxes : ndarray of int32, shape (count + 1, 4)
            First column and row, and the ones after the last; row 0 (background) is 0.
        """
        numbers, count = self.component_numbers()
        areas = self.backend.empty(count + 1, np.uint32, 0)
        begin = np.zeros((count + 1, 4), np.int32)
        begin[1:, :2] = max(self._shape)
        boxes = self.backend.to_device(begin)
        width = np.int32(self._shape[1])
        self._launch_per_cell("facts_measure", numbers, areas, boxes, width, np.int32(self._cells))
        return self.backend.to_host(areas), self.backend.to_host(boxes)

    # Frames. Reading a result waits for the GPU, so counts of many frames are read together.

    @property
    def batch_size(self) -> int:
        """Best number of frames for one call of :meth:`count_trees`."""
        if self.backend.on_host:
            return 1
        links = self._cells * np.dtype(np.uint64).itemsize
        return min(max(self.backend.memory_budget // _ROOM_SHARE // links, 1), _MOST_AT_ONCE)

    def count_changes(
        self, pairs: Sequence[tuple[DeviceArray | None, DeviceArray]], layout: LabelLayout
    ) -> list[ChangeCounts]:
        """Count the changes from one frame to another, for each pair.

        None stands for the state before the first frame, without labels.
        """
        counters = self.backend.empty((len(pairs), _CHANGES), np.uint32, 0)
        numbers = _list_layout_numbers(layout)
        for (before, after), counter in zip(pairs, counters, strict=True):
            frames = (self.image, after if before is None else before, after, counter)
            self._count("facts_changes", frames, (np.int32(before is not None), *numbers))
        return [ChangeCounts(*counts) for counts in self._read_counters(counters)]

    def count_differing(self, pairs: Sequence[tuple[DeviceArray, DeviceArray]]) -> list[int]:
        """Count the values that differ between two arrays of int32 or int64, for each pair."""
        counters = self.backend.empty((len(pairs), 1), np.uint32, 0)
        for (before, after), counter in zip(pairs, counters, strict=True):
            self._count(_choose_kernel_name("facts_differing", after), (before, after, counter))
        return [count for (count,) in self._read_counters(counters)]

    def count_doubtful(self, labels: DeviceArray, layout: LabelLayout) -> int:
        """Count the cells with doubtful labels; the labels are correct if there are none.

        Not all doubtful cells are wrong ones: :func:`~ccl_viewer.reference.find_wrong_cells`.
        """
        counter = self.backend.empty(1, np.uint32, 0)
        arrays = (labels, self.component_first_cells(), counter)
        self._count("facts_judge", arrays, _list_layout_numbers(layout))
        return int(self.backend.to_host(counter)[0])

    def find_roots_and_depths(
        self, frames: Sequence[DeviceArray], layout: LabelLayout, check: Check = never_cancel
    ) -> list[DeviceArray]:
        """Return the root of each cell and its distance, for each frame.

        Parameters
        ----------
        frames : sequence of arrays of int32
            The frames.
        layout : LabelLayout
            The meaning of their labels.
        check : callable
            Called regularly; may raise to stop the work.

        Returns
        -------
        list of arrays of uint64, of the grid's shape
            The root in the low half of the word, and the number of labels to it in the high half;
            2^32 - 1 for a cell without a label, or with labels that leave the grid, end at a cell
            without a label or form a cycle.
        """
        cells, numbers = np.int32(self._cells), _list_layout_numbers(layout)
        links = [self.backend.empty(self._shape, np.uint64) for _ in frames]
        flags = self.backend.empty((len(frames), 1), np.int32, 0)
        for labels, frame_links, unfinished in zip(frames, links, flags, strict=True):
            self._launch_per_cell("facts_link", labels, frame_links, unfinished, cells, *numbers)
        long = unfinished = np.flatnonzero(self.backend.to_host(flags)).tolist()
        for _ in range(_MOST_ROUNDS):
            if not unfinished:
                break
            check()
            flags = self.backend.empty((len(unfinished), 1), np.int32, 0)
            for index, flag in zip(unfinished, flags, strict=True):
                self._launch_per_cell("facts_climb", links[index], flag, cells)
            still = np.flatnonzero(self.backend.to_host(flags)).tolist()
            unfinished = [unfinished[index] for index in still]
        for index in long:
            self._launch_per_cell("facts_settle", frames[index], links[index], cells, *numbers)
        return links

    def final_roots(
        self, labels: DeviceArray, layout: LabelLayout, *, right: bool, check: Check = never_cancel
    ) -> FinalRoots:
        """Return the expected roots of cells, which are their components' final roots.

        Parameters
        ----------
        labels : array of int32
            The last frame.
        layout : LabelLayout
            The meaning of its labels.
        right : bool
            Whether these labels are correct. If not, a component's root is that of its first cell
            with a root.
        check : callable
            Called regularly; may raise to stop the work.
        """
        (links,), cells = self.find_roots_and_depths([labels], layout, check), np.int32(self._cells)
        first = self.backend.empty(1 if right else self._cells, np.int32, np.iinfo(np.int32).max)
        components = self.component_first_cells()
        if not right:
            self._launch_per_cell("facts_first", links, components, first, cells)
        roots = self.backend.empty(self._shape, np.int32)
        self._launch_per_cell(
            "facts_final", links, components, first, roots, cells, np.int32(right)
        )
        return FinalRoots(roots, links)

    def count_trees(
        self,
        frames: Sequence[DeviceArray],
        layout: LabelLayout,
        final: FinalRoots,
        check: Check = never_cancel,
    ) -> list[TreeCounts]:
        """Compare the trees of each frame with the final ones."""
        links = self.find_roots_and_depths(frames, layout, check)
        counters = self.backend.empty((len(frames), _TREES), np.uint32, 0)
        components, ends = self.component_first_cells(), (final.wanted, final.links)
        for labels, frame_links, counts in zip(frames, links, counters, strict=True):
            arrays = (self.image, labels, frame_links, components, *ends, counts)
            self._count("facts_trees", arrays, _list_layout_numbers(layout))
        return [TreeCounts(*counts) for counts in self._read_counters(counters)]

    def unpack_roots(self, links: DeviceArray) -> npt.NDArray[np.int64]:
        """Return links in the reference's form: the root of each cell, or -1."""
        cells = (self.backend.to_host(links) & np.uint64(0xFFFF_FFFF)).astype(np.uint32)
        return cells.view(np.int32).astype(np.int64)

    def find_changes(
        self, before: DeviceArray, after: DeviceArray
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[Any]]:
        """Return the changes between two frames of int32 or int64.

        Returns
        -------
        bits : ndarray of uint8, one-dimensional
            One bit per cell, set if it changed; the first is the highest bit of the first byte.
        values : ndarray of the frames' type, one-dimensional
            New value minus old value of each changed cell, with wrap-around.
        """
        cells = np.int32(self._cells)
        bits = self.backend.empty(-(-self._cells // 8), np.uint8)
        counts = self.backend.empty(self._pieces, np.int32)
        name = _choose_kernel_name("facts_delta_bits", after)
        self._launch_piecewise(name, before, after, bits, counts, cells)
        ends = np.cumsum(self.backend.to_host(counts), dtype=np.int32)
        values = self.backend.empty(max(int(ends[-1]), 1), after.dtype)
        placed = self.backend.to_device(ends)
        name = _choose_kernel_name("facts_delta_values", after)
        self._launch_piecewise(name, before, after, placed, values, cells)
        changes = self.backend.to_host(values)[: int(ends[-1])]
        return self.backend.to_host(bits), changes

    # Values for pictures

    def read_cells(self, frame: DeviceArray, chosen: ChosenCells) -> npt.NDArray[Any]:
        """Return the values of cells, of the frame's type and the shape of the cells."""
        if self.backend.on_host:
            values: npt.NDArray[Any] = frame.reshape(-1).take(chosen.cells)
            return values
        output = self.backend.empty(chosen.cells.shape, frame.dtype)
        kernel = Kernel(_PICTURES, _choose_kernel_name("pictures_take", frame))
        pixels = chosen.cells.size
        if pixels:
            self.backend.launch(
                kernel, pixels, frame, self._place_cells(chosen), output, np.int32(pixels)
            )
        return self.backend.to_host(output)

    def follow(
        self,
        frame: DeviceArray,
        layout: LabelLayout,
        chosen: ChosenCells,
        farthest: int,
        *,
        depths: bool,
    ) -> npt.NDArray[np.int32]:
        """Follow the labels of cells; return their roots' labels, or the distances to them.

        Parameters
        ----------
        frame : array of int32
            The labels.
        layout : LabelLayout
            The meaning of the labels.
        chosen : ChosenCells
            The cells.
        farthest : int
            Most labels to follow from each cell.
        depths : bool
            Whether to return distances.

        Returns
        -------
        ndarray of int32, of the shape of the cells
            The label of the root, or its address if it has no label; a cell without a root within
            `farthest` labels keeps its own. For depths, -1 for a cell without a label, and
            `farthest` for a root farther away.
        """
        output, pixels = self.backend.empty(chosen.cells.shape, np.int32), chosen.cells.size
        if pixels:
            self.backend.launch(
                Kernel(_PICTURES, "pictures_follow"), pixels,
                frame, self._place_cells(chosen), output, np.int32(pixels), np.int32(self._cells),
                np.int32(farthest), np.int32(depths), *_list_layout_numbers(layout),
            )  # fmt: skip
        return self.backend.to_host(output)

    def colour_labels(
        self, labels: npt.NDArray[np.int32], layout: LabelLayout, colours: int
    ) -> npt.NDArray[np.uint8]:
        """Return a colour for each label, computed from the cell that it names.

        Parameters
        ----------
        labels : ndarray of int32, any shape
            Labels, on the host.
        layout : LabelLayout
            The meaning of the labels.
        colours : int
            Number of colours.

        Returns
        -------
        ndarray of uint8, of the same shape
            From 1; 0 for a label that names no cell.
        """
        output, backend = self.backend.empty(labels.shape, np.uint8), self.backend
        if labels.size:
            backend.launch(
                Kernel(_PICTURES, "pictures_spread"), labels.size,
                backend.to_device(labels), output, np.int32(labels.size), np.int32(self._cells),
                np.int32(colours), *_list_layout_numbers(layout),
            )  # fmt: skip
        return backend.to_host(output)

    def _place_cells(self, chosen: ChosenCells) -> DeviceArray:
        """Return cells on the device, cached as long as they are in use."""
        if chosen.backend is self.backend:
            return chosen.placed
        with self._lock:
            placed = self._chosen.get(chosen)
            if placed is None:
                placed = self.backend.to_device(chosen.cells.astype(np.int32, copy=False))
                self._chosen[chosen] = placed
            return placed

    # Launches

    @property
    def _pieces(self) -> int:
        return -(-self._cells // _PACKED)

    def _make_kernel(self, name: str) -> Kernel:
        return Kernel(_FACTS, name, (("CELLS_APART", int(not self.backend.on_host)),))

    def _launch_per_cell(self, name: str, *arguments: Any) -> None:
        """Launch a kernel with one thread per cell."""
        self.backend.launch(self._make_kernel(name), self._cells, *arguments)

    def _launch_piecewise(self, name: str, *arguments: Any) -> None:
        """Launch a kernel with one thread per piece of cells."""
        self.backend.launch(self._make_kernel(name), self._pieces, *arguments)

    def _count(self, name: str, arrays: tuple[Any, ...], more: tuple[Any, ...] = ()) -> None:
        """Launch a kernel that counts."""
        self.backend.launch_reduction(self._make_kernel(name), self._cells, arrays, more)

    def _read_counters(self, counters: DeviceArray) -> list[list[int]]:
        numbers: list[list[int]] = self.backend.to_host(counters).tolist()
        return numbers


def _list_layout_numbers(layout: LabelLayout) -> tuple[np.int32, ...]:
    """Return a layout as arguments of kernels."""
    numbers = layout.width, layout.pitch, layout.margin, layout.origin, layout.background
    return tuple(map(np.int32, numbers))


def _choose_kernel_name(name: str, array: DeviceArray) -> str:
    """Return the name of the kernel for an array's type, int32 or int64."""
    return name if array.dtype.itemsize == np.dtype(np.int32).itemsize else f"{name}_wide"
