"""How times, rounds, kernels and launch shapes of steps are written."""

from __future__ import annotations

from ccl_viewer.counted import duration
from ccl_viewer.plan import Dim3
from ccl_viewer.recording import Step
from ccl_viewer.recording.timing import StepTiming
from ccl_viewer.views.looks.text import TIMES


def describe_spread(timing: StepTiming) -> str:
    """Return how the times of a step vary, in two lines."""
    spread = timing.spread
    times = {
        "median": spread.median,
        "minimum": spread.minimum,
        "maximum": spread.maximum,
    }
    first = ", ".join(f"{name} {duration(value)}" for name, value in times.items())
    middle = f"{duration(spread.lower)} to {duration(spread.upper)}"
    return f"{timing.runs:,} runs: {first}\nThe middle half of them: {middle}"


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
