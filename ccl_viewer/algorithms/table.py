"""The ordered table of algorithms: an entry for each, and nothing else to register."""

from __future__ import annotations

import os
import re
from typing import Any

from ccl_viewer.algorithms import (
    bke,
    cabaret,
    ha4,
    ha4_64,
    ha4_features,
    ha8,
    komura,
    label_equivalence,
    label_equivalence_hawick,
    playne,
    row_col_unify,
    shibata,
    stava_benes,
    tiled_runs,
    two_pass,
)
from ccl_viewer.algorithms.base import Algorithm, connectivity_advice, parse_value
from ccl_viewer.algorithms.copies import COPY, algorithm_from_copy, find_copy, list_copies
from ccl_viewer.algorithms.own import OWN, allowed_algorithms, find_own_algorithm
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.storage.files import is_file
from ccl_viewer.support.spelling import find_nearest

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.key: algorithm
    for algorithm in (
        label_equivalence.LABEL_EQUIVALENCE,
        label_equivalence.LABEL_EQUIVALENCE_SIZES,
        label_equivalence_hawick.LABEL_EQUIVALENCE_HAWICK,
        row_col_unify.ROW_COL_UNIFY,
        stava_benes.STAVA_BENES,
        ha4.HA4,
        ha4_64.HA4_64,
        ha4_features.HA4_FEATURES,
        ha8.HA8,
        bke.BKE,
        tiled_runs.TILED_RUNS,
        playne.PLAYNE,
        playne.PLAYNE_BLOCK,
        komura.KOMURA,
        cabaret.CABARET,
        shibata.NAIVE,
        shibata.SLOW,
        shibata.FAST,
        two_pass.TWO_PASS,
        two_pass.TWO_PASS_STRIPS,
    )
}
"""Every algorithm by its key, in the order in which lists show them."""


_CHOICE = re.compile(
    rf"(?P<key>(?:{COPY}|{OWN})?\w+|.*?[/\\].*?)(?P<settings>([:,]\w{{1,60}}=(-?\d{{1,18}}|[A-Za-z]\w{{0,59}}))*)"
)


def find_algorithm(key: Any) -> Algorithm:
    """Return the algorithm with a key, which may be ``copy:NAME`` or ``own:NAME``.

    User code is named and not run: ``own:NAME`` is known once its folder was added.

    Raises
    ------
    InputError
        If there is none; the message names near misses.
    """
    if not isinstance(key, str):
        raise InputError(
            "An algorithm is named by a text, such as 'ha4': for how cells connect write "
            f"{connectivity_advice(key)}."
        )
    if key in ALGORITHMS:
        return ALGORITHMS[key]
    if key.startswith(COPY):
        return algorithm_from_copy(find_copy(key.removeprefix(COPY)), ALGORITHMS)
    if key.startswith(OWN):
        return find_own_algorithm(key)
    if {"/", os.sep} & {*key}:
        raise InputError(
            f"{shorten(key)} is not the key of an algorithm: to run the code in a folder, give the "
            "key that ccl_viewer.add_algorithm returns."
        )
    mine = {OWN + key} & {algorithm.key for algorithm in own_algorithms()}
    close = next(iter(mine), find_nearest(key, ALGORITHMS))
    hint = f"choose one of {', '.join(ALGORITHMS)}." if close is None else f"did you mean {close}?"
    raise InputError(f"There is no algorithm {key!r}: {hint}")


def parse_algorithm(text: str) -> tuple[str, dict[str, int | str]]:
    """Parse ``KEY`` or ``KEY:NAME=VALUE,NAME=VALUE``: an algorithm with parameters.

    The key may be the path of a folder, with a slash in it.

    Returns
    -------
    tuple of (str, dict)
        The key, not looked up yet, and the parameters.

    Raises
    ------
    InputError
        If it has another form.
    """
    match = _CHOICE.fullmatch(text)
    if match is None and text.startswith((COPY, OWN)):
        return text, {}  # the look-up reports unknown keys
    if match is None:
        raise InputError(
            f"{shorten(text)!r} is not an algorithm: write KEY or KEY:NAME=VALUE, with a whole "
            "number of at most 18 digits or the name of a choice."
        )
    settings = [item.split("=") for item in re.split("[:,]", match["settings"]) if item]
    return match["key"], {name: parse_value(value) for name, value in settings}


def copied_algorithms() -> tuple[Algorithm, ...]:
    """Return the algorithms of the user's copies, by name."""
    return tuple(
        algorithm_from_copy(copy, ALGORITHMS)
        for copy in list_copies()
        if copy.algorithm in ALGORITHMS
    )


def own_algorithms() -> tuple[Algorithm, ...]:
    """Return the user algorithms that exist and may run, by name."""
    allowed = sorted(allowed_algorithms().items())
    return tuple(each.algorithm for _, each in allowed if is_file(each.folder.plan_file))


def default_algorithm(*, many_threads: bool = False) -> Algorithm:
    """Return a fast algorithm that supports both connectivities and multi-valued input.

    Parameters
    ----------
    many_threads : bool
        Whether the device runs thousands of threads simultaneously.
    """
    return tiled_runs.TILED_RUNS if many_threads else two_pass.TWO_PASS_STRIPS


def choose_algorithm(
    key: str | None,
    connectivity: Any = None,
    *,
    multivalued: bool = False,
    many_threads: bool = False,
) -> tuple[Algorithm, int]:
    """Return the algorithm and the connectivity to label with; both have defaults.

    The default connectivity of a named algorithm is its paper's. Without a name, the device
    determines a fast algorithm, and the connectivity is always 4.

    Parameters
    ----------
    key : str or None
        As for :func:`find_algorithm`; None takes :func:`default_algorithm`.
    connectivity : int or None
        The requested connectivity.
    multivalued : bool
        Whether only cells of equal value connect.
    many_threads : bool
        Whether the device runs thousands of threads simultaneously.

    Raises
    ------
    InputError
        If there is no such algorithm, or it does not support the options.
    """
    if key is None:
        algorithm = default_algorithm(many_threads=many_threads)
        return algorithm, algorithm.resolve_connectivity(
            4 if connectivity is None else connectivity
        )
    algorithm = find_algorithm(key)
    check_multivalued(algorithm, multivalued)
    return algorithm, algorithm.resolve_connectivity(connectivity)


def check_multivalued(algorithm: Algorithm, multivalued: bool) -> None:
    """Raise if an algorithm does not support multi-valued input that is asked for.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm asked for.
    multivalued : bool
        Whether only cells of equal value connect.

    Raises
    ------
    InputError
        The message names the algorithms that support it.
    """
    if multivalued and not algorithm.multivalued:
        able = ", ".join(other.key for other in ALGORITHMS.values() if other.multivalued)
        raise InputError(
            f"{algorithm.title} labels foreground against background and cannot tell values apart: "
            f"for multi-valued input choose one of {able}."
        )
