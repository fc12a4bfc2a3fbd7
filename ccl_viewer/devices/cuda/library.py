"""CuPy itself: importing it, and its errors as ours."""

from __future__ import annotations

from types import ModuleType, TracebackType

from ccl_viewer.errors import DeviceUnavailableError, KernelFaultError

INSTALL = "install CuPy (pip install 'cupy-cuda13x[ctk]', or cupy-cuda12x for older drivers)"


def import_cupy() -> ModuleType:
    """Return CuPy; raise :class:`DeviceUnavailableError` if it is missing."""
    try:
        import cupy
    except ImportError as error:
        raise DeviceUnavailableError(
            f"No NVIDIA GPU can be used because CuPy is missing or broken ({error}): {INSTALL}, "
            "or use the emulator (device emulator)."
        ) from error
    module: ModuleType = cupy
    return module


def forked_error() -> DeviceUnavailableError:
    """Return the error for a process that was forked from a process that uses the GPU."""
    return DeviceUnavailableError(
        "CUDA does not work in a process that was forked from one that uses it: start processes "
        'with multiprocessing.get_context("spawn"), or use the emulator (device emulator).'
    )


class ErrorTranslator:
    """Turns CUDA's errors into ours; a class because it wraps every launch and must be fast."""

    __slots__ = ("_cupy", "_doing", "_own_process", "_title")

    def __init__(
        self, cupy: ModuleType, title: str, doing: str, *, own_process: bool = False
    ) -> None:
        self._own_process = own_process
        self._cupy = cupy
        self._title = title
        self._doing = doing

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        cuda = self._cupy.cuda
        if isinstance(error, cuda.memory.OutOfMemoryError):
            raise DeviceUnavailableError(
                f"The {self._title} has not enough free memory ({error}): take a smaller grid, or "
                "use the emulator (device emulator)."
            ) from error
        if isinstance(error, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)):
            restart = "" if self._own_process else "restart the program, and "
            raise KernelFaultError(
                f"The GPU failed while it ran {self._doing} ({error}): {restart}run the emulator "
                "(device emulator) to see what the kernel does."
            ) from error
