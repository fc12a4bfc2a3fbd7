"""How times, rounds, kernels and launch shapes of steps are written."""

from __future__ import annotations

import math

from ccl_viewer.plan import Dim3
from ccl_viewer.recording import Step
from ccl_viewer.views.text import DASH, TIMES


def format_time(milliseconds: float) -> str:
    """Return a time with a unit that suits it; a dash if it was not taken."""
    if math.isnan(milliseconds):
        return DASH
    if milliseconds < 1:
        return f"{milliseconds * 1000:.0f} µs"
    if milliseconds < 1000:
        return f"{milliseconds:.3g} ms" if milliseconds < 100 else f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.2f} s"


def format_round(step: Step) -> str:
    """Return iteration or level of a step, as the list shows it."""
    if step.iteration is not None:
        return f"{step.iteration:,}"
    return DASH if step.level is None else f"L{step.level}"


def short_kernel(step: Step) -> str:
    """Return the kernel's name without that of its module, which all steps have in common."""
    return step.kernel.removeprefix(f"{step.module}_")


def format_launch(step: Step) -> str:
    """Return how many blocks of how many threads a launch has, without dimensions of 1."""
    return f"{_shape(step.grid)} of {_shape(step.block)}"


def _shape(size: Dim3) -> str:
    """Return a shape without the dimensions at its end that are 1."""
    x, y, z = size
    shown = [x, y, z] if z > 1 else [x, y] if y > 1 else [x]
    return TIMES.join(f"{side:,}" for side in shown)
