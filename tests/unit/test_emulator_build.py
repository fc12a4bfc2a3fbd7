"""Compiling kernel modules, and keeping what is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.compilers import fill, installed, run_tiny, shared_folder, source_of, write_module, zig
from support.kernel_runner import CONFORMANCE
from support.limits import no_room

import ccl_viewer
from ccl_viewer.devices.emulator import build, compiler
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.source import KernelSource, read_source
from ccl_viewer.errors import DeviceUnavailableError, KernelBuildError
from ccl_viewer.storage.cache import CACHE_VARIABLE
from ccl_viewer.storage.resources import kernel_path, kernels_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script as an executable")

# Of both processors and each system, one build.
TARGETS = (
    ("x86_64-linux-gnu", False),
    ("aarch64-linux-gnu", True),
    ("x86_64-macos", False),
    ("aarch64-macos", True),
    ("x86_64-windows-gnu", False),
    ("aarch64-windows-gnu", True),
)
MAGIC = {"linux": b"\x7fELF", "macos": b"\xcf\xfa\xed\xfe", "windows": b"MZ"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path) -> Path:
    """A cache folder with the runtime, and "tiny" for 3 and 4."""
    folder = tmp_path / "cache"
    fill(folder, shared, "runtime-", "tiny-")
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def module(tmp_path: Path) -> Path:
    return write_module(tmp_path)


def libraries(cache: Path, name: str) -> list[Path]:
    return sorted(path for path in cache.glob(f"{name}-*") if path.suffix != ".o")


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
    assert content.startswith(MAGIC[target.split("-")[1]])
    assert b"ccl_launch" in content


def test_a_module_is_compiled_once_and_says_so(cache: Path, module: Path, tmp_path: Path) -> None:
    told: list[str] = []
    assert run_tiny(module, 7, told.append) == 7
    assert told == ["Compiling tiny for the emulator ..."]
    assert run_tiny(write_module(tmp_path / "elsewhere"), 7, told.append) == 7
    assert len(told) == 1
    assert [path.name for path in cache.rglob("*unfinished*")] == ["unfinished"]
    assert list((cache / "unfinished").iterdir()) == []


def test_a_changed_source_is_compiled_anew(cache: Path, module: Path) -> None:
    assert run_tiny(module, 3) == 3
    text = module.read_text(encoding="utf-8").replace("= VALUE", "= VALUE + 1000")
    module.write_text(text, encoding="utf-8")
    assert run_tiny(module, 3) == 1003


def test_a_damaged_module_is_built_again(cache: Path, module: Path) -> None:
    found = build.find_library(source_of(module, 3), traced=False)
    assert found is not None
    found.write_bytes(b"\x7fELF rubbish")
    told: list[str] = []
    assert run_tiny(module, 3, told.append) == 3
    assert told == ["Compiling tiny for the emulator ..."]


def test_many_build_the_same_module_at_once(cache: Path, module: Path) -> None:
    source = source_of(module, 1)
    before = libraries(cache, "tiny")
    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(lambda _: build.build_library(source, traced=False), range(2)))
    assert len(set(paths)) == 1
    assert libraries(cache, "tiny") == sorted([*before, paths[0]])


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


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files cannot be limited there")
def test_a_copy_on_a_full_disk_leaves_nothing_behind(cache: Path, module: Path) -> None:
    built = build.find_library(source_of(module, 3), traced=False)
    assert built is not None
    before = libraries(cache, "tiny")
    with no_room(), pytest.raises(DeviceUnavailableError, match="File too large"):
        build.worker_copy(built, 3)
    assert libraries(cache, "tiny") == before


def test_a_missing_compiler_is_named(
    tmp_path: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "empty"))
    with installed(None, tmp_path, monkeypatch):
        with pytest.raises(DeviceUnavailableError, match=r"not installed.*pip install ziglang, or"):
            run_tiny(module, 101)
        report = EmulatorDevice.report_availability()
    assert not report.available
    assert "pip install ziglang" in report.detail


def test_kernels_that_are_compiled_need_no_compiler(
    cache: Path, module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(None, tmp_path, monkeypatch):
        assert run_tiny(module, 3) == 3
        with pytest.raises(DeviceUnavailableError, match="only kernels that were compiled before"):
            run_tiny(module, 102)
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


@posix
def test_another_compiler_builds_modules_of_its_own(
    cache: Path, module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    with installed(f'#!/bin/sh\nexec "{zig()}" "$@"\n', tmp_path, monkeypatch):
        assert run_tiny(module, 3, told.append) == 3
    assert len(told) == 1


@posix
@pytest.mark.parametrize("script", ["#!/bin/sh\necho oh no >&2\nexit 3\n", "no program"])
def test_a_broken_compiler_is_named(
    cache: Path, module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    with (
        installed(script, tmp_path, monkeypatch),
        pytest.raises(DeviceUnavailableError, match="compiler does not work"),
    ):
        run_tiny(module, 102)


def test_the_report_names_the_compiler() -> None:
    report = EmulatorDevice.report_availability()
    assert report.available
    assert "zig" in report.detail


def source_with(text: str, tmp_path: Path) -> KernelSource:
    path = tmp_path / "text.cu"
    path.write_text(text, encoding="utf-8")
    return read_source(path)


def test_the_first_error_of_an_include_is_reported(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "bad.cuh").write_text("\nint broken(;\n", encoding="utf-8")
    text = '#include "common/bad.cuh"\nextern "C" __global__ void text(int *out) {}\n'
    with pytest.raises(KernelBuildError, match=r"text.cu does not compile: common/bad.cuh:2: "):
        build.build_library(source_with(text, tmp_path), traced=False)


def test_a_wrong_argument_of_a_function_is_named(cache: Path, tmp_path: Path) -> None:
    source = source_with(
        'extern "C" __global__ void text(int *out) { atomicMin(out[0], 1); }', tmp_path
    )
    with pytest.raises(KernelBuildError, match=r"for 1st argument; take the address"):
        build.build_library(source, traced=False)


@pytest.mark.parametrize("variable", ["int calls = 0;", "unsigned int seen[3];", "static int n;"])
def test_a_device_variable_is_refused(cache: Path, tmp_path: Path, variable: str) -> None:
    constants = "__device__ const int two = 2; __constant__ __device__ float half = 0.5f;"
    function = "struct Row { int a[2]; __device__ int &operator[](int i) { return a[i]; } };"
    kernel = 'extern "C" __global__ void text(int *out) { *out = two; }'
    path = tmp_path / "text.cu"
    path.write_text(f"{constants}\n{function}\n{kernel}", encoding="utf-8")
    build.build_library(read_source(path), traced=False)
    path.write_text(f"{constants}\n__device__ {variable}\n{kernel}", encoding="utf-8")
    with pytest.raises(KernelBuildError, match=r"text\.cu:2: the emulator has no __device__ var"):
        build.build_library(read_source(path), traced=False)


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
    source = source_with(f'extern "C" __global__ void text(int *out) {{}}\n{end}', tmp_path)
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
        build.build_library(source_with(text, tmp_path), traced=False)
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
        build.build_library(source_with(text, tmp_path), traced=False)
    assert hint in str(error.value)
