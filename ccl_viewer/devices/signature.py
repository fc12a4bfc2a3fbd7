"""Names and types of a kernel's parameters, read from its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from ccl_viewer.devices.conditionals import Definitions, find_compiled_lines
from ccl_viewer.devices.source import KernelSource, blank_comments
from ccl_viewer.errors import KernelBuildError

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"')
_RESTRICT = re.compile(r"\b__restrict(?:__)?\b")
_PARAMETER = re.compile(r"(.*?)\b([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)", re.DOTALL)
_MAX_KNOWN = 256  # kernels with their macros
_BUILT_IN = frozenset(("bool", "char", "double", "float", "int", "long", "short", "unsigned"))


@dataclass(frozen=True)
class KernelParameter:
    """One parameter of a kernel.

    Parameters
    ----------
    name : str
        Its name.
    type : str
        Its type as in the source, with single spaces: ``const unsigned char *``.
    """

    name: str
    type: str


@lru_cache(maxsize=_MAX_KNOWN)
def kernel_parameters(source: KernelSource, kernel: str) -> tuple[KernelParameter, ...]:
    """Return the parameters of a kernel, built with the source's macros.

    Parameters
    ----------
    source : KernelSource
        The module and its macros.
    kernel : str
        Name of the ``__global__`` function.

    Returns
    -------
    tuple of KernelParameter
        The parameters, in order.

    Raises
    ------
    KernelBuildError
        If the module does not define the kernel, or its parameters cannot be read.
    """
    try:
        definitions = {name: str(value) for name, value in source.macros}
        text = "\n".join(_find_compiled_lines(source, source.files[0][0], definitions, set()))
        inside = _parameter_text(text, kernel)
        return tuple(_parameter(part) for part in _split_parameters(inside))
    except ValueError as error:
        raise KernelBuildError(
            f"The parameters of {kernel} in {source.path.name} cannot be read: {error}."
        ) from error


def _find_compiled_lines(
    source: KernelSource, name: str, definitions: Definitions, visited: set[str]
) -> Iterator[str]:
    """Return the lines of a file that a build compiles, with those of its includes in place."""
    visited.add(name)
    text = blank_comments(dict(source.files)[name]).replace("\\\n", " ")
    for line in find_compiled_lines(_mark_includes(text), definitions):
        included = line.removeprefix(_MARK)
        if included == line:
            yield line
            continue
        file = _file_of(source, name, included)
        if file not in visited:
            yield from _find_compiled_lines(source, file, definitions, visited)


_MARK = "\0include "


def _mark_includes(text: str) -> Iterator[str]:
    """Return the lines; an include becomes an ordinary line that conditions can hide."""
    for line in text.splitlines():
        include = _INCLUDE.match(line)
        yield line if include is None else _MARK + include[1]


def _file_of(source: KernelSource, including: str, included: str) -> str:
    names = [name for name, _ in source.files]
    beside = str(PurePosixPath(including).parent / included)
    for name in (beside, included, PurePosixPath(included).name):
        if name in names:
            return name
    raise ValueError(f"{included} is not among its files")


def _parameter_text(text: str, kernel: str) -> str:
    start = re.search(rf"__global__\s+[^;{{}}]*?\b{re.escape(kernel)}\s*\(", text)
    if start is None:
        raise ValueError("the kernel is not defined")
    depth = 1
    for index in range(start.end(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[start.end() : index]
    raise ValueError("a parenthesis is not closed")


def _split_parameters(inside: str) -> list[str]:
    """Split parameters at commas outside brackets."""
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "(<[") - (char in ")>]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [] if inside.split() in ([], ["void"]) else parts


def _parameter(text: str) -> KernelParameter:
    declaration = _RESTRICT.sub(" ", text.partition("=")[0]).strip()
    match = _PARAMETER.fullmatch(declaration)
    if match is None or not match[1].strip() or match[2] in _BUILT_IN:
        raise ValueError(f"the parameter {' '.join(declaration.split())!r} has no type or no name")
    stars = " *" * match[3].count("[")
    words = " ".join((match[1] + stars).replace("*", " * ").replace("&", " & ").split())
    return KernelParameter(match[2], words.replace("* *", "**"))
