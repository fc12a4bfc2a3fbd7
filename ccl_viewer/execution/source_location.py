"""Places in the source of kernels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceLocation:
    """A place in the source of a kernel.

    Parameters
    ----------
    file : str
        Name of the file, relative to the folder of its module: ``common/cells.cuh``.
    line : int
        The line, from 1.
    function : str
        Name of its function.
    caller : str
        For a place in a header, the place in the module where its code was inlined, as
        ``file:line``; empty if unknown.
    """

    file: str
    line: int
    function: str
    caller: str = ""

    def __str__(self) -> str:
        """Return file and line, and the caller."""
        place = f"{self.file}:{self.line}"
        return f"{place}, called at {self.caller}" if self.caller else place
