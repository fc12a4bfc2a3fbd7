"""What becomes of the settings of the next run when some are changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, Unpack

from ccl_viewer.algorithms import algorithm, check_multivalued
from ccl_viewer.recording import Recording
from ccl_viewer.session.state import RunSettings


class SettingsChanges(TypedDict, total=False):
    """Settings that are to be others; what is missing or None stays as it is.

    Parameters
    ----------
    algorithm_key : str or None
        Key of the algorithm.
    connectivity, device, schedule, parameters, multivalued
        As of :class:`RunSettings`.
    """

    algorithm_key: str | None
    connectivity: int | None
    device: str | None
    schedule: str | None
    parameters: Mapping[str, int | None] | None
    multivalued: bool | None


def changed_settings(old: RunSettings, **changes: Unpack[SettingsChanges]) -> RunSettings:
    """Return other settings.

    A connectivity that the algorithm does not have becomes the one its paper uses.

    Parameters
    ----------
    old : RunSettings
        The settings so far.
    **changes
        A :class:`SettingsChanges`.

    Raises
    ------
    InputError
        If there is no such algorithm, it does not take a parameter, or it cannot tell values apart;
        the message names those that can.
    """
    row = algorithm(changes.get("algorithm_key") or old.algorithm)
    parameters, multivalued = changes.get("parameters"), changes.get("multivalued")
    given = dict(parameters) if parameters is not None else dict(old.parameters)
    if row.key != old.algorithm and parameters is None:
        known = {parameter.name for parameter in row.parameters}
        given = {name: value for name, value in given.items() if name in known}
    row.complete(given)
    wanted = changes.get("connectivity") or old.connectivity
    return RunSettings(
        algorithm=row.key,
        connectivity=wanted if wanted in row.connectivities else row.connectivities[0],
        device=changes.get("device") or old.device,
        schedule=changes.get("schedule") or old.schedule,
        parameters=given,
        multivalued=check_multivalued(row, old.multivalued if multivalued is None else multivalued),
    )


def settings_of(recording: Recording, old: RunSettings) -> RunSettings:
    """Return settings with which a recording could be made again.

    Parameters
    ----------
    recording : Recording
        The recording, which may come from a program that knows other algorithms.
    old : RunSettings
        Says the rest.

    Raises
    ------
    InputError
        If no algorithm of this program can do such a run.
    """
    settings = changed_settings(
        old,
        algorithm_key=recording.algorithm,
        connectivity=recording.connectivity,
        parameters=recording.parameters,
        multivalued=recording.multivalued,
    )
    algorithm(settings.algorithm).check_connectivity(recording.connectivity)
    return settings


SEGMENTING = "label_equivalence"
"""Takes over where the algorithm in use cannot tell values apart."""


def telling_apart(old: RunSettings, *, on: bool) -> RunSettings:
    """Return settings that tell values apart, or do not; if need be, with another algorithm."""
    able = not on or algorithm(old.algorithm).multivalued
    return changed_settings(old, algorithm_key=None if able else SEGMENTING, multivalued=on)


def taken_over(before: str, now: str) -> str:
    """Return a sentence that says why another algorithm is in use."""
    return (
        f"{algorithm(before).title} does not tell values apart: {algorithm(now).title} took over."
    )


class StandIn:
    """Knows what was in use before another algorithm took over, until the user chooses one."""

    def __init__(self) -> None:
        self._before: RunSettings | None = None

    def note(self, old: RunSettings, new: RunSettings) -> None:
        """Take note that other settings are in use."""
        if new.multivalued and not old.multivalued:
            self._before = old if new.algorithm != old.algorithm else None
        elif new.algorithm != old.algorithm:
            self._before = None

    def telling_apart(self, old: RunSettings, *, on: bool) -> RunSettings:
        """Return settings that tell values apart, or do not, with the algorithm that suits them.

        Where values are no longer told apart, what stood in for an algorithm gives way to it.

        Parameters
        ----------
        old : RunSettings
            The settings so far.
        on : bool
            Whether values are told apart.
        """
        before = self._before
        if (
            on
            or before is None
            or old.connectivity not in algorithm(before.algorithm).connectivities
        ):
            return telling_apart(old, on=on)
        return changed_settings(
            old, algorithm_key=before.algorithm, parameters=before.parameters, multivalued=False
        )
