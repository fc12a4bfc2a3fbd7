"""Processes that are ended together with all their child processes.

On POSIX systems each leads a session, which is ended as one group. On Windows each is put into a
job, and all processes of a job end when its last handle is closed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

WINDOWS: Final = sys.platform == "win32"

_NO_WINDOW: Final = 0x08000000  # CREATE_NO_WINDOW: a separate, invisible console
_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_LIMIT_MEMORY: Final = 0x100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY
_END_WHEN_CLOSED: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that ignores Ctrl+C and that :func:`end` ends with its children.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    **options
        As for :class:`subprocess.Popen`.

    Raises
    ------
    OSError
        If the process cannot be started.
    """
    if not WINDOWS:
        return subprocess.Popen(command, start_new_session=True, **options)
    process = subprocess.Popen(command, creationflags=_NO_WINDOW, **options)
    with suppress(OSError):  # without a job, only the process itself is ended
        _jobs[process] = WindowsJob()
        _jobs[process].add(int(process._handle))  # type: ignore[attr-defined]  # noqa: SLF001
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that :func:`start` started, with all its children; wait for its end.

    Parameters
    ----------
    process : subprocess.Popen
        The process; it may have ended already while its children still run.
    """
    if not WINDOWS:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        job = _jobs.pop(process, None)
        if job is not None:
            job.close()
        process.kill()
    process.wait()


class WindowsJob:
    """A Windows job: its processes end when it is closed.

    Raises
    ------
    OSError
        If it cannot be created.
    """

    def __init__(self) -> None:
        self._system = _kernel32()
        self._handle = self._system.CreateJobObjectW(None, None)
        _check(self._handle)
        self.close = weakref.finalize(self, self._system.CloseHandle, self._handle)
        self.limit_memory(None)

    def add(self, handle: int) -> None:
        """Put a process into the job, and all processes that it starts from then on.

        Parameters
        ----------
        handle : int
            Handle of the process; -1 for this one.
        """
        _check(self._system.AssignProcessToJobObject(self._handle, handle))

    def limit_memory(self, nbytes: int | None) -> None:
        """Limit the memory of each process of the job.

        Parameters
        ----------
        nbytes : int or None
            Bytes; None for no limit.
        """
        limits = _ExtendedLimits()
        limits.flags = _END_WHEN_CLOSED
        if nbytes is not None:
            limits.flags |= _LIMIT_MEMORY
            limits.process_memory = nbytes
        _check(
            self._system.SetInformationJobObject(
                self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )


_jobs: Final[weakref.WeakKeyDictionary[subprocess.Popen[bytes], WindowsJob]] = (
    weakref.WeakKeyDictionary()
)


class _ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, flattened."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
        ("counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("most_process_memory", ctypes.c_size_t),
        ("most_job_memory", ctypes.c_size_t),
    )


def _kernel32() -> Any:
    loader: Any = ctypes
    system = loader.WinDLL("kernel32")
    handle, pointer, number = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32
    system.CreateJobObjectW.restype = handle
    system.CreateJobObjectW.argtypes = [pointer, pointer]
    system.SetInformationJobObject.argtypes = [handle, ctypes.c_int, pointer, number]
    system.AssignProcessToJobObject.argtypes = [handle, handle]
    system.CloseHandle.argtypes = [handle]
    return system


def _check(succeeded: object) -> None:
    if not succeeded:
        raise OSError("Windows refuses the job")
