"""The source of the kernel on display: its files, definitions, skipped lines, launch facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from types import MappingProxyType
from typing import Final

from ccl_viewer.algorithms import algorithm
from ccl_viewer.devices.conditionals import evaluate
from ccl_viewer.devices.source import Macros, kernel_lines, read_source
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.plan import Dim3
from ccl_viewer.recording import Recording, Step
from ccl_viewer.resources import kernel_path

_INCLUDE: Final = re.compile(r'^[ \t]*#[ \t]*include[ \t]*("[^"]+")')
_DEFINITIONS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:template\s*<[^>]*>\s*)?(?:static\s+)?__device__[^;{(]*?\b(\w+)\s*\(",
        r'^extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(',
        r"^(?:struct|enum|union)\s+(\w+)\s*\n?\{",
        r"^[ \t]*#[ \t]*define[ \t]+(\w+)",
    )
)
_WORD: Final = re.compile(r"\w+")
_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*)$")
_COMMENT: Final = re.compile(r"//.*|/\*.*?\*/")
_COMPILER: Final = re.compile(r"\b__\w+")  # names that only the compiler knows
_TIMES: Final = "\N{MULTIPLICATION SIGN}"
_LAYER_CELLS: Final = 1 << 18  # layers of larger grids are not decoded for the sake of one cell


@dataclass(frozen=True)
class Place:
    """A line of a file, from 0."""

    file: str
    line: int


@dataclass(frozen=True)
class Link:
    """A name in the text that leads to where it is defined.

    Parameters
    ----------
    start, end : int
        Columns of its first character and behind its last, from 0.
    target : Place
        The definition, or the first line of the included file.
    """

    start: int
    end: int
    target: Place


@dataclass(frozen=True)
class Fact:
    """A name and its value, as text.

    Parameters
    ----------
    name, value : str
        What it is, and what it is worth.
    detail : str
        More about it, such as its type.
    """

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class Program:
    """A kernel module as it is built: its file, what it includes, and its macros.

    Parameters
    ----------
    module : str
        Stem of the module's file.
    files : mapping of str to str
        Text of each file; the module's own is the first.
    definitions : mapping of str to Place
        Where each function, structure and macro is defined.
    skipped : mapping of str to frozenset of int
        Lines of each file that its macros rule out, from 0.
    """

    module: str
    files: Mapping[str, str]
    definitions: Mapping[str, Place] = field(default_factory=dict)
    skipped: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def main(self) -> str:
        """Name of the module's own file."""
        return next(iter(self.files))

    def file_named(self, name: str) -> str | None:
        """Return which of the files a name means, which may be a path; None for another."""
        stem = name.replace("\\", "/").rpartition("/")[2]
        found = (file for file in self.files if file == name or file.rpartition("/")[2] == stem)
        return next(found, None)

    def lines_of(self, kernel: str) -> tuple[str, int, int] | None:
        """Return the file of a kernel, and its first and last line; None if it has none here."""
        place = self.definitions.get(kernel)
        lines = None if place is None else kernel_lines(self.files[place.file], kernel)
        return None if place is None or lines is None else (place.file, *lines)

    def kernel_text(self, kernel: str) -> str:
        """Return a whole kernel with the comment above it; empty if it is not here."""
        found = self.lines_of(kernel)
        if found is None:
            return ""
        file, first, last = found
        return "\n".join(self.files[file].split("\n")[first : last + 1]) + "\n"

    def link_at(self, file: str, line: int, column: int) -> Link | None:
        """Return where the name at a place in the text leads; None if it leads nowhere.

        Parameters
        ----------
        file : str
            One of :attr:`files`.
        line, column : int
            The place, from 0.
        """
        text = self.files[file].split("\n")[line]
        include = _INCLUDE.match(text)
        if include is not None:
            target = _included(include.group(1), file, self.files)
            if target is None:
                return None
            return Link(include.start(1), include.end(1), Place(target, 0))
        if "//" in text and column >= text.index("//"):
            return None
        for word in _WORD.finditer(text):
            if word.start() <= column <= word.end():
                place = self.definitions.get(word.group())
                # The definition itself leads nowhere.
                if place is not None and place != Place(file, line):
                    return Link(word.start(), word.end(), place)
        return None


@lru_cache(maxsize=16)
def program_of(module: str, macros: Macros = ()) -> Program:
    """Return a kernel module as it is built.

    Parameters
    ----------
    module : str
        Stem of the module's file.
    macros : tuple of (str, int)
        Macros that it is built with.

    Returns
    -------
    Program
        The very files that run. If they cannot be read, one file whose only line says why.
    """
    try:
        source = read_source(kernel_path(module), macros)
    except CCLViewerError as error:
        return Program(module, MappingProxyType({f"{module}.cu": f"// {error}\n"}))
    files = MappingProxyType(dict(source.files))
    skipped = skipped_lines(files, next(iter(files)), dict(macros))
    return Program(module, files, MappingProxyType(_definitions(files)), MappingProxyType(skipped))


def find_all(text: str, wanted: str) -> tuple[int, ...]:
    """Return where a phrase begins in a text, each time; case counts if it has capitals."""
    if not wanted:
        return ()
    flags = re.NOFLAG if wanted != wanted.lower() else re.IGNORECASE
    return tuple(found.start() for found in re.finditer(re.escape(wanted), text, flags))


def skipped_lines(
    files: Mapping[str, str], first: str, macros: Mapping[str, int]
) -> dict[str, frozenset[int]]:
    """Return the lines of each file that are not compiled.

    A condition that asks for what only the compiler knows skips nothing.

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
    preprocessor = _Preprocessor(files, {name: str(value) for name, value in macros.items()})
    preprocessor.read(first)
    return {name: frozenset(preprocessor.skipped.get(name, ())) for name in files}


# The launch


def shape_of(size: Dim3) -> str:
    """Return a launch's grid or block in words, without dimensions of 1 at its end."""
    x, y, z = size
    shown = size if z > 1 else size[:2] if y > 1 else (x,)
    return f" {_TIMES} ".join(f"{length:,}" for length in shown)


def call_of(step: Step) -> str:
    """Return the launch as CUDA writes it."""
    grid, block = (", ".join(map(str, size)) for size in (step.grid, step.block))
    return f"{step.kernel}<<<dim3({grid}), dim3({block})>>>"


def launch_sentence(step: Step) -> str:
    """Return how many blocks and threads a launch has, and how many atomic operations it made."""
    blocks, threads = prod(step.grid), prod(step.block)
    atomics = "" if step.atomics is None else f"; {_plural('atomic operation', step.atomics)}"
    return (
        f"{shape_of(step.grid)} {'block' if blocks == 1 else 'blocks'} of "
        f"{shape_of(step.block)} {'thread' if threads == 1 else 'threads'}: "
        f"{blocks * threads:,} in all{atomics}"
    )


def arguments_of(step: Step) -> tuple[Fact, ...]:
    """Return what the kernel was given, in the order of its parameters."""
    return tuple(
        Fact(argument.name, _value(argument.value), argument.type) for argument in step.arguments
    )


def macros_of(step: Step) -> tuple[Fact, ...]:
    """Return the macros that the kernel was built with."""
    return tuple(Fact(name, str(value), "macro") for name, value in step.macros)


def values_at(
    recording: Recording, step: Step, label: int, cell: tuple[int, int]
) -> tuple[Fact, ...]:
    """Return what the arrays hold for a cell after a step.

    Parameters
    ----------
    label : int
        The cell's raw label after it.
    cell : tuple of int
        Column and row, within the grid.

    Returns
    -------
    tuple of Fact
        The grid, the raw label, and the layers, as far as they can be had at once.
    """
    x, y = cell
    facts = [Fact("image", f"{recording.image[y, x]}"), Fact("label", f"{label}")]
    if recording.image.size <= _LAYER_CELLS:
        facts += [
            Fact(name, f"{recording.layer(name, step.index)[y, x]}") for name in recording.layers
        ]
    return tuple(facts)


def paper_of(recording: Recording, step: Step) -> str:
    """Return where the paper has a step, and which paper; empty for an unknown algorithm."""
    try:
        citation = algorithm(recording.algorithm).citation
    except InputError:
        citation = ""
    return " \N{EN DASH} ".join(filter(None, (step.paper, citation)))


def _value(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value.replace(" x ", f" {_TIMES} ")


def _plural(noun: str, count: int) -> str:
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"


def _definitions(files: Mapping[str, str]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for name, text in files.items():
        for pattern in _DEFINITIONS:
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start(1))
                places.setdefault(found.group(1), Place(name, line))
    return places


def _included(written: str, including: str, files: Mapping[str, str]) -> str | None:
    """Return which file an ``#include`` in another file names; beside that one is looked first."""
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
class _Preprocessor:
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
            self.read(_included(rest, name, self.files) or "")
