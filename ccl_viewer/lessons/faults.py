"""Faults of a lesson's file, with their lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ccl_viewer.errors import sanitise_message
from ccl_viewer.support.spelling import find_nearest


@dataclass(frozen=True, order=True)
class Fault:
    """A fault in a lesson's file.

    Parameters
    ----------
    line : int
        Its line, from 1.
    text : str
        What is wrong and what to do, as a sentence.
    """

    line: int
    text: str

    def __str__(self) -> str:
        return sanitise_message(f"line {self.line}: {self.text}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: a similar name, or the list of all."""
    choices = list(known)
    if not choices:
        return "there is none."
    close = find_nearest(name, choices)
    return f"there are {', '.join(choices)}." if close is None else f"did you mean {close}?"
