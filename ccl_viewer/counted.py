"""Numbers with their nouns, for sentences."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return how many there are of something: ``"1 cell"``, ``"1,024 cells"``.

    Parameters
    ----------
    number : int
        How many.
    noun : str
        What one of them is called.
    plural : str or None
        What several are called; None adds an s.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {f'{noun}s' if plural is None else plural}"
