"""What runs are called: their algorithm, and what tells them from others beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ccl_viewer.algorithms import algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording

_AFTER_NAME: Final = re.compile(r", | \(")
_ABBREVIATIONS: Final = {"Equivalence": "Equiv.", "connectivity ": "conn. "}


def algorithm_name(key: str, parameters: Mapping[str, int | None]) -> str:
    """Return an algorithm's title, with the parameters that are not the usual ones."""
    try:
        row = algorithm(key)
        title, usual = row.title, row.complete({})
    except InputError:  # a recording may be of an algorithm that this version does not know
        title, usual = key, {}
    given = [
        f"{name} {value}"
        for name, value in parameters.items()
        if value is not None and usual.get(name) != value
    ]
    return ", ".join([title, *given])


def name_of(recording: Recording) -> str:
    """Return the name of a run's algorithm, with the parameters that are not the usual ones."""
    return algorithm_name(recording.algorithm, recording.parameters)


def names_of(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Return names that tell runs apart.

    Runs of one algorithm with the same parameters are called after what else differs among them:
    device, schedule, connectivity.
    """
    names = [name_of(recording) for recording in recordings]
    return tuple(
        ", ".join([name, *_differing_words(recording, _named(name, names, recordings))])
        for name, recording in zip(names, recordings, strict=True)
    )


def shorter_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return names to call a run by where its own has no room, longest first.

    What follows the algorithm's name is left out only if no other run begins with that name.

    Parameters
    ----------
    name : str
        Its own.
    others : iterable of str
        Those of the runs beside it.
    """
    first = _AFTER_NAME.split(name)[0]
    alone = first not in {_AFTER_NAME.split(other)[0] for other in others}
    names = [name, _abbreviated(name)] + [first, _abbreviated(first)] * alone
    return tuple(dict.fromkeys(names))[1:]


def _abbreviated(name: str) -> str:
    for words, short in _ABBREVIATIONS.items():
        name = name.replace(words, short)
    return name


def _named(
    name: str, names: Sequence[str], recordings: Sequence[Recording]
) -> tuple[Recording, ...]:
    every = zip(names, recordings, strict=True)
    return tuple(recording for other, recording in every if other == name)


def _differing_words(recording: Recording, others: Sequence[Recording]) -> list[str]:
    words = [
        (recording.device_title, {other.device for other in others}),
        (recording.schedule, {other.schedule for other in others}),
        (
            f"connectivity {recording.connectivity}",
            {str(other.connectivity) for other in others},
        ),
    ]
    return [word for word, kinds in words if len(kinds) > 1]
