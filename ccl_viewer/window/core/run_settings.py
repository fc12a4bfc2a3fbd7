"""The settings of a run, and which of them fit together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypedDict, Unpack

from ccl_viewer.algorithms import check_multivalued, find_algorithm
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.recording import Recording
from ccl_viewer.user_kernels.process import Limits

AUTOMATIC_CELLS: Final = 256 * 256
"""Grids up to this many cells are run again after each change."""

COUNTED_CELLS: Final = 64 * 64
"""On grids up to this many cells, counting memory accesses takes no noticeable time."""

SEGMENTING: Final = "label_equivalence"
"""Replaces an algorithm that cannot label a grid with several values."""


class RunChanges(TypedDict, total=False):
    """Changes to the settings of a run; None leaves one as it is."""

    algorithm: str | None
    connectivity: int | None
    device: str | None
    schedule: str | None
    parameters: Mapping[str, ParameterValue] | None
    multivalued: bool | None
    consecutive: bool | None
    seconds: float | None


@dataclass(frozen=True)
class RunSettings:
    """The settings of the next run.

    Device and schedule are as for :func:`ccl_viewer.devices.registry.open_device`.
    """

    algorithm: str = "label_equivalence"
    connectivity: int = 4
    # The chosen connectivity, for algorithms that have it; changing it makes no run out of date.
    chosen: int | None = field(default=None, compare=False)
    device: str = "auto"
    schedule: str = "auto"
    # Values of the algorithm's parameters that differ from the defaults
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    multivalued: bool = False  # whether only cells of equal value connect, not all foreground
    consecutive: bool = False  # whether components are then numbered, in separate steps
    # Time limit of a copy's kernels; changing it makes no run out of date.
    seconds: float = field(default=Limits().seconds, compare=False)

    @property
    def non_default(self) -> tuple[str, ...]:
        """The settings that differ from the defaults, in words."""
        words = []
        if self.device != "auto":
            words.append({"cuda": "GPU"}.get(self.device, self.device.capitalize()))
        if self.schedule != "auto":
            words.append(self.schedule.replace("random:", "random order ").capitalize())
        defaults = {each.name: each for each in _row(self.algorithm).parameters}
        for name, value in self.parameters.items():
            if name in defaults and value != defaults[name].default:
                shown = "automatic" if value is None else defaults[name].format_value(value)
                words.append(f"{name.replace('_', ' ').capitalize()} {shown}")
        if self.consecutive:
            words.append("Numbered")
        return tuple(words)

    def with_changes(self, **changes: Unpack[RunChanges]) -> RunSettings:
        """Return changed settings; raises InputError if they do not fit.

        If the algorithm does not have the chosen connectivity, its paper's is used until an
        algorithm has the chosen one. A new algorithm takes over the parameters that it shares, if
        it allows their values.
        """
        updates: dict[str, Any] = {
            name: value for name, value in changes.items() if value is not None
        }
        new = replace(self, **updates)
        algorithm = _row(new.algorithm)
        parameters = dict(new.parameters)
        if algorithm.key != self.algorithm and "parameters" not in updates:
            by_name = {parameter.name: parameter for parameter in algorithm.parameters}
            parameters = {
                name: value
                for name, value in parameters.items()
                if name in by_name and by_name[name].allows(value)
            }
        algorithm.complete(parameters)
        check_multivalued(algorithm, new.multivalued)
        chosen = updates.get("connectivity", self.chosen)
        candidates = (chosen, new.connectivity, *algorithm.connectivities)
        connectivity = next(one for one in candidates if one in algorithm.connectivities)
        return replace(new, connectivity=connectivity, chosen=chosen, parameters=parameters)

    def with_multivalued(self, multivalued: bool) -> RunSettings:
        """Return settings for a grid of several values or of one; switch algorithm if necessary."""
        able = not multivalued or _row(self.algorithm).multivalued
        return self.with_changes(algorithm=None if able else SEGMENTING, multivalued=multivalued)

    def of_recording(self, recording: Recording) -> RunSettings:
        """Return settings that repeat a recording; device and schedule stay.

        Raises InputError if no algorithm of this program can repeat it.
        """
        settings = self.with_changes(
            algorithm=recording.algorithm,
            connectivity=recording.connectivity,
            parameters=recording.parameters,
            multivalued=recording.multivalued,
            consecutive=recording.consecutive,
        )
        _row(settings.algorithm).resolve_connectivity(recording.connectivity)
        return settings

    def with_schedule(self, schedule: str) -> RunSettings:
        """Return the same settings with another schedule, on the emulator."""
        return replace(self, device="emulator", schedule=schedule)


_row = find_algorithm  # `algorithm` is also the name of a setting


DEVICES: Final = {"auto": "Auto", "cuda": "GPU (CUDA)", "emulator": "Emulator"}


LARGEST_SEED: Final = 2**31 - 1
