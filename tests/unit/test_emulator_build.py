"""Compiling kernel modules, and keeping what is compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.kernel_runner import CONFORMANCE

import ccl_viewer
from ccl_viewer.devices.emulator import build, compiler, kernels
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.file_cache import FileCache
from ccl_viewer.devices.source import KernelSource, read_source
from ccl_viewer.errors import DeviceUnavailableError, KernelBuildError
from ccl_viewer.execution.plan import Buffer, Kernel, Launch, Stage
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.storage.cache import CACHE_VARIABLE
from ccl_viewer.storage.resources import kernel_path, kernels_folder

# Of both processors and each system, both builds.
TARGETS = (
    ("x86_64-linux-gnu", False),
    ("aarch64-linux-gnu", True),
    ("x86_64-macos", False),
    ("x86_64-macos", True),
    ("aarch64-macos", False),
    ("aarch64-macos", True),
    ("x86_64-windows-gnu", False),
    ("x86_64-windows-gnu", True),
    ("aarch64-windows-gnu", False),
    ("aarch64-windows-gnu", True),
)
MAGIC = {
    "linux": [b"\x7fELF"],
    "macos": [b"\xcf\xfa\xed\xfe"],
    "windows": [b"MZ"],
}


@pytest.fixture(scope="module")
def runtimes() -> dict[bool, Path]:
    """The runtime of both builds, by whether it is traced, from the cache that all tests share."""
    return {
        traced: build._build_runtime(build.modules_folder(), traced) for traced in (False, True)
    }


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtimes: dict[bool, Path]) -> Path:
    def compile_runtime(output: Path, *, traced: bool) -> None:
        shutil.copyfile(runtimes[traced], output)

    folder = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    monkeypatch.setattr(build, "compile_runtime", compile_runtime)
    return folder


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.cu"
    path.write_text(
        'extern "C" __global__ void tiny(int *out) { out[threadIdx.x] = VALUE; }\n',
        encoding="utf-8",
    )
    return path


def run(path: Path, value: int, progress: Callable[[str], None] | None = None) -> int:
    device = EmulatorDevice(Schedule(), lambda name: path.with_name(f"{name}.cu"))
    image = Buffer("image", (1,), np.dtype(np.uint8))
    out = Buffer("out", (4,), np.dtype(np.int32), 0)
    kernel = Kernel("tiny", "tiny", (("VALUE", value),))
    with device.open(image, np.zeros(1, np.uint8), progress=progress) as session:
        session.allocate(out)
        session.launch(Launch(kernel, (1, 1, 1), (4, 1, 1), (out,), Stage.INIT, "Test."))
        return int(session.read(out)[3])


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new process would know of loaded modules: nothing."""
    monkeypatch.setattr(kernels, "_loaded", FileCache())


def libraries(cache: Path) -> list[Path]:
    files = sorted(path for path in cache.iterdir() if path.is_file())
    return [path for path in files if path.suffix != ".o"]


@pytest.mark.parametrize(("target", "traced"), TARGETS)
def test_a_module_compiles_and_links_for_every_platform(
    tmp_path: Path, target: str, traced: bool
) -> None:
    name = "language" if traced else "barriers"
    library = tmp_path / f"{name}.library"
    source = read_source(CONFORMANCE / f"{name}.cu")
    runtime = tmp_path / "runtime.o"
    compiler.compile_runtime(runtime, traced=traced, target=target)
    compiler.compile_module(source, library, runtime, traced=traced, target=target)
    content = library.read_bytes()
    assert content.startswith(tuple(MAGIC[target.split("-")[1]]))
    assert b"ccl_launch" in content


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups of this kind")
def test_the_compiler_does_not_hear_ctrl_c(
    tmp_path: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = tmp_path / "groups"
    script = tmp_path / "compiler"
    code = "import os; print(os.getpgrp())"
    script.write_text(
        f"#!/bin/sh\n'{sys.executable}' -c '{code}' >'{groups}'; touch out.d\n", "utf-8"
    )
    script.chmod(0o755)
    monkeypatch.setattr(compiler, "find_compiler", lambda: script)
    (tmp_path / "runtime.o").touch()
    compiler.compile_module(
        read_source(module), tmp_path / "out.so", tmp_path / "runtime.o", traced=False
    )
    assert int(groups.read_text(encoding="utf-8")) != os.getpgrp()


def test_a_module_is_compiled_once_and_says_so(
    cache: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    assert run(module, 7, told.append) == 7
    assert told == ["Compiling tiny for the emulator ..."]
    forget(monkeypatch)
    assert run(module, 7, told.append) == 7
    assert run(module, 8, told.append) == 8
    assert len(told) == 2
    assert len(libraries(cache)) == 2


def test_a_changed_source_is_compiled_anew(cache: Path, module: Path) -> None:
    assert run(module, 7) == 7
    text = module.read_text(encoding="utf-8").replace("= VALUE", "= VALUE + 1000")
    module.write_text(text, encoding="utf-8")
    assert run(module, 7) == 1007


def test_both_builds_are_kept_apart(cache: Path, module: Path) -> None:
    source = read_source(module, (("VALUE", 1),))
    untraced = build.build_library(source, traced=False)
    traced = build.build_library(source, traced=True)
    assert untraced != traced
    assert build.find_library(source, traced=False) == untraced
    assert build.find_library(source, traced=True) == traced


@pytest.mark.parametrize("damage", [b"", b"\x7fELF rubbish"])
def test_a_damaged_module_is_built_again(
    cache: Path, module: Path, damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(module, 3) == 3
    (library,) = libraries(cache)
    library.unlink()  # a loaded file must not be changed in place
    library.write_bytes(damage)
    forget(monkeypatch)
    told: list[str] = []
    assert run(module, 3, told.append) == 3
    assert told == ["Compiling tiny for the emulator ..."]


def test_many_build_the_same_module_at_once(cache: Path, module: Path) -> None:
    source = read_source(module, (("VALUE", 1),))
    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(lambda _: build.build_library(source, traced=False), range(2)))
    assert len(set(paths)) == 1
    assert libraries(cache) == [paths[0]]


def test_nothing_is_left_beside_the_modules(cache: Path, module: Path) -> None:
    run(module, 5)
    with pytest.raises(KernelBuildError):
        build.build_library(read_source(CONFORMANCE / "uncompilable.cu"), traced=False)
    assert len(libraries(cache)) == 1
    assert [path.name for path in cache.rglob("*unfinished*")] == ["unfinished"]
    assert list((cache / "unfinished").iterdir()) == []


def test_what_the_compiler_finds_outside_the_folder_is_refused(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "out side#$"
    outside.mkdir()
    (outside / "elsewhere.h").write_text("")
    path = tmp_path / "mine" / "module.cu"
    path.parent.mkdir()
    kernel = 'extern "C" __global__ void kernel(int *out) { out[0] = 1; }\n'
    path.write_text("#include <elsewhere.h>\n" + kernel)
    monkeypatch.setenv("CPATH", str(outside))
    with pytest.raises(KernelBuildError, match=r"module.cu reads .*side#\$/elsewhere.h, which is"):
        build.build_library(read_source(path), traced=False)


def test_a_module_names_no_folder_of_the_installation_that_compiled_it(cache: Path) -> None:
    """Installations share compiled modules, and name the same places in headers."""
    module = build.build_library(read_source(kernel_path("ha4")), traced=True).read_bytes()
    folder = kernels_folder().resolve()
    assert b"union_find.cuh" in module or sys.platform != "linux"
    assert f"{folder.parent.name}/{folder.name}/".encode() not in module


def test_a_folder_with_any_name_compiles(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "mi ne#$$" / "module.cu"
    path.parent.mkdir()
    kernel = 'extern "C" __global__ void kernel(int *out) { out[0] = ONE; }\n'
    path.write_text('#include "o ne.h"\n#include <stddef.h>\n' + kernel)
    (path.parent / "o ne.h").write_text("#define ONE 1\n")
    assert build.build_library(read_source(path), traced=False).is_file()


def test_a_large_local_array_is_refused(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "large.cu"
    path.write_text(
        'extern "C" __global__ void large(int *out, int n)\n'
        "{ int a[4096]; for (int i = 0; i < n; i++) a[i * 7 % 4096] = i; out[0] = a[n]; }\n",
        encoding="utf-8",
    )
    with pytest.raises(KernelBuildError, match=r"large.cu:1: stack frame size"):
        build.build_library(read_source(path), traced=False)


def test_a_module_that_cannot_be_read_is_said(
    cache: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(module, 5)

    def closed(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    forget(monkeypatch)
    monkeypatch.setattr(Path, "read_bytes", closed)
    with pytest.raises(DeviceUnavailableError, match="Permission denied"):
        run(module, 5)


def test_a_copy_on_a_full_disk_leaves_nothing_behind(
    cache: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(module, 5)
    built = next(cache.glob("tiny-*"))
    before = libraries(cache)

    def full(_path: Path, _content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DeviceUnavailableError, match="No space left"):
        build.worker_copy(built, 3)
    assert libraries(cache) == before


def test_a_full_disk_is_no_broken_compiler(
    cache: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = subprocess.CompletedProcess([], 1, "", "")
    monkeypatch.setattr(compiler, "_run", lambda *_: broken)
    with pytest.raises(DeviceUnavailableError, match="compiler does not work"):
        run(module, 5)
    usage = SimpleNamespace(total=1 << 30, used=1 << 30, free=4096)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    with pytest.raises(DeviceUnavailableError, match=r"No space left on device.*: make room there"):
        run(module, 5)


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Hides the compiler from then on."""

    def hide() -> None:
        monkeypatch.setattr(compiler, "find_spec", lambda _: None)
        compiler.find_compiler.cache_clear()
        forget(monkeypatch)

    yield hide
    compiler.find_compiler.cache_clear()


def test_a_missing_compiler_is_named(
    cache: Path, module: Path, without_compiler: Callable[[], None]
) -> None:
    without_compiler()
    with pytest.raises(DeviceUnavailableError, match=r"not installed.*pip install ziglang, or use"):
        run(module, 101)
    report = EmulatorDevice.report_availability()
    assert not report.available
    assert "pip install ziglang" in report.detail


def test_kernels_that_are_compiled_need_no_compiler(
    cache: Path, module: Path, without_compiler: Callable[[], None]
) -> None:
    assert run(module, 101) == 101
    without_compiler()
    assert run(module, 101) == 101
    with pytest.raises(DeviceUnavailableError, match="only kernels that were compiled before run"):
        run(module, 102)
    report = EmulatorDevice.report_availability()
    assert report.available
    assert "pip install ziglang" in report.detail


def test_label_works_from_a_warm_cache_without_the_compiler(tmp_path: Path) -> None:
    code = """
import sys
import ccl_viewer as ccl
from ccl_viewer.devices.emulator.build import is_any_module_cached
sys.modules["ziglang"] = None
assert is_any_module_cached()
print(ccl.label([[1, 0, 1], [1, 0, 1]], device="emulator")[1])
"""
    ccl_viewer.label([[1]], device="emulator")  # the cache that all tests share is warm then
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "2", done.stderr


def test_another_compiler_builds_modules_of_its_own(
    cache: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(module, 5)
    mark = build.compiler_mark()
    monkeypatch.setattr(build, "compiler_mark", lambda: f"{mark}0")
    forget(monkeypatch)
    told: list[str] = []
    assert run(module, 5, told.append) == 5
    assert len(told) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script as an executable")
@pytest.mark.parametrize("script", ["#!/bin/sh\necho oh no >&2\nexit 3\n", "no program"])
def test_a_broken_compiler_is_named(
    cache: Path, module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    fake = tmp_path / "zig"
    fake.write_text(script, encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setattr(compiler, "find_compiler", lambda: fake)
    with pytest.raises(DeviceUnavailableError, match="compiler does not work"):
        run(module, 102)


def test_the_report_names_the_compiler() -> None:
    report = EmulatorDevice.report_availability()
    assert report.available
    assert "zig" in report.detail


def source_of(text: str, tmp_path: Path) -> KernelSource:
    path = tmp_path / "text.cu"
    path.write_text(text, encoding="utf-8")
    return read_source(path)


def test_the_first_error_of_an_include_is_reported(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "bad.cuh").write_text("\nint broken(;\n", encoding="utf-8")
    text = '#include "common/bad.cuh"\nextern "C" __global__ void text(int *out) {}\n'
    with pytest.raises(KernelBuildError, match=r"text.cu does not compile: common/bad.cuh:2: "):
        build.build_library(source_of(text, tmp_path), traced=False)


def test_a_wrong_argument_of_a_function_is_named(cache: Path, tmp_path: Path) -> None:
    source = source_of(
        'extern "C" __global__ void text(int *out) { atomicMin(out[0], 1); }', tmp_path
    )
    with pytest.raises(KernelBuildError, match=r"for 1st argument; take the address"):
        build.build_library(source, traced=False)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("int x =\n\n", "expected expression"),
        ("__device__ int f() {\n", "expected '}'"),
        ("int x = none;", "use of undeclared identifier 'none'"),
    ],
)
def test_an_error_at_the_end_is_on_the_last_line(
    cache: Path, tmp_path: Path, end: str, said: str
) -> None:
    source = source_of(f'extern "C" __global__ void text(int *out) {{}}\n{end}', tmp_path)
    with pytest.raises(KernelBuildError) as error:
        build.build_library(source, traced=False)
    assert str(error.value) == f"text.cu does not compile: text.cu:2: {said}."
    for found in (error.value.diagnostics, compiler.diagnose(source)):
        assert [(each.file, each.line, each.text) for each in found] == [("text.cu", 2, said)]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("out[0] = __shfl(out[0], 0);", "CUDA has replaced it by __shfl_sync(mask, ...)"),
        ("out[0] = __ballot(1);", "CUDA has replaced it by __ballot_sync(mask, ...)"),
        ("out[0] = (int)sinf(2.0f);", "the emulator has no such function; sqrt, floor"),
        ("uint32_t n = 3; out[0] = n;", "write int, unsigned int"),
    ],
)
def test_a_name_that_kernels_do_not_have_gets_a_hint(tmp_path: Path, line: str, hint: str) -> None:
    text = 'extern "C" __global__ void hinted(int *out)\n{\n    ' + line + "\n}\n"
    with pytest.raises(KernelBuildError, match=r"text\.cu:3: ") as error:
        build.build_library(source_of(text, tmp_path), traced=False)
    assert hint in str(error.value)
    assert hint in error.value.diagnostics[0].text


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("<cooperative_groups.h>", "use __syncthreads(), __syncwarp() and the warp functions"),
        ("<cuda_runtime.h>", "kernels need no headers of the system or of CUDA: leave the line"),
    ],
)
def test_a_header_that_kernels_do_not_have_gets_a_hint(
    tmp_path: Path, header: str, hint: str
) -> None:
    text = f'#include {header}\nextern "C" __global__ void hinted(int *out)\n{{\n}}\n'
    with pytest.raises(KernelBuildError) as error:
        build.build_library(source_of(text, tmp_path), traced=False)
    assert hint in str(error.value)
