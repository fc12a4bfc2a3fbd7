"""Find, build and load kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ccl_viewer.devices.emulator.build import build_library, find_library, mark_used
from ccl_viewer.devices.emulator.library import NativeParameter
from ccl_viewer.devices.emulator.workers import Module
from ccl_viewer.devices.file_cache import FileCache
from ccl_viewer.devices.source import (
    KernelSource,
    Macros,
    SourceFinder,
    describe_missing_kernel,
    read_source,
)
from ccl_viewer.errors import DeviceUnavailableError, KernelBuildError
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.plan import Kernel
from ccl_viewer.storage.cache import CACHE_VARIABLE


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel in memory.

    Parameters
    ----------
    module : Module
        The compiled module.
    name : str
        Name of the kernel.
    index : int
        Its index in the module's table.
    parameters : tuple of NativeParameter
        Its parameters.
    """

    module: Module
    name: str
    index: int
    parameters: tuple[NativeParameter, ...]


class KernelCache:
    """The kernels that a device has used.

    Parameters
    ----------
    find_source : callable
        Finds the source file of a kernel module.
    traced, checked : bool
        The build, as for :func:`~ccl_viewer.devices.emulator.compiler.compiler_options`.
    """

    def __init__(self, find_source: SourceFinder, *, traced: bool, checked: bool = False) -> None:
        self._find_source = find_source
        self._build = _Build(traced, checked)
        self._kernels: dict[Kernel, LoadedKernel] = {}
        self._modules: dict[tuple[str, Macros], Module] = {}

    def get(self, kernel: Kernel, progress: Progress | None) -> LoadedKernel:
        """Return a kernel; compile its module if necessary.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        progress : callable or None
            Called before a module is compiled.

        Raises
        ------
        KernelBuildError
            If the module does not compile, or has no such kernel.
        DeviceUnavailableError
            If the compiler or its cache folder cannot be used.
        """
        loaded = self._kernels.get(kernel)
        if loaded is None:
            loaded = self._load(kernel, progress)
            self._kernels[kernel] = loaded
        return loaded

    def _load(self, kernel: Kernel, progress: Progress | None) -> LoadedKernel:
        module = self._module(kernel, progress)
        entry = module.first.kernels.get(kernel.name)
        if entry is None:
            source = read_source(self._find_source(kernel.module), kernel.macros)
            raise KernelBuildError(describe_missing_kernel(source, kernel.name))
        return LoadedKernel(module, kernel.name, *entry)

    def _module(self, kernel: Kernel, progress: Progress | None) -> Module:
        key = (kernel.module, kernel.macros)
        module = self._modules.get(key)
        if module is None:
            path = self._find_source(kernel.module)
            module = _module_of(path, kernel.macros, self._build, progress)
            self._modules[key] = module
        return module


class _Build(NamedTuple):
    """A kind of build."""

    traced: bool
    checked: bool


_loaded: FileCache[tuple[Path, Macros, _Build], Module] = FileCache()
"""The loaded modules of this process; a changed source gets a new one."""


def _module_of(path: Path, macros: Macros, kind: _Build, progress: Progress | None) -> Module:
    def load() -> tuple[Module, tuple[Path, ...]]:
        source = read_source(path, macros)
        module = _load_module(source, kind, progress)
        return module, (*source.paths, module.path)  # another process may delete it

    module = _loaded.get((path, macros, kind), load)
    mark_used(module.path)
    return module


def _load_module(source: KernelSource, kind: _Build, progress: Progress | None) -> Module:
    def build() -> Path:
        if progress is not None:
            progress(f"Compiling {source.path.stem} for the emulator ...")
        return build_library(source, traced=kind.traced, checked=kind.checked)

    path = find_library(source, traced=kind.traced, checked=kind.checked)
    try:
        return Module(path or build())
    except OSError as error:
        return _rebuild(path, build, error)


def _rebuild(path: Path | None, build: Callable[[], Path], error: OSError) -> Module:
    """Rebuild a module that exists but cannot be loaded."""
    if path is not None:
        path.unlink(missing_ok=True)
        try:
            return Module(build())
        except OSError as again:
            error = again
    raise DeviceUnavailableError(
        f"A compiled kernel cannot be loaded ({error}): allow programs in the cache folder, or "
        f"name another one in the environment variable {CACHE_VARIABLE}."
    ) from error
