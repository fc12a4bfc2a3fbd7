"""What becomes of the settings of the next run when some are changed."""

from __future__ import annotations

from collections.abc import Mapping

from ccl_viewer.algorithms import algorithm, check_multivalued
from ccl_viewer.session.state import RunSettings


def changed_settings(
    old: RunSettings,
    *,
    algorithm_key: str | None = None,
    connectivity: int | None = None,
    device: str | None = None,
    schedule: str | None = None,
    parameters: Mapping[str, int | None] | None = None,
    multivalued: bool | None = None,
) -> RunSettings:
    """Return other settings; None leaves one as it is.

    A connectivity that the algorithm does not have becomes the one its paper uses.

    Raises
    ------
    InputError
        If there is no such algorithm, it does not take a parameter, or it cannot tell values apart;
        the message names those that can.
    """
    row = algorithm(algorithm_key or old.algorithm)
    given = dict(parameters) if parameters is not None else dict(old.parameters)
    if row.key != old.algorithm and parameters is None:
        known = {parameter.name for parameter in row.parameters}
        given = {name: value for name, value in given.items() if name in known}
    row.complete(given)
    wanted = connectivity or old.connectivity
    return RunSettings(
        algorithm=row.key,
        connectivity=wanted if wanted in row.connectivities else row.connectivities[0],
        device=device or old.device,
        schedule=schedule or old.schedule,
        parameters=given,
        multivalued=check_multivalued(row, old.multivalued if multivalued is None else multivalued),
    )
