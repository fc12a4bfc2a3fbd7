"""A recording: every step of a run with the labels after it, in random access."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.execution.ledger import LaunchLedger, sum_ledgers
from ccl_viewer.execution.plan import LabelLayout, ParameterValue
from ccl_viewer.recording.data import (
    COUNT_PREFIX,
    COUNTS,
    RecordingData,
    RunFault,
    Spread,
    Step,
    UninitialisedCells,
)
from ccl_viewer.recording.grid_kernels import ChangeCounts, DeviceArray, GridKernels, TreeCounts
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.reference import Verdict, judge_parents
from ccl_viewer.support import notebook
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.support.units import counted


def select_count_layers(kind: str, index: int, *, total: bool) -> tuple[str, str | None]:
    """Return the two layers to subtract to get a step's counts, or those of all steps up to it.

    Parameters
    ----------
    kind : str
        As for :meth:`Recording.counts`.
    index : int
        The step, from 0.
    total : bool
        Whether all steps up to this one count.

    Returns
    -------
    after : str
        Layer after the step.
    before : str or None
        Layer after the previous step, to subtract; None to subtract nothing.
    """
    if kind == "contention":
        return f"{COUNT_PREFIX}{'most_' if total else ''}contention", None
    layer = COUNT_PREFIX + kind
    return layer, None if total or index == 0 else layer


class Recording:
    """The steps of one run with the labels after each.

    A step never changes once it is recorded. While the run is recorded, steps are appended, and
    after it, measured times are added; any thread may read the steps that exist.

    Parameters
    ----------
    data : RecordingData
        The steps, filled by the recorder or the file reader.
    """

    def __init__(self, data: RecordingData) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data.steps)

    def __repr__(self) -> str:
        height, width = self.image.shape
        steps = counted(len(self), "step")
        state = "" if self.complete else ", incomplete"
        return (
            f"<Recording of {self.algorithm} on {width} x {height} cells, connectivity "
            f"{self.connectivity}, {self.device} ({self.schedule}): {steps}{state}>"
        )

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        """Return representations for a notebook: a player, and a picture as a fallback."""
        return notebook.make_bundle(self)

    def _repr_html_(self) -> str | None:
        """Return the player as HTML; None for text only."""
        return self._repr_mimebundle_().get("text/html")

    @property
    def image(self) -> npt.NDArray[np.uint8]:
        """The grid, ``uint8`` of shape (height, width), read-only; 0 is background.

        The values are 0 and 1, or those of the segments if the run is :attr:`multivalued`.
        """
        return self.data.run.image

    @property
    def algorithm(self) -> str:
        """Key of the algorithm."""
        return self.data.run.algorithm

    @property
    def device(self) -> str:
        """Key of the device, ``"emulator"`` or ``"cuda"``."""
        return self.data.run.device

    @property
    def emulated(self) -> bool:
        """Whether the run was emulated, so that its times do not apply to a GPU."""
        return self.device == "emulator"

    @property
    def device_title(self) -> str:
        """Name of the device for the user."""
        return self.data.run.device_title

    @property
    def schedule(self) -> str:
        """Order in which the device ran threads."""
        return self.data.run.schedule

    @property
    def connectivity(self) -> int:
        """4 or 8."""
        return self.data.run.connectivity

    @property
    def multivalued(self) -> bool:
        """Whether only cells of equal non-zero value connect."""
        return self.data.run.multivalued

    @property
    def consecutive(self) -> bool:
        """Whether the components were then numbered, in the layer ``"numbers"``."""
        return "numbers" in self.layers

    @property
    def parameters(self) -> Mapping[str, ParameterValue]:
        """The algorithm's own parameters, read-only."""
        return MappingProxyType(dict(self.data.run.parameters))

    @property
    def layout(self) -> LabelLayout:
        """Meaning of the raw labels.

        Raises
        ------
        InputError
            If there is no step yet.
        """
        return self.data.layout

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the arrays that are recorded beside the labels, such as sizes."""
        return tuple(self.data.layers)

    @property
    def references(self) -> tuple[str, ...]:
        """Layers with values that name cells, as labels do."""
        return self.data.references

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps so far."""
        return tuple(self.data.steps)

    @property
    def complete(self) -> bool:
        """Whether the run finished and was compared with the reference."""
        return self.data.ending is not None

    @property
    def failure(self) -> str | None:
        """Why the run was broken off, as a sentence, or None."""
        return self.data.failure

    @property
    def fault(self) -> RunFault | None:
        """The kernel's fault that broke the run off, or None."""
        return self.data.fault

    @property
    def printed(self) -> tuple[str, ...]:
        """The first lines that kernels printed on the emulator, each with its thread."""
        return self.data.printed

    @property
    def uninitialised(self) -> UninitialisedCells | None:
        """Cells of the labels that steps used uninitialised, or None; the emulator finds them."""
        return self.data.uninitialised

    @property
    def initial_step(self) -> int | None:
        """The step at which the recording's file opens; None for the first."""
        return self.data.initial_step

    @property
    def cancelled(self) -> bool:
        """Whether the run was cancelled."""
        return self.data.cancelled

    @property
    def converged(self) -> bool:
        """Whether the run ended after the labels stopped changing."""
        ending = self.data.ending
        return ending is not None and ending.converged

    @property
    def iterations(self) -> int:
        """Rounds of the convergence loop so far; 0 for direct methods."""
        ending = self.data.ending
        if ending is not None:
            return ending.iterations
        return max((step.iteration or 0 for step in self.steps), default=0)

    @property
    def verdict(self) -> Verdict | None:
        """The comparison of the final labels with the reference; None before the end."""
        ending = self.data.ending
        return None if ending is None else ending.verdict

    @property
    def sentence(self) -> str:
        """How the run ended, for the user."""
        ending = self.data.ending
        if ending is None:
            return self.failure or f"Not finished: {counted(len(self), 'step')} so far."
        if ending.converged:
            return ending.verdict.sentence
        passes = counted(ending.iterations, "pass", "passes")
        return f"Stopped after {passes}, before convergence. {ending.verdict.sentence}"

    @property
    def milliseconds(self) -> float:
        """Time of all launches; NaN if they were not timed."""
        return float(sum(step.milliseconds for step in self.steps))

    @property
    def atomics(self) -> int | None:
        """Calls of atomic functions in all launches; None if they were not counted in all."""
        counts = [step.atomics for step in self.steps if step.atomics is not None]
        return sum(counts) if len(counts) == len(self.steps) else None

    @property
    def has_counts(self) -> bool:
        """Whether memory accesses of launches were counted."""
        return bool(self.data.counts)

    @property
    def ledger(self) -> LaunchLedger | None:
        """Sum of the ledgers of all launches; None unless all were counted."""
        ledgers = [step.ledger for step in self.steps if step.ledger is not None]
        return sum_ledgers(ledgers) if ledgers and len(ledgers) == len(self.steps) else None

    @property
    def nbytes(self) -> int:
        """Bytes of image, labels, counts and components."""
        histories = [*self.data.layers.values(), *self.data.counts.values()]
        if self.data.started:
            histories.append(self.data.label_history)
        numbers = self.data.components
        components = 0 if numbers is None else numbers[0].nbytes
        return self.image.nbytes + components + sum(history.nbytes for history in histories)

    def step(self, index: int) -> Step:
        """Return a step.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.

        Raises
        ------
        InputError
            If there is no such step.
        """
        return self.data.steps[self._resolve_index(index)]

    def labels(self, index: int) -> npt.NDArray[np.int32]:
        """Return the labels after a step, in the paper's form.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.

        Returns
        -------
        ndarray of int32, shape (height, width), read-only
            Raw values without padding; :attr:`layout` defines their meaning.

        Raises
        ------
        InputError
            If there is no such step.
        """
        return self.data.label_history.frame(self._resolve_index(index))

    def read_cells(
        self,
        index: int,
        chosen: ChosenCells,
        known: tuple[int, npt.NDArray[Any]] | None = None,
        layer: str | None = None,
    ) -> npt.NDArray[Any]:
        """Return the labels of some cells after a step, much faster than all of them.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        chosen : ChosenCells
            The cells.
        known : tuple of int and ndarray, or None
            Another step (from 0) and the cells' labels after it, from which to start.
        layer : str or None
            One of :attr:`layers` instead of the labels.

        Returns
        -------
        ndarray of int32, of the shape of the cells, read-only
            ``int32`` or ``int64`` for a layer.

        Raises
        ------
        InputError
            If there is no such step or layer.
        """
        return self.data.find_history(layer).read_cells(self._resolve_index(index), chosen, known)

    def changed_cells(self, index: int, layer: str | None = None) -> npt.NDArray[np.int64]:
        """Return the linear indices ``y * width + x`` of the cells that a step changed, ascending.

        With a `layer`, the cells in which that array changed.
        """
        return self.data.find_history(layer).changed_cells(self._resolve_index(index))

    def is_decoded(self, index: int, layer: str | None = None) -> bool:
        """Return whether the labels of a step (from 0) are available without decoding.

        With a `layer`, whether that array is.
        """
        return self.data.find_history(layer).is_decoded(index)

    def layer(self, name: str, index: int) -> npt.NDArray[np.int32] | npt.NDArray[np.int64]:
        """Return an array that the paper shows beside the labels, after a step.

        Parameters
        ----------
        name : str
            One of :attr:`layers`.
        index : int
            From 0, or from -1 backwards from the end.

        Returns
        -------
        ndarray of int32 or int64, shape (height, width), read-only
            The raw values without padding; before the first step that uses the array, its initial
            fill.

        Raises
        ------
        InputError
            If there is no such layer or step.
        """
        return self.data.find_history(name).frame(self._resolve_index(index))

    def counts(self, index: int, kind: str, *, total: bool = False) -> npt.NDArray[np.int32]:
        """Return the number of accesses of a step's launch to each cell, counted by the emulator.

        All arrays with one element per cell count, except the grid.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        kind : str
            ``"loads"``, ``"stores"``, ``"atomics"``, or ``"contention"``: the most atomics in one
            round of the schedule, or in the launch if the schedule has no rounds.
        total : bool
            Sum over all steps up to this one; for contention, the maximum.

        Returns
        -------
        ndarray of int32, shape (height, width)
            The counts.

        Raises
        ------
        InputError
            If there is no such step or kind, or nothing was counted.
        """
        index = self._resolve_index(index)
        if kind not in (known := COUNTS[:4]):
            raise InputError(f"There are no counts of {kind!r}: choose from {', '.join(known)}.")
        after, before = select_count_layers(kind, index, total=total)
        counts = self.data.find_history(after).frame(index)
        return (
            counts if before is None else counts - self.data.find_history(before).frame(index - 1)
        )

    def parents(self, index: int, layer: str | None = None) -> npt.NDArray[np.int64]:
        """Return the cell that each cell points at after a step.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        layer : str or None
            One of :attr:`references`, used instead of the labels.

        Returns
        -------
        ndarray of int64, shape (height, width)
            Linear index ``y * width + x``; -1 where a cell has no label.

        Raises
        ------
        InputError
            If there is no such step, or the values of the layer name no cells.
        """
        if layer is None:
            return self.layout.parents(self.labels(index))
        values = self.layer(layer, index)
        if layer not in self.references:
            raise InputError(f"The values of the layer {layer!r} name no cells.")
        return self.layout.parents(values)

    def component_numbers(self, check: Check = never_cancel) -> tuple[npt.NDArray[np.int32], int]:
        """Return the connected components of the grid, computed at the first call and then cached.

        They do not depend on the run's labels. :func:`ccl_viewer.components` returns a table of
        measurements; this method returns the component of each cell.

        Parameters
        ----------
        check : callable
            Called every few milliseconds; may raise to stop the work.

        Returns
        -------
        component_numbers : ndarray of int32, shape (height, width), read-only
            0 on background; 1 to `count` in raster order of each component's first cell.
        count : int
            Number of components.
        """
        data = self.data
        check()
        if data.components is None:
            numbers, count = data.grid_kernels.component_numbers()
            host = data.grid_kernels.backend.to_host(numbers).view()
            host.flags.writeable = False
            data.components = host, count
        return data.components

    def components_at(self, chosen: ChosenCells) -> npt.NDArray[np.int32]:
        """Return the numbers of some cells' components, as in :meth:`component_numbers`.

        Parameters
        ----------
        chosen : ChosenCells
            The cells.
        """
        return self.grid_kernels.read_cells(self.grid_kernels.component_numbers()[0], chosen)

    def component_at(self, cell: tuple[int, int]) -> int:
        """Return the component number of the cell at (column, row)."""
        x, y = cell
        index = np.array([y * self.image.shape[1] + x], np.int64)
        return int(self.components_at(ChosenCells.of(index))[0])

    def follow(
        self, index: int, chosen: ChosenCells, farthest: int, *, depths: bool
    ) -> npt.NDArray[np.int32]:
        """Follow the labels of some cells after a step, on the device.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        chosen, farthest, depths
            As for :meth:`~ccl_viewer.recording.grid_kernels.GridKernels.follow`.

        Returns
        -------
        ndarray of int32, of the shape of the cells
            As from :meth:`~ccl_viewer.recording.grid_kernels.GridKernels.follow`.

        Raises
        ------
        InputError
            If there is no such step.
        """
        frame = self.device_frame(index)
        return self.grid_kernels.follow(frame, self.layout, chosen, farthest, depths=depths)

    @property
    def grid_kernels(self) -> GridKernels:
        """Kernels that count facts about its labels, on the device that has them.

        Raises
        ------
        DeviceUnavailableError
            If no device is available.
        """
        return self.data.grid_kernels

    def device_frame(self, index: int, layer: str | None = None) -> DeviceArray:
        """Return the labels after a step, or a layer, as an array on the recording's device.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        layer : str or None
            One of :attr:`layers`, instead of the labels.

        Raises
        ------
        InputError
            If there is no such step or layer.
        """
        return self.data.device_frame(self._resolve_index(index), layer)

    def change_counts(self, index: int) -> ChangeCounts:
        """Return counts of what a step did to cells.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.

        Raises
        ------
        InputError
            If there is no such step.
        """
        return self.data.step_counts.count_changes(self._resolve_index(index))

    def tree_counts(self, index: int, check: Check = never_cancel) -> TreeCounts:
        """Compare the trees after a step with the run's final ones.

        If the run is not finished, the last step so far counts as its end.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        check : callable
            Called every few milliseconds; may raise to stop the work.

        Raises
        ------
        InputError
            If there is no such step.
        """
        return self.data.step_counts.count_trees(self._resolve_index(index), check)

    def precompute_tree_counts(self, indices: Iterable[int], check: Check = never_cancel) -> None:
        """Compute the results of :meth:`tree_counts` for some steps of a complete run.

        Parameters
        ----------
        indices : iterable of int
            Indices of the steps from 0, ascending.
        check : callable
            Called every few milliseconds; may raise to stop the work.
        """
        self.data.step_counts.precompute_trees(indices, check)

    def count_layer_changes(self, name: str, before: int, after: int) -> int:
        """Return the number of cells in which a layer differs between two steps, from 0."""
        return self.data.step_counts.count_layer_changes(name, before, after)

    def roots(self, index: int) -> npt.NDArray[np.int64]:
        """Return the root of each cell after a step.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.

        Returns
        -------
        ndarray of int64, shape (height, width)
            Linear index ``y * width + x``; -1 if the cell has no label, or its chain of labels
            reaches no root.

        Raises
        ------
        InputError
            If there is no such step.
        """
        return self.grid_kernels.unpack_roots(
            self.grid_kernels.find_roots_and_depths([self.device_frame(index)], self.layout)[0]
        )

    @property
    def needs_timing(self) -> bool:
        """Whether this is a complete run of a GPU with steps that have no times yet."""
        if self.emulated or not self.complete:
            return False
        return all(math.isnan(step.milliseconds) for step in self.data.steps)

    def take_times(self, spreads: Sequence[Spread | None]) -> None:
        """Set the time of each step to the median of several; None for steps without."""
        for index, spread in enumerate(spreads):
            median = math.nan if spread is None else spread.median
            step = self.data.steps[index]
            self.data.steps[index] = replace(step, milliseconds=median, spread=spread)

    def break_off(self, failure: str, fault: RunFault | None = None) -> None:
        """End the run here, because the process that recorded it failed."""
        self.data.fault, self.data.failure, self.data.cancelled = fault, failure, False

    def save(self, path: str | Path, initial_step: int | None = None) -> None:
        """Write the steps so far to a ``.cclrec`` file.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced when the new one is complete.
        initial_step : int or None
            The step at which the file opens; None for :attr:`initial_step`.

        Raises
        ------
        InputError
            If the file cannot be written, or there is no step yet.
        """
        from ccl_viewer.recording.archive_writer import save_data

        save_data(
            self.data, Path(path), self.initial_step if initial_step is None else initial_step
        )

    def _resolve_index(self, index: int) -> int:
        count = len(self)
        try:
            index = operator.index(index)
        except TypeError:
            raise InputError(f"A step is named by a whole number, not {index!r}.") from None
        if not -count <= index < count:
            has = f"its steps are 0 to {count - 1}" if count else "it has no steps yet"
            raise InputError(f"The recording has no step {index}: {has}.")
        return index % count


def judge_frame(recording: Recording, labels: DeviceArray, check: Check = never_cancel) -> Verdict:
    """Compare labels with the components of a recording's grid.

    A kernel determines whether all cells are certainly correct, as in nearly all runs. Otherwise
    the oracle finds the wrong cells.

    Parameters
    ----------
    recording : Recording
        The recording of the grid.
    labels : array of int32, of the device of its kernels, shape (height, width)
        Raw labels without padding.
    check : callable
        Called between parts of the work; may raise to stop it.

    Returns
    -------
    Verdict
        As from :func:`~ccl_viewer.reference.judge_parents`.
    """
    kernels, layout = recording.grid_kernels, recording.layout
    if not kernels.count_doubtful(labels, layout):
        count = kernels.component_count
        return Verdict(correct=True, expected=count, found=count)
    parents = layout.parents(kernels.backend.to_host(labels))
    return judge_parents(parents, *recording.component_numbers(check), check)
