"""A user's program: the strict check of types reads it, with the rest of the tests."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

import ccl_viewer as ccl

Device = Literal["auto", "cuda", "emulator"]


def count(image: npt.NDArray[np.uint8], device: Device) -> int:
    """Take options from elsewhere."""
    labels, n = ccl.label(image, connectivity=8, device=device)
    return n + int(labels.max())


def areas(image: npt.NDArray[np.bool_]) -> list[int]:
    """Measure labels."""
    labels, _ = ccl.label(image, "ha4")
    table: npt.NDArray[np.void] = ccl.components(labels=labels)
    return [int(area) for area in table["area"]]


def steps(name: str) -> int:
    """Record and label lists."""
    run = ccl.record(name, device="emulator")
    return len(run) + run.connectivity + ccl.label([[1, 0], [0, 1]])[1]


def wrong(image: npt.NDArray[np.uint8]) -> None:
    """A device that there is not has to be an error: strict checks refuse idle comments."""
    ccl.label(image, device="gpu")  # type: ignore[call-overload]
