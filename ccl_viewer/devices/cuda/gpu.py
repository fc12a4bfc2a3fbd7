"""An NVIDIA GPU: whether it can be used, its kernels, its memory and its errors.

Kernels are compiled by NVRTC from the files in ``kernels/``.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ccl_viewer.devices.cuda.library import INSTALL, ErrorTranslator, forked_error, import_cupy
from ccl_viewer.devices.source import (
    KernelSource,
    SourceFinder,
    describe_missing_kernel,
    nvrtc_diagnostics,
    read_source,
)
from ccl_viewer.errors import DeviceUnavailableError, Diagnostic, KernelBuildError
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.plan import Kernel
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.support.forking import is_forked

Made = TypeVar("Made")

_OLDEST = (7, 5)
"""Compute capability of the oldest supported GPUs (Turing)."""


class Gpu:
    """An NVIDIA GPU, as runs and the array backend use it.

    Parameters
    ----------
    index : int
        CUDA's index of the GPU.
    find_source : callable
        Finds the source file of a kernel module.
    own_process : bool
        Whether the run has a separate process: after a failure, the GPU works again in the next
        process.

    Attributes
    ----------
    index : int
        Which GPU.
    diagnostics : list of Diagnostic
        NVRTC's warnings for the modules compiled in this process; CuPy's cache does not repeat
        them.

    Raises
    ------
    DeviceUnavailableError
        If CuPy, the driver or the GPU is missing, broken or too old.
    """

    def __init__(
        self,
        index: int = 0,
        find_source: SourceFinder = kernel_path,
        *,
        own_process: bool = False,
    ) -> None:
        self._own_process = own_process
        self.cupy = import_cupy()
        self.index = index
        self._find_source = find_source
        self.diagnostics: list[Diagnostic] = []
        self.build_milliseconds = 0.0  # of all modules so far
        self._modules: dict[str, Any] = {}
        self._kernels: dict[Kernel, Any] = {}
        self.title = self._probe()
        # Not CuPy's default pool, since other code may rely on its free blocks.
        self.pool = self.cupy.cuda.MemoryPool()

    def _probe(self) -> str:
        """Return the GPU's name after checking that it can be used."""
        runtime = self.cupy.cuda.runtime
        try:
            if runtime.getDeviceCount() <= self.index:
                raise DeviceUnavailableError(
                    f"There is no GPU number {self.index} in this machine: use the emulator "
                    "(device emulator)."
                )
            properties = runtime.getDeviceProperties(self.index)
        except runtime.CUDARuntimeError as error:
            if is_forked():  # from a process that used CUDA without us
                raise forked_error() from error
            raise DeviceUnavailableError(
                f"The NVIDIA driver does not answer ({error}): install or update it, or use the "
                "emulator (device emulator)."
            ) from error
        name = str(properties["name"], errors="replace")
        capability = (properties["major"], properties["minor"])
        if capability < _OLDEST:
            raise DeviceUnavailableError(
                f"The {name} has compute capability {capability[0]}.{capability[1]} and the "
                f"kernels need {_OLDEST[0]}.{_OLDEST[1]}: use the emulator (device emulator)."
            )
        return name

    def clear(self) -> None:
        """Free the pool's unused memory."""
        with self.cupy.cuda.Device(self.index):
            self.pool.free_all_blocks()

    def retry_if_out_of_memory(self, make: Callable[[], Made]) -> Made:
        """Return the result of a call; if memory runs out, clear the cache and call again.

        Parameters
        ----------
        make : callable
            The call, which allocates memory of the GPU.
        """
        try:
            return make()
        except self.cupy.cuda.memory.OutOfMemoryError:
            pass  # leaving the handler frees the call's memory
        self.clear()
        self.cupy.get_default_memory_pool().free_all_blocks()
        return make()

    def kernel(self, kernel: Kernel, progress: Progress | None) -> Any:
        """Return CuPy's function for a kernel; compile its module if necessary.

        Raises
        ------
        KernelBuildError
            If the module does not compile, or has no such function.
        DeviceUnavailableError
            If CuPy's compiler is missing or does not fit the driver.
        """
        function = self._kernels.get(kernel)
        if function is None:
            module = self._module(kernel, progress)
            try:
                function = module.get_function(kernel.name)
            except self.cupy.cuda.driver.CUDADriverError as error:
                source = read_source(self._find_source(kernel.module), kernel.macros)
                raise KernelBuildError(describe_missing_kernel(source, kernel.name)) from error
            self._kernels[kernel] = function
        return function

    def _module(self, kernel: Kernel, progress: Progress | None) -> Any:
        source = read_source(self._find_source(kernel.module), kernel.macros)
        module = self._modules.get(source.digest)
        if module is None:
            if progress is not None:
                progress(f"Compiling {kernel.module} for the GPU")
            start = time.perf_counter()
            module = self._compile(source, kernel)
            self.build_milliseconds += 1000 * (time.perf_counter() - start)
            self._modules[source.digest] = module
        return module

    def _compile(self, source: KernelSource, kernel: Kernel) -> Any:
        # CuPy caches compiled modules by code and options and ignores included headers, so the
        # digest of all files is one of the options.
        options = [
            "-std=c++17",
            *(f"-I{folder}" for folder in source.include_folders),
            f"-DCCL_VIEWER_DIGEST=0x{source.digest[:8]}",
            *(f"-D{name}={value}" for name, value in kernel.macros),
        ]
        module = self.cupy.RawModule(code=source.text, options=tuple(options), backend="nvrtc")
        log = io.StringIO()
        try:
            module.compile(log_stream=log)
        except self.cupy.cuda.compiler.CompileException as error:
            text = str(error)
            diagnostics = nvrtc_diagnostics(source, text)
            lines = [str(each) for each in diagnostics if each.severity == "error"]
            lines += [line for line in text.splitlines() if "error" in line] + [text]
            sentence = f"{source.path.name} does not compile: {lines[0]}"
            raise KernelBuildError(sentence, diagnostics) from error
        except (RuntimeError, ImportError, OSError) as error:
            # NVRTC is missing, or its output is too new for the driver.
            reason = str(error).partition("\n")[0]
            raise DeviceUnavailableError(
                f"Kernels cannot be built for the {self.title} ({reason}): {INSTALL} that fits "
                "the driver, or use the emulator (device emulator)."
            ) from error
        self.diagnostics += nvrtc_diagnostics(source, log.getvalue())
        return module

    def synchronize(self) -> None:
        """Wait until the GPU is done, and raise its errors.

        Raises
        ------
        KernelFaultError
            If the GPU failed in a kernel.
        """
        with self.translate_errors("a kernel"):
            self.cupy.cuda.get_current_stream().synchronize()

    def translate_errors(self, doing: str) -> ErrorTranslator:
        """Return a context that turns CUDA's errors into ours."""
        return ErrorTranslator(self.cupy, self.title, doing, own_process=self._own_process)
