"""Runs of whole algorithms under the memory check, with kernels original or altered."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.components import find_components
from ccl_viewer.algorithms.consecutive import label_consecutively
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.source import SourceFinder
from ccl_viewer.diagnostics.races import harmless_races
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.finding import Finding
from ccl_viewer.execution.plan import Buffer, ParameterValue, Task
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.storage.resources import kernel_path, kernels_folder
from support.grids import Grid


@dataclass(frozen=True)
class CheckedRun:
    """An algorithm and its run.

    Parameters
    ----------
    algorithm : str
        Its key.
    connectivity : int
        4 or 8.
    parameters : mapping
        Its parameters, where they are not the defaults.
    multivalued : bool
        Whether cells of equal value connect.
    find_source : callable
        Finds the kernels.
    found : list of Finding
        The findings so far, including those of failed runs.
    """

    algorithm: str
    connectivity: int
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    multivalued: bool = False
    find_source: SourceFinder = kernel_path
    found: list[Finding] = field(default_factory=list)

    @property
    def undeclared(self) -> list[str]:
        """The findings in words, without races that headers of kernels rightly declare harmless."""
        words = []
        for finding in self.found:
            races = {(race.kernel, race.buffer): race for race in harmless_races(finding.module)}
            race = races.get((finding.kernel, finding.variable or finding.memory or ""))
            if race is None or race.find_breach(finding.effects):
                words.append(str(finding))
        return words

    def label(self, image: Grid, schedule: str = "sequential") -> npt.NDArray[np.int32]:
        """Labels, in consecutive numbers."""
        task = self._task(image)
        with self._device(schedule).open(task.image, image, timed=False) as run:
            _, numbers, _ = execute(label_consecutively(ALGORITHMS[self.algorithm], task), run)
            return run.read(numbers).copy()

    def table(self, image: Grid, schedule: str = "sequential") -> npt.NDArray[np.void]:
        """The table of components, which takes more kernels."""
        task = self._task(image)
        with self._device(schedule).open(task.image, image, timed=False) as run:
            return execute(find_components(ALGORITHMS[self.algorithm], task), run)

    def _task(self, image: Grid) -> Task:
        buffer = Buffer("image", image.shape, np.dtype(np.uint8))
        parameters = ALGORITHMS[self.algorithm].complete(self.parameters)
        return Task(buffer, self.connectivity, parameters, multivalued=self.multivalued)

    def _device(self, schedule: str) -> EmulatorDevice:
        return EmulatorDevice(
            Schedule.parse(schedule), self.find_source, on_finding=self.found.append
        )


def copied_kernels(folder: Path) -> Path:
    """Copy the kernels into a new folder inside another, where they can be altered."""
    copy = folder / "kernels"
    shutil.copytree(kernels_folder(), copy)
    return copy


def altered_kernels(folder: Path, file: str, old: str, new: str) -> SourceFinder:
    """Copy the kernels, and replace a text that one of them has once."""
    copy = copied_kernels(folder)
    path = copy / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return lambda module: copy / f"{module}.cu"
