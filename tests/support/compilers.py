"""Folders of compiled kernels that need not be compiled first, and compilers that fail."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from ccl_viewer.devices.emulator import build, compiler
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.source import KernelSource, read_source
from ccl_viewer.execution.plan import Buffer, Kernel, Launch, Stage


def write_module(folder: Path) -> Path:
    """A module with the kernel "tiny", which stores VALUE."""
    folder.mkdir(exist_ok=True)
    path = folder / "tiny.cu"
    path.write_text(
        'extern "C" __global__ void tiny(int *out) { out[threadIdx.x] = VALUE; }\n',
        encoding="utf-8",
    )
    return path


def source_of(module: Path, value: int) -> KernelSource:
    """The module with a value."""
    return read_source(module, (("VALUE", value),))


def fill(folder: Path, shared: Path, *names: str) -> None:
    """Make a cache folder with files of another whose names begin so."""
    folder.mkdir(mode=0o700)
    for path in shared.iterdir():
        if path.name.startswith(names):
            shutil.copy2(path, folder / path.name)


def run_tiny(module: Path, value: int, progress: Callable[[str], None] | None = None) -> int:
    """What the kernel stores. A module in another folder is loaded as a new process does."""
    device = EmulatorDevice(find_source=lambda _: module)
    image = Buffer("image", (1,), np.dtype(np.uint8))
    out = Buffer("out", (4,), np.dtype(np.int32), 0)
    kernel = Kernel("tiny", "tiny", (("VALUE", value),))
    with device.open(image, np.zeros(1, np.uint8), progress=progress) as session:
        session.allocate(out)
        session.launch(Launch(kernel, (1, 1, 1), (4, 1, 1), (out,), Stage.INIT, "Test."))
        return int(session.read(out)[3])


def zig() -> Path:
    """The compiler that is installed."""
    return compiler.find_compiler()


@contextmanager
def installed(script: str | None, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another compiler, a shell script, is installed; or none."""
    with monkeypatch.context() as patch:
        if script is None:
            patch.setitem(sys.modules, "ziglang", None)
        else:
            package = folder / "packages" / "ziglang"
            package.mkdir(parents=True)
            (package / "__init__.py").touch()
            (package / "zig").write_text(script, encoding="utf-8")
            (package / "zig").chmod(0o755)
            patch.syspath_prepend(package.parent)
            patch.delitem(sys.modules, "ziglang", raising=False)
        compiler.find_compiler.cache_clear()
        yield
    compiler.find_compiler.cache_clear()


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache that all tests share, with the runtime and "tiny" for 3 and 4."""
    module = write_module(tmp_path_factory.mktemp("built"))
    for value in (3, 4):
        build.build_library(source_of(module, value), traced=False)
    return build.modules_folder()
