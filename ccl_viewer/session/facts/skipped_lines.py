"""Which lines of a kernel's source the compiler skips: `#if` branches that its macros rule out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ccl_viewer.devices.conditionals import evaluate

_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*)$")
_COMMENT: Final = re.compile(r"//.*|/\*.*?\*/")
_COMPILER: Final = re.compile(r"\b__\w+")
"""Names that only the compiler knows."""


def skipped_lines(
    files: Mapping[str, str], first: str, macros: Mapping[str, int]
) -> dict[str, frozenset[int]]:
    """Return the lines of each file that are not compiled.

    A condition that cannot be decided, because it asks for what only the compiler knows, skips
    nothing.

    Parameters
    ----------
    files : mapping of str to str
        Text of each file of the include closure, by the name that includes use.
    first : str
        The file that is compiled.
    macros : mapping of str to int
        Macros that are given to the compiler.

    Returns
    -------
    dict of str to frozenset of int
        Line numbers from 0, for each file; the conditions themselves are not among them.
    """
    reading = _Reading(files, {name: str(value) for name, value in macros.items()})
    reading.read(first)
    return {name: frozenset(reading.skipped.get(name, ())) for name in files}


def included(written: str, including: str, files: Mapping[str, str]) -> str | None:
    """Return which file of a closure an ``#include`` names.

    Parameters
    ----------
    written : str
        What follows ``#include``, in quotation marks.
    including : str
        Name of the file that it stands in, beside which is looked first.
    files : mapping of str to str
        The closure.
    """
    name = written.strip().strip('"')
    folder = including.rpartition("/")[0]
    beside = f"{folder}/{name}" if folder else name
    return next((found for found in (beside, name) if found in files), None)


@dataclass
class _Branch:
    """An ``#if`` that is open.

    Parameters
    ----------
    outer : bool
        Whether it stands where lines are compiled.
    taken : bool or None
        Whether one of its branches was compiled already; None once one could not be decided.
    here : bool
        Whether the lines that follow may be compiled.
    """

    outer: bool
    taken: bool | None
    here: bool


@dataclass
class _Reading:
    """Reads files as a preprocessor does, and notes what it skips."""

    files: Mapping[str, str]
    macros: dict[str, str]
    skipped: dict[str, set[int]] = field(default_factory=dict)

    def read(self, name: str) -> None:
        """Read a file once, as ``#pragma once`` has it."""
        if name in self.skipped or name not in self.files:
            return
        skipped = self.skipped[name] = set()
        branches: list[_Branch] = []
        for number, line in enumerate(self.files[name].split("\n")):
            found = _DIRECTIVE.match(line)
            if found is not None:
                word, rest = found.group(1), _COMMENT.sub("", found.group(2)).strip()
                if self._branch(branches, word, rest):
                    continue
            if branches and not branches[-1].here:
                skipped.add(number)
            elif found is not None:
                self._note(name, word, rest)

    def _branch(self, branches: list[_Branch], word: str, rest: str) -> bool:
        """Open, switch or close a branch; return whether the directive is one of these."""
        if word in {"if", "ifdef", "ifndef"}:
            outer = not branches or branches[-1].here
            holds = self._holds(word, rest)
            branches.append(_Branch(outer, holds, outer and holds is not False))
        elif word in {"elif", "else"} and branches:
            branch = branches[-1]
            holds = True if word == "else" else self._holds("if", rest)
            branch.here = branch.outer and branch.taken is not True and holds is not False
            if branch.taken is False:
                branch.taken = holds
        elif word == "endif" and branches:
            branches.pop()
        else:
            return False
        return True

    def _holds(self, word: str, rest: str) -> bool | None:
        """Return whether a condition holds; None if that cannot be known here."""
        if any(name not in self.macros for name in _COMPILER.findall(rest)):
            return None
        if word != "if":
            return (rest in self.macros) == (word == "ifdef")
        try:
            return evaluate(rest, self.macros) != 0
        except ValueError:
            return None

    def _note(self, name: str, word: str, rest: str) -> None:
        if word == "define":
            macro, _, replacement = rest.partition(" ")
            if "(" not in macro:
                self.macros.setdefault(macro, replacement.strip())
        elif word == "undef":
            self.macros.pop(rest, None)
        elif word == "include":
            self.read(included(rest, name, self.files) or "")
