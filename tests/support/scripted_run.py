"""A run that executes nothing: it logs the requests of a plan and answers reads from a script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ccl_viewer.execution.device import Elapsed
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Array, Buffer, Launch


class ScriptedRun:
    """Replaces the device for the host side of an algorithm.

    Parameters
    ----------
    flags : iterable of int
        Results of the reads, in order.
    """

    def __init__(self, flags: Iterable[int] = ()) -> None:
        self._flags = iter(flags)
        self.atomics: int | None = None
        self.printed: tuple[str, ...] = ()
        self.ledger: LaunchLedger | None = None
        self.log: list[str] = []
        self.launches: list[Launch] = []

    def allocate(self, buffer: Buffer) -> None:
        self.log.append(f"allocate {buffer.name}")

    def fill(self, buffer: Buffer, value: int) -> None:
        self.log.append(f"fill {buffer.name} {value}")

    def launch(self, launch: Launch) -> Elapsed:
        self.log.append(f"launch {launch.kernel.name}")
        self.launches.append(launch)
        return lambda: 0.5

    def start_read(self, buffer: Buffer) -> None:
        self.log.append(f"fetch {buffer.name}")

    def read(self, buffer: Buffer) -> Array:
        self.log.append(f"read {buffer.name}")
        return np.full(buffer.shape, next(self._flags), buffer.dtype)

    def take(self, buffer: Buffer) -> Any:
        return self.read(buffer)

    def array(self, buffer: Buffer) -> Any:
        return self.read(buffer)

    def close(self) -> None:
        self.log.append("close")
