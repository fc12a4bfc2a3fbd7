"""Values as settings files keep them: as texts, read back with care, as anybody may edit them."""

from __future__ import annotations

from math import isfinite


def truth_text(value: bool) -> str:
    """Return the text that stands for true or false."""
    return "true" if value else "false"


def read_truth(text: str) -> bool:
    """Return what a text stands for, true or false, in letters of any case.

    Raises
    ------
    ValueError
        If it is neither.
    """
    try:
        return {"true": True, "false": False}[text.lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def read_number(text: str) -> float:
    """Return the finite number that a text stands for.

    Raises
    ------
    ValueError
        If it is none, infinite or NaN.
    """
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text!r} is no finite number")
    return number
