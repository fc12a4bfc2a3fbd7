"""The files of which a kernel module consists: its own, and all that it includes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from ccl_viewer.errors import KernelBuildError, shorten
from ccl_viewer.storage.files import is_file, read_text_file

_MAX_BYTES: Final = 1 << 22
"""Most bytes of a source file."""
_MAX_FILES: Final = 200

_SPLICE = re.compile(r"(?:\\|\?\?/)[^\S\n]*\n")
_LINE_COMMENT = re.compile(r"^[^\S\n]*//(?:(?!\*/)[^\n])*$", re.MULTILINE)
_INCLUDE = re.compile(
    r"(?:#|%:|\?\?=)[^\S\n]*(include_next|include|import|embed)\b"
    r'[^\S\n]*(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>)?'
)
_REFUSED = re.compile(
    r"__has_(?:include|embed)\w*|\.incbin\b|\.include\b|\bpragma\W+comment\b"
    r"|(?:#|%:|\?\?=)[^\S\n]*/\*|\0"
)


def read_include_closure(path: Path, roots: tuple[Path, ...]) -> dict[Path, str]:
    """Return the text of a module's file and of everything that it can include.

    Conditions and comments are not evaluated, except for lines that begin with ``//``: what one
    compiler skips, another may read. A name in angle brackets that is in no root belongs to the
    compiler.

    Parameters
    ----------
    path : Path
        The module's file, in the first root.
    roots : tuple of Path
        Folders, resolved, to which included names are relative, in addition to the including
        file's folder. Everything must be in one of them; a link in a root may lead elsewhere.

    Returns
    -------
    dict of Path to str
        The module, then its includes in the order of the text.

    Raises
    ------
    KernelBuildError
        If a file is missing, in another folder or not UTF-8 text, or if there are too many; if a
        text includes a macro, asks for files, or reads files in another way.
    """
    closure: dict[Path, str] = {}
    waiting: list[tuple[Path, Path | None]] = [(path, None)]
    while waiting:
        file, origin = waiting.pop()
        if file in closure:
            continue
        if len(closure) == _MAX_FILES:
            raise KernelBuildError(
                f"{path.name} includes more than {_MAX_FILES} files: include fewer."
            )
        closure[file] = _read(file, origin)
        included = _find_includes(closure[file], file, roots)
        waiting += [(each, file) for each in reversed(included)]
    return closure


def _read(path: Path, included_from: Path | None) -> str:
    try:
        return read_text_file(path, _MAX_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        origin = "" if included_from is None else f", included by {included_from.name},"
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise KernelBuildError(
            f"The kernel source {path}{origin} cannot be read: {reason}."
        ) from error


def _find_includes(text: str, including: Path, roots: tuple[Path, ...]) -> list[Path]:
    text = _LINE_COMMENT.sub("", _SPLICE.sub("", text))
    refused = _REFUSED.search(text)
    if refused is not None:
        raise KernelBuildError(
            f"{including.name} has {shorten(refused[0])}, which can read files that nobody sees: "
            "leave it out."
        )
    files = []
    for match in _INCLUDE.finditer(text):
        quoted, angled = match["quoted"], match["angled"]
        if match[1] != "include" or not (quoted or angled):
            raise KernelBuildError(
                f"{including.name} includes a file by #{match[1]} without a plain name: write "
                '#include "NAME".'
            )
        folders = roots if angled else (including.parent, *roots)
        found = _resolve(quoted or angled, folders, roots)
        if found is not None:
            files.append(found)
        elif quoted or Path(angled).is_absolute() or ".." in re.split(r"[\\/]", angled):
            raise KernelBuildError(
                f'{including.name} includes "{quoted or angled}", which is neither in its folder '
                f"nor in {roots[0]}: put it there, or correct the name."
            )
    return files


def _resolve(name: str, folders: tuple[Path, ...], roots: tuple[Path, ...]) -> Path | None:
    for folder in folders:
        written = folder / name
        candidate = Path(os.path.normpath(written))
        # Behind a link, ".." leads elsewhere than the text says.
        inside = os.path.realpath(candidate) == os.path.realpath(written)
        if inside and any(map(candidate.is_relative_to, roots)) and is_file(candidate):
            return candidate
    return None
