"""Read the source of a kernel module: its include closure, digest, and kernels.

Both devices compile the same files, located by the same :data:`SourceFinder`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ccl_viewer.devices.file_cache import FileCache
from ccl_viewer.errors import Diagnostic, KernelBuildError
from ccl_viewer.storage.includes import read_include_closure
from ccl_viewer.storage.resources import kernels_folder

SourceFinder: TypeAlias = Callable[[str], Path]
"""Returns the file of a kernel module, as :func:`ccl_viewer.storage.resources.kernel_path` does."""

Macros: TypeAlias = tuple[tuple[str, int], ...]

_KERNEL = re.compile(
    r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\('
)
_DYNAMIC_SHARED = re.compile(
    r"extern\s+__shared__\s+(?:__align__\s*\([^)]*\)\s*)?[\w\s:<>*]*?\b(\w+)\s*\[\s*\]"
)
_NVRTC = re.compile(
    r"^(?P<file>[^\n]+?)\((?P<line>\d+)\): (?P<severity>(?:catastrophic )?error|warning)"
    r"(?: #[\w-]+)?: (?P<text>.+)$",
    re.MULTILINE,
)
_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)


@dataclass(frozen=True)
class KernelSource:
    """The source of one kernel module with the macros of its build.

    Parameters
    ----------
    path : Path
        The module's file.
    include_root : Path
        Folder to which includes are relative, in addition to the including file's folder.
    macros : tuple of (str, int)
        Macro definitions of the build.
    paths : tuple of Path
        Every file of the include closure: the module, then its includes in the order of the text.
    files : tuple of (str, str)
        Name and text of each file; names are relative to `include_root`.
    kernels : tuple of str
        Names of the ``extern "C" __global__`` functions, in the order of the text.
    dynamic_shared : tuple of str
        Names of the ``extern __shared__`` arrays.
    """

    path: Path
    include_root: Path
    macros: Macros
    paths: tuple[Path, ...]
    files: tuple[tuple[str, str], ...]
    kernels: tuple[str, ...]
    dynamic_shared: tuple[str, ...]

    @property
    def include_folders(self) -> tuple[Path, ...]:
        """Folders in which a compiler searches includes: the module's, then that of all kernels."""
        return tuple(dict.fromkeys((self.include_root, kernels_folder().resolve())))

    @property
    def text(self) -> str:
        """The text of the module's file."""
        return self.files[0][1]

    @property
    def digest(self) -> str:
        """Hash of all included files and macros, 32 hexadecimal digits."""
        parts = [part for file in self.files for part in file]
        parts += [f"{name}={value}" for name, value in self.macros]
        return digest(parts)


def digest(parts: Iterable[str]) -> str:
    """Return the hash of a sequence of texts, 32 hexadecimal digits."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode()
        hasher.update(len(data).to_bytes(8, "little"))
        hasher.update(data)
    return hasher.hexdigest()[:32]


def read_source(path: Path, macros: Macros = ()) -> KernelSource:
    """Read a kernel module and everything that it includes.

    Parameters
    ----------
    path : Path
        The module's file. Includes are searched in the including file's folder, then in this file's
        folder, then in that of the kernels, and must be in one of the last two.
    macros : tuple of (str, int)
        Macro definitions of the build.

    Returns
    -------
    KernelSource
        A copy of the source; later changes of the files do not affect it.

    Raises
    ------
    KernelBuildError
        As :func:`~ccl_viewer.storage.includes.read_include_closure`, or if the module defines no
        kernel.
    """

    def read() -> tuple[KernelSource, tuple[Path, ...]]:
        source = _read_whole(path, macros)
        return source, source.paths

    return _sources.get((path.absolute(), macros), read)


_sources: FileCache[tuple[Path, Macros], KernelSource] = FileCache()


def _read_whole(path: Path, macros: Macros) -> KernelSource:
    root = path.parent.resolve()
    roots = tuple(dict.fromkeys((root, kernels_folder().resolve())))
    path = root / path.name  # not resolved, since an installer may have linked the files
    closure = read_include_closure(path, roots)
    bare = "\n".join(blank_comments(text) for text in closure.values())
    kernels = tuple(dict.fromkeys(_KERNEL.findall(bare)))
    if not kernels:
        raise KernelBuildError(
            f'{path.name} defines no kernel: write extern "C" __global__ void NAME(...).'
        )
    return KernelSource(
        path=path,
        include_root=root,
        macros=macros,
        paths=tuple(closure),
        files=tuple((_name(file, roots), text) for file, text in closure.items()),
        kernels=kernels,
        dynamic_shared=tuple(dict.fromkeys(_DYNAMIC_SHARED.findall(bare))),
    )


_NAMED = re.compile(r"""['"](?P<name>[\w./]+)['"]""")
_OLD_WARP_FUNCTIONS = re.compile(r"__(shfl(_up|_down|_xor)?|ballot|any|all)")
_FIXED_WIDTH = re.compile(r"u?int(8|16|32|64)_t")
_MATHEMATICS = re.compile(
    r"(a?(sin|cos|tan)h?|sincos|atan2|exp(2|10|m1)?|log(2|10|1p)?|pow|cbrt|hypot|fmod|erf)f?"
)


def explain_error(text: str) -> str:
    """Return a compiler's error, with a hint if it names what kernels here do not have.

    Parameters
    ----------
    text : str
        The compiler's sentence.
    """
    match = _NAMED.search(text)
    name = "" if match is None else match["name"]
    if "cooperative_groups" in name:
        hint = "use __syncthreads(), __syncwarp() and the warp functions in its place"
    elif _OLD_WARP_FUNCTIONS.fullmatch(name):
        hint = f"CUDA has replaced it by {name}_sync(mask, ...), which names the lanes"
    elif _FIXED_WIDTH.fullmatch(name):
        hint = "write int, unsigned int, short, ... as NVRTC has no such names"
    elif _MATHEMATICS.fullmatch(name) and "undeclared" in text:
        hint = "the emulator has no such function; sqrt, floor, ceil, fabs, fmin and fmax work"
    elif name.endswith(".h") and ("not found" in text or "could not open" in text):
        hint = "kernels need no headers of the system or of CUDA: leave the line out"
    else:
        return text
    return f"{text} ({hint})"


def nvrtc_diagnostics(source: KernelSource, messages: str) -> tuple[Diagnostic, ...]:
    """Return NVRTC's messages about a module.

    Parameters
    ----------
    source : KernelSource
        The module.
    messages : str
        The compiler's log, in which CuPy has given the module's file another name.
    """
    names = {name.rpartition("/")[2]: name for name, _ in source.files}
    return tuple(
        Diagnostic(
            names.get(match["file"].replace("\\", "/").rpartition("/")[2], source.files[0][0]),
            int(match["line"]),
            0,
            "error" if "error" in match["severity"] else "warning",
            explain_error(match["text"]),
        )
        for match in _NVRTC.finditer(messages)
    )


def find_kernel_lines(text: str, kernel: str) -> tuple[int, int] | None:
    """Return first and last line of a kernel in its source, from 0; None if it is missing.

    The comment directly above the kernel is included.
    """
    match = re.search(rf"^.*\b{re.escape(kernel)}\s*\(", text, re.MULTILINE)
    if match is None:
        return None
    lines = text.split("\n")
    start = text.count("\n", 0, match.start())
    end = next(
        (number for number in range(start, len(lines)) if lines[number].startswith("}")),
        len(lines) - 1,
    )
    while start > 0 and not lines[start - 1].startswith("}") and lines[start - 1].strip():
        start -= 1
    return start, end


def _name(file: Path, roots: tuple[Path, ...]) -> str:
    root = next(root for root in roots if file.is_relative_to(root))
    return file.relative_to(root).as_posix()


def describe_missing_kernel(source: KernelSource, kernel: str) -> str:
    """Return a sentence about a kernel that a module does not have.

    Parameters
    ----------
    source : KernelSource
        The module.
    kernel : str
        Name of the kernel.
    """
    names = ", ".join(source.kernels)
    sentence = f"The module {source.path.stem} has no kernel {kernel}: "
    if re.search(rf"__global__[^;{{}}]*\b{re.escape(kernel)}\s*\(", source.text):
        return f'{sentence}write extern "C" directly before its __global__.'
    return f"{sentence}it has {names}."


def blank_comments(text: str) -> str:
    """Return a source text with comments replaced by spaces; quoted text is unchanged."""
    return _COMMENT.sub(lambda match: match.group(1) or " ", text)
