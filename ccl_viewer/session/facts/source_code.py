"""The source of the kernel on display: its files, where names are defined, what is compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from ccl_viewer.devices.source import Macros, read_source
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.resources import kernel_path
from ccl_viewer.session.facts.skipped_lines import included, skipped_lines

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


@dataclass(frozen=True)
class Place:
    """A line of a file.

    Parameters
    ----------
    file : str
        Name of the file.
    line : int
        The line, from 0.
    """

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
            target = included(include.group(1), file, self.files)
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
    return Program(
        module,
        files,
        MappingProxyType(_definitions(files)),
        MappingProxyType(skipped_lines(files, next(iter(files)), dict(macros))),
    )


def find_all(text: str, wanted: str) -> tuple[int, ...]:
    """Return where a phrase begins in a text, each time; capitals only count if it has some.

    Parameters
    ----------
    text : str
        Where to look.
    wanted : str
        The phrase; an empty one is nowhere.
    """
    if not wanted:
        return ()
    flags = re.NOFLAG if wanted != wanted.lower() else re.IGNORECASE
    return tuple(found.start() for found in re.finditer(re.escape(wanted), text, flags))


def _definitions(files: Mapping[str, str]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for name, text in files.items():
        for pattern in _DEFINITIONS:
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start(1))
                places.setdefault(found.group(1), Place(name, line))
    return places
