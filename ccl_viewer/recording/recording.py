"""A recording: every step of a run and the labels after it, to be looked at in any order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.devices.emulator.ledger import LaunchLedger, summed
from ccl_viewer.errors import InputError
from ccl_viewer.plan import LabelLayout, ParameterValue
from ccl_viewer.recording.data import RecordingData, RunFault, Step
from ccl_viewer.recording.history import History
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.reference import Verdict, label_reference
from ccl_viewer.units import counted

COUNT_PREFIX: Final = "count:"
"""Layers beginning thus are counts of cells, as :func:`counts_between` names them."""


def counts_between(kind: str, index: int, *, total: bool) -> tuple[str, str | None]:
    """Return the layers whose difference is what a step, or all up to it, did to cells.

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
        A layer, after the step.
    before : str or None
        A layer after the step before, to be taken away; None if nothing is.
    """
    if kind == "contention":
        return f"{COUNT_PREFIX}{'most_' if total else ''}contention", None
    layer = COUNT_PREFIX + kind
    return layer, None if total or index == 0 else layer


class Recording:
    """The steps of one run and the labels after each.

    It cannot be changed. While it is being made, steps are added at its end, and any thread may
    look at those that are there.

    Parameters
    ----------
    data : RecordingData
        Where the recorder or the file reader puts the steps.
    """

    notebook_view: ClassVar[Callable[[Recording], dict[str, str]] | None] = None
    """Makes what notebooks show, by media type. Whoever can draw a recording sets it: the package
    does as soon as its interface is used."""

    def __init__(self, data: RecordingData) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data.steps)

    def __repr__(self) -> str:
        height, width = self.image.shape
        steps = counted(len(self), "step")
        state = "" if self.complete else ", incomplete"
        return (
            f"<Recording of {self.algorithm} on {width} x {height} cells, connectivity "
            f"{self.connectivity}, {self.device} ({self.schedule}): {steps}{state}>"
        )

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """Return what a notebook may show: a player, and a picture where that cannot be."""
        show = type(self).notebook_view
        return {} if show is None else show(self)

    def _repr_html_(self) -> str | None:
        """Return the player as HTML; None for the text alone."""
        return self._repr_mimebundle_().get("text/html")

    @property
    def image(self) -> npt.NDArray[np.uint8]:
        """The grid, ``uint8`` of shape (height, width), read-only; 0 is background.

        The values are 0 and 1, or those of the segments if the run is :attr:`multivalued`.
        """
        return self._data.subject.image

    @property
    def algorithm(self) -> str:
        """Key of the algorithm."""
        return self._data.subject.algorithm

    @property
    def device(self) -> str:
        """Key of the device, ``"emulator"`` or ``"cuda"``."""
        return self._data.subject.device

    @property
    def device_title(self) -> str:
        """Name of the device for people."""
        return self._data.subject.device_title

    @property
    def schedule(self) -> str:
        """Order in which the device ran threads."""
        return self._data.subject.schedule

    @property
    def connectivity(self) -> int:
        """4 or 8."""
        return self._data.subject.connectivity

    @property
    def multivalued(self) -> bool:
        """Whether only cells of equal non-zero value connect."""
        return self._data.subject.multivalued

    @property
    def consecutive(self) -> bool:
        """Whether the components were numbered afterwards, in the layer ``"numbers"``."""
        return "numbers" in self.layers

    @property
    def parameters(self) -> Mapping[str, ParameterValue]:
        """The algorithm's own parameters, read-only."""
        return MappingProxyType(dict(self._data.subject.parameters))

    @property
    def layout(self) -> LabelLayout:
        """What the raw labels mean.

        Raises
        ------
        InputError
            If there is no step yet.
        """
        return self._data.layout

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the arrays that are recorded beside the labels, such as sizes."""
        return tuple(self._data.layers)

    @property
    def references(self) -> tuple[str, ...]:
        """Those of :attr:`layers` whose values name cells, as labels do."""
        return self._data.references

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps so far."""
        return tuple(self._data.steps)

    @property
    def complete(self) -> bool:
        """Whether the run came to its end and was compared with the reference."""
        return self._data.ending is not None

    @property
    def failure(self) -> str | None:
        """Why the run broke off, as a sentence; None if it did not."""
        return self._data.failure

    @property
    def fault(self) -> RunFault | None:
        """What a kernel did wrong, if that is why the run broke off."""
        return self._data.fault

    @property
    def opening(self) -> int | None:
        """The step that the recording's file asks to be opened at; None for the first."""
        return self._data.opening

    @property
    def cancelled(self) -> bool:
        """Whether the run broke off because it was cancelled."""
        return self._data.cancelled

    @property
    def converged(self) -> bool:
        """Whether the run ended, and not while labels were still changing."""
        ending = self._data.ending
        return ending is not None and ending.converged

    @property
    def iterations(self) -> int:
        """Rounds of the convergence loop, so far or in all; 0 for direct methods."""
        ending = self._data.ending
        if ending is not None:
            return ending.iterations
        return max((step.iteration or 0 for step in self.steps), default=0)

    @property
    def verdict(self) -> Verdict | None:
        """The comparison of the final labels with the reference; None before the end."""
        ending = self._data.ending
        return None if ending is None else ending.verdict

    @property
    def sentence(self) -> str:
        """How the run ended, for the user."""
        ending = self._data.ending
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
    def counted(self) -> bool:
        """Whether it was counted what launches do to memory."""
        return bool(self._data.counts)

    @property
    def ledger(self) -> LaunchLedger | None:
        """What all launches did to memory, summed; None unless it was counted of all."""
        ledgers = [step.ledger for step in self.steps if step.ledger is not None]
        return summed(ledgers) if ledgers and len(ledgers) == len(self.steps) else None

    @property
    def nbytes(self) -> int:
        """Bytes of memory that image, labels, counts and components take."""
        films = [*self._data.layers.values(), *self._data.counts.values()]
        if self._data.started:
            films.append(self._data.history)
        found = self._data.components
        components = 0 if found is None else found[0].nbytes
        return self.image.nbytes + components + sum(film.nbytes for film in films)

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
        return self._data.steps[self._place(index)]

    def labels(self, index: int) -> npt.NDArray[np.int32]:
        """Return the labels after a step, as the paper writes them.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.

        Returns
        -------
        ndarray of int32, shape (height, width), read-only
            Raw values without padding; :attr:`layout` says what they mean.

        Raises
        ------
        InputError
            If there is no such step.
        """
        return self._data.history.frame(self._place(index))

    def peek(
        self,
        index: int,
        chosen: ChosenCells,
        known: tuple[int, npt.NDArray[Any]] | None = None,
        layer: str | None = None,
    ) -> npt.NDArray[Any]:
        """Return the labels of some cells after a step, much sooner than those of all.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        chosen : ChosenCells
            Which cells.
        known : tuple of int and ndarray, or None
            A step from 0, and the labels of these cells after it, from which to go on.
        layer : str or None
            One of :attr:`layers`, to look at instead of the labels.

        Returns
        -------
        ndarray of int32, of the shape of the cells, read-only
            Of a layer, ``int32`` or ``int64``.

        Raises
        ------
        InputError
            If there is no such step or layer.
        """
        return self._history(layer).sampled(self._place(index), chosen, known)

    def changed_cells(self, index: int, layer: str | None = None) -> npt.NDArray[np.int64]:
        """Return the linear indices ``y * width + x`` of the cells that a step changed, rising.

        With a `layer`, of those in which that array changed.
        """
        return self._history(layer).changed_cells(self._place(index))

    def holds(self, index: int, layer: str | None = None) -> bool:
        """Return whether the labels of a step, from 0, can be looked up without decoding any.

        With a `layer`, whether those of that array can.
        """
        return self._history(layer).holds(index)

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
            The raw values without padding. Before the first step that uses the array, what it is
            filled with.

        Raises
        ------
        InputError
            If there is no such layer or step.
        """
        return self._history(name).frame(self._place(index))

    def counts(self, index: int, kind: str, *, total: bool = False) -> npt.NDArray[np.int32]:
        """Return how often the launch of a step accessed each cell, by the emulator's count.

        All arrays with an element for each cell count, but the grid itself.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        kind : str
            ``"loads"``, ``"stores"``, ``"atomics"``, or ``"contention"``: the most atomics in one
            round of the schedule, or in the launch where it has no rounds.
        total : bool
            Whether all steps up to this one count; of contention, the largest.

        Returns
        -------
        ndarray of int32, shape (height, width)
            How often.

        Raises
        ------
        InputError
            If there is no such step or kind, or nothing was counted.
        """
        index = self._place(index)
        after, before = counts_between(kind, index, total=total)
        counts = self._history(after).frame(index)
        return counts if before is None else counts - self._history(before).frame(index - 1)

    def parents(self, index: int, layer: str | None = None) -> npt.NDArray[np.int64]:
        """Return the cell that each cell points at after a step.

        Parameters
        ----------
        index : int
            From 0, or from -1 backwards from the end.
        layer : str or None
            One of :attr:`references`, by whose values cells point instead of by their labels.

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

    def components(self, check: Check = unchecked) -> tuple[npt.NDArray[np.int32], int]:
        """Return the connected components, as the reference finds them: once, and then kept.

        Whatever the run has made of the labels. :func:`ccl_viewer.components` measures components
        of an image, in a table; this tells which cell belongs to which.

        Parameters
        ----------
        check : callable
            Called every few milliseconds; what it raises ends the work.

        Returns
        -------
        components : ndarray of int32, shape (height, width), read-only
            0 on background; 1 to `count` in raster order of each component's first cell.
        count : int
            Number of components.
        """
        found = self._data.components
        if found is None:
            found = label_reference(
                self.image, self.connectivity, multivalued=self.multivalued, check=check
            )
            found[0].flags.writeable = False
            self._data.components = found
        return found

    def break_off(self, fault: RunFault) -> None:
        """Let the run end here, as the process that recorded it knows no more."""
        self._data.fault, self._data.failure, self._data.cancelled = fault, fault.text, False

    def save(self, path: str | Path, opening: int | None = None) -> None:
        """Write the steps so far to a ``.cclrec`` file.

        Parameters
        ----------
        path : str or Path
            Where to; an existing file is replaced once the new one is whole.
        opening : int or None
            The step that it is to open at; as :attr:`opening` if None.

        Raises
        ------
        InputError
            If the file cannot be written, or there is no step yet.
        """
        from ccl_viewer.recording.archive import save_data

        save_data(self._data, Path(path), self.opening if opening is None else opening)

    def _history(self, layer: str | None) -> History:
        if layer is None:
            return self._data.history
        if layer.startswith(COUNT_PREFIX):
            if layer.removeprefix(COUNT_PREFIX) in self._data.counts:
                return self._data.counts[layer.removeprefix(COUNT_PREFIX)]
            raise InputError(f"{layer.removeprefix(COUNT_PREFIX)} were not counted in this run.")
        layers = self._data.layers
        if layer not in layers:
            has = f"it has {', '.join(layers)}" if layers else "it has none"
            raise InputError(f"The recording has no layer {layer!r}: {has}.")
        return layers[layer]

    def _place(self, index: int) -> int:
        count = len(self)
        try:
            index = operator.index(index)
        except TypeError:
            raise InputError(f"A step is named by a whole number, not {index!r}.") from None
        if not -count <= index < count:
            has = f"its steps are 0 to {count - 1}" if count else "it has no steps yet"
            raise InputError(f"The recording has no step {index}: {has}.")
        return index % count
