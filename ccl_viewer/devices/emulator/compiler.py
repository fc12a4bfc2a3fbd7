"""Compile kernel modules with the clang of the ``ziglang`` wheel.

Two translation units are linked: the runtime, compiled once for all modules, since it takes several
times as long as a kernel; and the kernel file with a table of its kernels. No library is linked, so
that wheel is sufficient on any system.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ccl_viewer.devices.emulator.struct_copies import split_struct_copies
from ccl_viewer.devices.source import KernelSource, blank_comments, explain_error
from ccl_viewer.errors import (
    CCLViewerError,
    DeviceUnavailableError,
    Diagnostic,
    KernelBuildError,
    shorten,
)
from ccl_viewer.storage.resources import kernels_folder
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.processes import end, start

RUNTIME = Path(__file__).resolve().parent / "runtime"
"""The C++ headers that implement CUDA."""

_REINSTALL = "pip install --force-reinstall ziglang"
_ROOM = 1 << 22
"""Free disk space in bytes that is sufficient for the compiler."""

KERNELS_IN_LINES = "/kernels"
"""The folder of the built-in kernels in line tables: installations share compiled modules."""

MAX_SECONDS = 120.0
"""Time limit of the compiler in seconds; it takes half a second, and 5 the first time."""

_FRAME_LIMIT = 8192
"""Most bytes of a function's local variables: half of a thread's stack."""

_FLAGS = (
    *("-x", "c++", "-std=c++17", "-O2", "-shared", "-fPIC", "-nostdlib"),
    *("-fvisibility=hidden", "-femulated-tls", "-fno-exceptions", "-fno-rtti"),
    *("-fno-strict-aliasing", "-fno-stack-protector", "-fno-sanitize=all", "-ffp-contract=off"),
    "-fno-math-errno",
    *(
        "-Wno-everything",
        f"-Wframe-larger-than={_FRAME_LIMIT}",
        "-Werror=frame-larger-than",
        "-fno-caret-diagnostics",
    ),
)
# Vector accesses, and loops that become memset or memcpy, would not be traced. With a limit of 0,
# neighbouring loads are not merged into a wider one, which could be misaligned for a GPU. Without
# tail calls, every call returns to the kernel, so that the runtime knows the caller.
_TRACED_FLAGS = (
    *("-DCCL_TRACED=1", "-fno-vectorize", "-fno-slp-vectorize", "-fno-optimize-sibling-calls"),
    *("-fno-builtin", "-mllvm", "-aggressive-instcombine-max-scan-instrs=0"),
    *("-Xclang", "-fsanitize-coverage-type=1"),
    *("-Xclang", "-fsanitize-coverage-trace-loads"),
    *("-Xclang", "-fsanitize-coverage-trace-stores"),
    *("-Xclang", "-fsanitize=integer-divide-by-zero"),
)
_UNOPTIMISED = ("-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
# 1 << 31 is left out (shift-base): it is undefined in C++17 only, and the same everywhere.
_UNDEFINED = "shift-exponent,signed-integer-overflow,array-bounds"
_CHECKED_FLAGS = (
    *("-Xclang", f"-fsanitize={_UNDEFINED}", "-Xclang", f"-fsanitize-recover={_UNDEFINED}"),
)
# From this version on, clang also merges neighbouring stores, and only then knows the option.
_MERGES_STORES = (0, 16)
_UNMERGED_STORES = ("-mllvm", "-opt-disable=aggressive-instcombine")
_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?(?P<severity>error|warning): "
    r"(?P<text>.+?)(?: \[-W.*\])?$",
    re.MULTILINE,
)
_DEPENDENCY = re.compile(r"(?:\\[ #]|\$\$|\S)+")
_ESCAPED = re.compile(r"\\([ #])|\$(\$)")
_VARIABLE = re.compile(
    r"(?<!const\s)(?<!constexpr\s)(?<!__constant__\s)(?<!__shared__\s)"
    r"__device__\s(?![\w\s]*\b(?:const|constexpr|__constant__|__shared__)\b)[\w\s:<>,*]*?\b"
    r"(?!operator\b)\w+\s*[;=\[]"
)
_NO_VARIABLES = (
    "the emulator has no __device__ variables; use a Buffer of the plan, or a __constant__ table"
)
_CANDIDATE = re.compile(r"note: candidate function not viable: (.+)")


@cache
def find_compiler() -> Path:
    """Return the compiler's executable.

    Raises
    ------
    DeviceUnavailableError
        If it is not installed.
    """
    spec = find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        zig = Path(spec.origin).parent / ("zig.exe" if sys.platform == "win32" else "zig")
        if zig.is_file():
            return zig
    again = spec is not None  # the package is installed, but its program is missing
    raise DeviceUnavailableError(
        "The emulator's compiler is not installed, and only kernels that were compiled before run: "
        f"run {_REINSTALL if again else 'pip install ziglang'}, or use a GPU."
    )


@cache
def _merges_stores() -> bool:
    """Return whether the compiler merges neighbouring stores."""
    try:
        major, minor = version("ziglang").split(".")[:2]
    except PackageNotFoundError:
        return False
    return (int(major), int(minor)) >= _MERGES_STORES


def compile_runtime(output: Path, *, traced: bool, target: str | None = None) -> None:
    """Compile the runtime that all modules share.

    Parameters
    ----------
    output : Path
        The object file to write.
    traced : bool
        Whether it is for traced builds.
    target : str or None
        Target platform, in zig's notation; None for this one.

    Raises
    ------
    DeviceUnavailableError
        If the compiler is missing or broken.
    OSError
        If there is no disk space.
    """
    unit = output.with_suffix(".cpp")
    unit.write_text('#include "runtime.h"\n', encoding="utf-8")
    command = [
        *(str(find_compiler()), "c++", *compiler_options(traced, target), "-DCCL_RUNTIME_UNIT=1"),
        # No line tables, since lines.py reads only those of the kernels' unit.
        *("-g0", f"-I{RUNTIME}", "-c", unit.name, "-o", output.name),
    ]
    result = _run(command, output.parent)
    if result.returncode != 0:
        _check_room(output.parent)
        raise _broken(_last_line(result.stderr))


def compile_module(
    source: KernelSource,
    output: Path,
    runtime: Path,
    *,
    traced: bool,
    checked: bool = False,
    target: str | None = None,
) -> None:
    """Compile a module.

    Parameters
    ----------
    source : KernelSource
        The module.
    output : Path
        The shared library to write.
    runtime : Path
        The object file that `compile_runtime` wrote for this kind of build.
    traced, checked : bool
        The build, as for :func:`compiler_options`.
    target : str or None
        Target platform, in zig's notation; None for this one.

    Raises
    ------
    KernelBuildError
        If the module does not compile, or the compiler read a file that is not in `source`.
    DeviceUnavailableError
        If the compiler is missing or broken.
    OSError
        If there is no disk space.
    """
    _check_variables(source)
    unit, linked = output.with_suffix(".cpp"), output.with_name("linked.o")
    dependencies = output.with_suffix(".d")
    unit.write_text(translation_unit(source), encoding="utf-8")
    shutil.copyfile(runtime, linked)
    options = [
        *compiler_options(traced, target, checked=checked),
        *(_UNMERGED_STORES if traced and _merges_stores() else ()),
    ]
    # Names without their folder, since zig does not support all characters in paths.
    read = [
        *(f"-D{name}={value}" for name, value in source.macros),
        *(f"-I{folder}" for folder in (RUNTIME, *source.include_folders)),
        f"-fdebug-prefix-map={kernels_folder().resolve()}={KERNELS_IN_LINES}",
        *("-nostdlibinc", unit.name),
    ]
    link = ["-x", "none", linked.name, "-o", output.name]

    def run(*arguments: str) -> None:
        result = _run([str(find_compiler()), "c++", *options, *arguments], output.parent)
        if result.returncode != 0:
            failure = _build_error(source, unit.name, result.stderr)
            if not isinstance(failure, KernelBuildError):
                _check_room(output.parent)
            raise failure

    if traced:
        code = output.with_suffix(".ll")
        run("-M", "-MF", dependencies.name, *read)  # zig cannot write both at once
        run(*_UNOPTIMISED, *read, "-o", code.name)
        code.write_text(split_struct_copies(code.read_text(encoding="utf-8")), encoding="utf-8")
        try:
            run(*link, code.name)
        except DeviceUnavailableError:
            run(*read, *link)  # a large frame, say: this message has the place in the source
            raise
    else:
        run("-MD", "-MF", dependencies.name, *read, *link)
    _check_dependencies(source, unit, dependencies.read_text(encoding="utf-8", errors="replace"))


def _check_variables(source: KernelSource) -> None:
    """Raise if a file has a variable in device memory: each core would have its own."""
    for name, text in source.files:
        variable = _VARIABLE.search(blank_comments(text))
        if variable is not None:
            line = text.count("\n", 0, text.find(variable[0])) + 1
            raise KernelBuildError(
                f"{source.path.name} does not compile: {name}:{line}: {_NO_VARIABLES}.",
                (Diagnostic(name, line, 0, "error", _NO_VARIABLES),),
            )


def _check_dependencies(source: KernelSource, unit: Path, rule: str) -> None:
    """Raise unless all that the compiler read is in the source, the runtime or the compiler.

    The rule is one of make's: a target, and file names with escaped spaces.
    """
    known = {os.path.realpath(path) for path in (unit, *source.paths)}
    folders = (RUNTIME, find_compiler().resolve().parent)
    names = _DEPENDENCY.findall(rule.partition(": ")[2].replace("\\\n", " "))
    for name in names:
        path = os.path.realpath(unit.parent / _ESCAPED.sub(r"\1\2", name))
        if path not in known and not any(map(Path(path).is_relative_to, folders)):
            raise KernelBuildError(
                f"{source.path.name} reads {shorten(path)}, which is not among its files: put it "
                'in its folder, and include it by #include "NAME".'
            )


def _check_room(folder: Path) -> None:
    """Raise OSError if the disk is full, which the compiler does not always report."""
    if shutil.disk_usage(folder).free < _ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def diagnose(source: KernelSource) -> tuple[Diagnostic, ...]:
    """Return the compiler's messages about a module: errors, and warnings as for new code.

    Parameters
    ----------
    source : KernelSource
        The module. For its includes, only errors are returned.

    Raises
    ------
    DeviceUnavailableError
        If the compiler is missing or broken.
    OSError
        If there is no disk space.
    """
    first, *others = source.include_folders
    with scratch_folder() as scratch:
        unit = scratch / "unit.cpp"
        unit.write_text(translation_unit(source), encoding="utf-8")
        command = [
            *(
                str(find_compiler()),
                "clang",
                "-x",
                "c++",
                "-std=c++17",
                "-fsyntax-only",
                "-nostdlibinc",
            ),
            *("-Wall", "-Wextra", "-Wno-unused-parameter", "-fno-caret-diagnostics"),
            *(f"-D{name}={value}" for name, value in source.macros),
            *(f"-I{first}", *(f"-isystem{folder}" for folder in (RUNTIME, *others)), unit.name),
        ]
        return _read_diagnostics(source, unit.name, _run(command, scratch).stderr)


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the compiler in a folder, and stop it after a time limit."""
    environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": "zig", "ZIG_LOCAL_CACHE_DIR": "zig"}
    # Messages go to a file, since the compiler's children might keep a pipe open. Ctrl+C does not
    # reach it: this program stops after the build, and a killed compiler would look broken.
    with tempfile.TemporaryFile(dir=folder) as messages:
        try:
            process = start(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=messages,
            )
        except OSError as error:
            raise _broken(str(error)) from error
        try:
            code = process.wait(MAX_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise _broken(f"it did not end within {MAX_SECONDS:g} seconds") from error
        finally:
            if process.returncode is None:
                end(process)
        messages.seek(0)
        text = messages.read().decode(errors="replace")
    return subprocess.CompletedProcess(command, code, "", text)


def translation_unit(source: KernelSource) -> str:
    """Return the C++ source that is compiled for a module.

    Parameters
    ----------
    source : KernelSource
        The module.
    """
    lines = ["#define CCL_HAS_DYNAMIC_SHARED"] if source.dynamic_shared else []
    lines += ['#include "runtime.h"', f'#include "{source.path.as_posix()}"']
    lines += [
        f'CCL_DYNAMIC_SHARED({name}, "_ZTH{len(name)}{name}")' for name in source.dynamic_shared
    ]
    lines += ["static ccl::KernelEntry ccl_find_kernel(ccl::u32 index) {", "  switch (index) {"]
    lines += [
        f'    case {index}: return ccl::Caller<&{name}>::describe("{name}");'
        for index, name in enumerate(source.kernels)
    ]
    lines += [
        "    default: return {};",
        "  }",
        "}",
        f"extern const ccl::u32 ccl::kKernelCount = {len(source.kernels)};",
        "ccl::KernelEntry ccl::kernel_entry(u32 index) { return ccl_find_kernel(index); }",
    ]
    return "\n".join(lines) + "\n"


def compiler_options(
    traced: bool, target: str | None = None, *, checked: bool = False
) -> list[str]:
    """Return the options of a build.

    Parameters
    ----------
    traced : bool
        Whether the build is traced.
    checked : bool
        Whether a traced build also finds what C leaves undefined (``runtime/undefined.h``). That
        takes time and changes what is optimised, so only the memory check uses it.
    target : str or None
        Target platform; None for this one.
    """
    named = target or f"{platform.machine().lower()}-{sys.platform}"
    # lines.py can only read the line tables of ELF.
    lines = ("-gdwarf-4", "-gline-tables-only") if traced and "linux" in named else ("-g0",)
    options = [*_FLAGS, *lines]
    if traced:
        options += _TRACED_FLAGS
    if checked:
        options += _CHECKED_FLAGS
    if target is not None:
        options += ["-target", target]
    if named.startswith(("x86_64", "amd64")):
        options.append("-mcpu=x86_64_v2")  # any processor since 2009, since hosts can share a cache
    else:
        options.append("-mno-outline-atomics")
    if "win" in named and "darwin" not in named:
        options.append("-mno-stack-arg-probe")  # stacks are committed from the start
    return options


def _build_error(source: KernelSource, unit: str, messages: str) -> CCLViewerError:
    diagnostics = _read_diagnostics(source, unit, messages)
    first = next((each for each in diagnostics if each.severity == "error"), None)
    if first is not None:
        where = f"{first.file}:{first.line}"
        why = ""
        if first.text.startswith("no matching function"):  # what is wrong stands in a note
            candidate = _CANDIDATE.search(messages)
            why = f": {candidate[1]}" if candidate else ""
        sentence = f"{source.path.name} does not compile: {where}: {first.text}{why}."
        return KernelBuildError(sentence, diagnostics)
    return _broken(_last_line(messages))


def _last_line(messages: str) -> str:
    return (messages.strip().splitlines() or ["no message"])[-1]


def _read_diagnostics(source: KernelSource, unit: str, messages: str) -> tuple[Diagnostic, ...]:
    """Return the compiler's messages about the module's files.

    The translation unit is not one of them. If the compiler's only errors are there, the module
    ends too early, and its last line is named. After other errors, they add nothing.
    """
    folders = (*source.include_folders, RUNTIME)
    diagnostics = [
        Diagnostic(
            _shorten(match["file"], folders),
            int(match["line"]),
            int(match["column"]),
            match["severity"],
            explain_error(match["text"]),
        )
        for match in _DIAGNOSTIC.finditer(messages)
    ]
    in_files = [each for each in diagnostics if each.file != unit]
    beyond = [each for each in diagnostics if each.file == unit and each.severity == "error"]
    if beyond and not any(each.severity == "error" for each in in_files):
        # For an open bracket, "expected '}'" is clearer than errors in the added text.
        missing = (each for each in beyond if each.text.startswith("expected "))
        text = next(missing, beyond[0]).text
        last = source.text.rstrip().count("\n") + 1
        in_files.append(Diagnostic(source.files[0][0], last, 0, "error", text))
    return tuple(in_files)


def _shorten(where: str, folders: Sequence[Path]) -> str:
    for folder in folders:
        where = where.removeprefix(f"{folder.as_posix()}/").removeprefix(f"{folder}{os.sep}")
    return where


def _broken(reason: str) -> DeviceUnavailableError:
    return DeviceUnavailableError(
        f"The emulator's compiler does not work ({reason}): run {_REINSTALL}, or use a GPU."
    )
