"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to a name, ignoring case; None if none is close.

    Parameters
    ----------
    name : str
        The unknown name.
    known : iterable of str
        Known names, in lower case.
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(name.lower(), list(known), n=1)), None)
