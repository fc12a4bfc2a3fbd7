"""The source of the kernel on display: files, definitions, skipped lines, launch facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Final

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.devices.conditionals import mark_compiled_lines
from ccl_viewer.devices.source import KernelSource, Macros, find_kernel_lines, read_source
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.execution.plan import Dim3
from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.geometry import TIMES
from ccl_viewer.support.units import counted

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
_COMMENT: Final = re.compile(r"//.*|/\*.*?\*/")
_LAYER_CELLS: Final = 1 << 18  # larger grids decode a whole layer for one cell: too slow


@dataclass(frozen=True)
class SourcePosition:
    """A line of a file, from 0."""

    file: str
    line: int


@dataclass(frozen=True)
class NamedValue:
    """A name and its value, as text; `detail` is the type."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class KernelModule:
    """The source of a kernel module: its file and all includes.

    `definitions` gives the place of each function, structure and macro. `skipped` are the lines
    that macros exclude, counted from 0.
    """

    name: str  # stem of its file
    files: Mapping[str, str]  # text of each file by name, the module's own first
    definitions: Mapping[str, SourcePosition] = field(default_factory=dict)
    skipped: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def main(self) -> str:
        """Name of the module's own file."""
        return next(iter(self.files))

    def file_named(self, name: str) -> str | None:
        """Return the file that a name or path means; None for an unknown one."""
        stem = name.replace("\\", "/").rpartition("/")[2]
        matches = (file for file in self.files if file.rpartition("/")[2] == stem)
        return next(matches, None)

    def lines_of(self, kernel: str) -> tuple[str, int, int] | None:
        """Return the file of a kernel, and its first and last line; None if it is not here."""
        position = self.definitions.get(kernel)
        lines = None if position is None else find_kernel_lines(self.files[position.file], kernel)
        return None if position is None or lines is None else (position.file, *lines)

    def kernel_text(self, kernel: str) -> str:
        """Return a whole kernel with the comment above it; empty if it is not here."""
        location = self.lines_of(kernel)
        if location is None:
            return ""
        file, first, last = location
        return "\n".join(self.files[file].split("\n")[first : last + 1]) + "\n"


def load_kernel_module(module: str, macros: Macros = ()) -> KernelModule:
    """Return a kernel module as it is built, from the files that run.

    If they cannot be read, its only file has one line, which says why.
    """
    try:
        return _kernel_module(module, read_source(source_path(module), macros))
    except CCLViewerError as error:
        return KernelModule(module, {f"{module}.cu": f"// {error}\n"})


@lru_cache(maxsize=16)
def _kernel_module(module: str, source: KernelSource) -> KernelModule:
    files = dict(source.files)
    skipped = skipped_lines(files, next(iter(files)), dict(source.macros))
    return KernelModule(module, files, _definitions(files), skipped)


def skipped_lines(
    files: Mapping[str, str], first: str, macros: Mapping[str, int]
) -> dict[str, frozenset[int]]:
    """Return the lines of each file that are excluded, from 0, without the conditions.

    `files` has all texts by the names that includes use; the `first` one is compiled, with some
    macros. Lines after a directive that cannot be evaluated count as compiled.
    """
    skipped = {name: set[int]() for name in files}
    unread = dict(files)
    definitions = {name: str(value) for name, value in macros.items()}

    def read(name: str) -> None:
        lines = (_COMMENT.sub("", line) for line in unread.pop(name).split("\n"))
        for number, (line, compiled) in enumerate(mark_compiled_lines(lines, definitions)):
            include = _INCLUDE.match(line) if compiled else None
            target = include and _find_include(include.group(1), name, unread)
            if target:
                read(target)
            elif not compiled:
                skipped[name].add(number)

    with suppress(ValueError):  # of a wrong directive, which the compiler reports
        read(first)
    return {name: frozenset(numbers) for name, numbers in skipped.items()}


# The launch


def extent_text(size: Dim3) -> str:
    """Return a launch's grid or block in words, without trailing dimensions of 1."""
    x, y, z = size
    shown = size if z > 1 else size[:2] if y > 1 else (x,)
    return f" {TIMES} ".join(f"{length:,}" for length in shown)


def call_of(step: Step) -> str:
    grid, block = (", ".join(map(str, size)) for size in (step.grid, step.block))
    return f"{step.kernel}<<<dim3({grid}), dim3({block})>>>"


def launch_sentence(step: Step) -> str:
    """Return the number of blocks, threads and atomic operations of a launch, in words."""
    blocks, threads = prod(step.grid), prod(step.block)
    atomics = "" if step.atomics is None else f"; {counted(step.atomics, 'atomic operation')}"
    return (
        f"{extent_text(step.grid)} {'block' if blocks == 1 else 'blocks'} of "
        f"{extent_text(step.block)} {'thread' if threads == 1 else 'threads'}: "
        f"{blocks * threads:,} in all{atomics}"
    )


def arguments_of(step: Step) -> tuple[NamedValue, ...]:
    return tuple(
        NamedValue(argument.name, _value(argument.value), argument.type)
        for argument in step.arguments
    )


def macros_of(step: Step) -> tuple[NamedValue, ...]:
    return tuple(NamedValue(name, str(value), "macro") for name, value in step.macros)


def cell_values(
    recording: Recording, step: Step, label: int, cell: tuple[int, int]
) -> tuple[NamedValue, ...]:
    """Return the values of the arrays for a cell after a step, given its raw label.

    Layers are left out if the grid is too large to decode them now.
    """
    x, y = cell
    facts = [NamedValue("image", f"{recording.image[y, x]}"), NamedValue("label", f"{label}")]
    if recording.image.size <= _LAYER_CELLS:
        facts += [
            NamedValue(name, f"{recording.layer(name, step.index)[y, x]}")
            for name in recording.layers
        ]
    return tuple(facts)


def paper_of(recording: Recording, step: Step) -> str:
    """Return the paper of a step and the place in it; empty for an unknown algorithm."""
    try:
        citation = find_algorithm(recording.algorithm).citation
    except InputError:
        citation = ""
    return " \N{EN DASH} ".join(filter(None, (step.paper, citation)))


def _value(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value.replace(" x ", f" {TIMES} ")


def _definitions(files: Mapping[str, str]) -> dict[str, SourcePosition]:
    positions: dict[str, SourcePosition] = {}
    for name, text in files.items():
        for pattern in _DEFINITIONS:
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start(1))
                positions.setdefault(match.group(1), SourcePosition(name, line))
    return positions


def _find_include(written: str, including: str, files: Mapping[str, str]) -> str | None:
    """Return the file of an ``#include`` in another file; the folder of that file comes first."""
    name = written.strip().strip('"')
    folder = including.rpartition("/")[0]
    beside = f"{folder}/{name}" if folder else name
    return next((candidate for candidate in (beside, name) if candidate in files), None)
