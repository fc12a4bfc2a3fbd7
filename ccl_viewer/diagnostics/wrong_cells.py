"""Describe the first wrong cell of a run, or two cells with different labels, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.memory import UNINITIALISED
from ccl_viewer.recording import Recording
from ccl_viewer.support.units import counted

_Mask = npt.NDArray[np.bool_]


def describe_wrong_label(recording: Recording) -> str:
    """Say what is wrong with the labels at the end of a run.

    Parameters
    ----------
    recording : Recording
        A finished run with wrong labels.

    Returns
    -------
    str
        A sentence about one cell or two; the verdict if no cell shows the mistake.
    """
    labels, parents = recording.labels(-1), recording.parents(-1)
    components, _ = recording.component_numbers()
    bare, verdict = recording.uninitialised, recording.verdict
    if bare is not None and bare.last == len(recording) - 1:
        return bare.sentence
    stray = (parents >= parents.size) | (parents < -1)
    if stray.any():
        y, x = _find_first(stray)
        if int(labels[y, x]) == UNINITIALISED:
            return f"{_name_cell(x, y)} holds {labels[y, x]}, as memory that is not initialised."
        return f"{_name_cell(x, y)} holds {labels[y, x]}, which is the address of no cell."
    if (unlabelled := (components != 0) & (parents < 0)).any():
        y, x = _find_first(unlabelled)
        return f"{_name_cell(x, y)} is filled and has no label: it holds {labels[y, x]}."
    if (labelled := (components == 0) & (parents >= 0)).any():
        y, x = _find_first(labelled)
        return f"{_name_cell(x, y)} is empty and has a label: it holds {labels[y, x]}."
    return (
        describe_foreign_label(recording, -1)
        or _cells_apart(recording)
        or ("" if verdict is None else verdict.finding)
    )


def describe_uninitialised_labels(recording: Recording) -> str:
    """Say which cells of the labels a step used uninitialised; empty if none.

    Cells without a label at the end are wrong labels, which the verdict describes. A launch that
    stopped had no time to store the others.

    Parameters
    ----------
    recording : Recording
        The run.
    """
    bare, last = recording.uninitialised, len(recording) - 1
    if bare is None or bare.step == last or (recording.complete and bare.last == last):
        return ""
    cells = f"{counted(bare.cells, 'cell')} of the labels " + ("is" if bare.cells == 1 else "are")
    return (
        f"After step {bare.step + 1} ({recording.steps[bare.step].kernel}), {cells} uninitialised, "
        f"as at {_format_cell(*bare.cell)}: let the kernel store a label in every cell, or give "
        "the buffer a fill."
    )


def describe_foreign_label(recording: Recording, index: int) -> str:
    """Say which cell names a cell outside its component after a step; empty if none does.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        Index of the step.
    """
    labels, parents = recording.labels(index), recording.parents(index)
    components, _ = recording.component_numbers()
    named = (parents >= 0) & (parents < parents.size)
    foreign = named & (components.ravel()[np.where(named, parents, 0)] != components)
    if not foreign.any():
        return ""
    y, x = _find_first(foreign)
    holds = f"{_name_cell(x, y)} holds {labels[y, x]}"
    to_y, to_x = divmod(int(parents[y, x]), parents.shape[1])
    what = "a cell in another component" if components[to_y, to_x] else "an empty cell"
    return f"{holds}, the address of {what}: {_format_cell(to_x, to_y)}."


def _cells_apart(recording: Recording) -> str:
    """Return a sentence about two cells of a component whose labels differ, side by side if any."""
    labels = recording.labels(-1)
    components, _ = recording.component_numbers()
    for (y, x), (other_y, other_x) in _neighbours(components, labels, recording.connectivity):
        return (
            "These two cells belong together and got different labels: "
            f"{labels[y, x]} at {_format_cell(x, y)} and {labels[other_y, other_x]} at "
            f"{_format_cell(other_x, other_y)}."
        )
    return ""


def _neighbours(
    components: npt.NDArray[np.int32], labels: npt.NDArray[np.int32], connectivity: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield two neighbours in one component with different labels, for each direction."""
    height, width = labels.shape
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))[: 2 if connectivity == 4 else 4]:
        one = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
        other = (slice(down, height), slice(max(0, right), width + min(0, right)))
        apart = (
            (components[one] != 0)
            & (components[one] == components[other])
            & (labels[one] != labels[other])
        )
        if apart.any():
            y, x = _find_first(apart)
            x += max(0, -right)
            yield (y, x), (y + down, x + right)


def _find_first(mask: _Mask) -> tuple[int, int]:
    y, x = divmod(int(mask.argmax()), mask.shape[1])
    return y, x


def _name_cell(x: int, y: int) -> str:
    return f"The cell at {_format_cell(x, y)}"


def _format_cell(x: int, y: int) -> str:
    return f"x = {x}, y = {y}"
