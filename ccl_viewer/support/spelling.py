"""Which known name somebody meant by one that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is close to another, letters of either case; None if none is.

    Parameters
    ----------
    name : str
        The name that is not known.
    known : iterable of str
        Those that are, in lower case.
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name.lower(), list(known), n=1)), None)
