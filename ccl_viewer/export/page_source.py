"""The kernels' source for a page: each line as coloured spans."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.devices.source import Macros, find_kernel_lines, read_source
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Step

Line = tuple[str, ...]
"""Class and text of each span, in turn."""


class Sources:
    """The source files that the steps of a page need, each once."""

    def __init__(self) -> None:
        self.files: list[dict[str, Any]] = []
        """Name and lines of each file."""
        self.programs: list[list[int]] = []
        """The files of each module as it was built, its own first."""
        self._files: dict[tuple[str, str], int] = {}
        self._programs: dict[tuple[str, Macros], int] = {}

    def add_program(self, step: Step) -> int:
        """Return the number of the module with a step's kernel."""
        key = step.module, step.macros
        if key not in self._programs:
            files = [self._file(name, text) for name, text in _texts(*key)]
            self._programs[key] = len(self.programs)
            self.programs.append(files)
        return self._programs[key]

    def find_kernel_lines(self, step: Step) -> tuple[int, int] | None:
        """Return first and last line of a step's kernel in its file, from 0; None if not found."""
        return find_kernel_lines(_texts(step.module, step.macros)[0][1], step.kernel)

    def _file(self, name: str, text: str) -> int:
        key = name, text
        if key not in self._files:
            self._files[key] = len(self.files)
            self.files.append({"name": name, "lines": highlight_source(text)})
        return self._files[key]


@lru_cache(maxsize=32)
def highlight_source(text: str) -> tuple[Line, ...]:
    """Return the lines of a source in CUDA C++, as coloured spans.

    Parameters
    ----------
    text : str
        The source.

    Returns
    -------
    tuple of tuple of str
        For each line, class and text in turn; the class is ``""`` or one letter: ``k`` keyword,
        ``c`` comment, ``s`` string, ``n`` number, ``f`` function.
    """
    from pygments.lexers import CudaLexer

    lines: list[list[str]] = [[]]
    for token, value in CudaLexer(stripnl=False, ensurenl=False).get_tokens(text):
        kind = _kind(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if not part:
                continue
            if lines[-1] and lines[-1][-2] == kind:
                lines[-1][-1] += part
            else:
                lines[-1] += [kind, part]
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    return tuple(tuple(line) for line in lines)


def _kind(token: Any) -> str:
    from pygments.token import Comment, Keyword, Literal, Name

    kinds: Final = (
        (Comment.Preproc, "k"),
        (Comment, "c"),
        (Keyword, "k"),
        (Literal.String, "s"),
        (Literal.Number, "n"),
        (Name.Function, "f"),
        (Name.Builtin, "f"),
    )
    return next((letter for kind, letter in kinds if token in kind), "")


def _texts(module: str, macros: Macros) -> tuple[tuple[str, str], ...]:
    """Return names and texts of a module's files; if unreadable, a line that says why."""
    try:
        return read_source(source_path(module), macros).files
    except CCLViewerError as error:
        return ((f"{module}.cu", f"// {error}\n"),)
