"""The command line that exports what the window would."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from ccl_viewer.export import FRAME_LAYERS, ExportOptions
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import Layers

SAVED_FIRST: Final = "run.cclrec"
"""Stands for a recording that is in no file yet."""

_USUAL: Final = ExportOptions()
_SWITCHED: Final = ("arrows", "changed", "structure", "contours", "lines", "onion", "only")


def command_line(sources: Sequence[str], path: str, options: ExportOptions) -> str:
    """Return a line for a shell.

    Parameters
    ----------
    sources : sequence of str
        What is exported, with the arguments of a run if it is none yet.
    path : str
        Where to.
    options : ExportOptions
        What is exported, and how it looks; what is as by default is left out.
    """
    words = ["ccl-viewer", "export", *sources, "-o", path, *arguments_of(options)]
    return shlex.join(words)


def run_arguments(recording: Recording) -> list[str]:
    """Return the arguments that make a run like this one of the same grid."""
    words = [*algorithm_arguments(recording), "-c", str(recording.connectivity)]
    words += ["-d", recording.device]
    if recording.device == "emulator":
        words += ["-s", recording.schedule]
    return [*words, "--multivalued"] if recording.multivalued else words


def algorithm_arguments(recording: Recording) -> list[str]:
    """Return the arguments that name an algorithm with its own parameters."""
    parameters = recording.parameters.items()
    chosen = ",".join(f"{name}={value}" for name, value in parameters if value is not None)
    return ["-a", f"{recording.algorithm}:{chosen}" if chosen else recording.algorithm]


def arguments_of(options: ExportOptions) -> list[str]:
    """Return the options as ``ccl-viewer export`` is told of them."""
    words: list[str] = []
    if isinstance(options.steps, slice):
        words += ["--steps", _slice(options.steps)]
    for name in ("each", "fps", "hold", "scale", "theme", "sync", "pictures", "labels"):
        value = getattr(options, name)
        if value != getattr(_USUAL, name):
            words += [f"--{name}", _number(value) if isinstance(value, float) else str(value)]
    if not options.caption:
        words.append("--no-caption")
    if options.pin is not None:
        words += ["--pin", "{},{}".format(*options.pin)]
    for cell in options.follow:
        words += ["--follow", "{},{}".format(*cell)]
    return words + _layer_arguments(options)


def _layer_arguments(options: ExportOptions) -> list[str]:
    layers, words = options.layers, []
    if options.numbers != _USUAL.numbers:
        words += ["--numbers", options.numbers]
    elif layers.numbers != FRAME_LAYERS.numbers:
        words += ["--numbers", layers.numbers]
    if layers.colours != FRAME_LAYERS.colours:
        words += ["--colours", layers.colours]
    if layers.strength != FRAME_LAYERS.strength:
        words += ["--strength", _number(layers.strength)]
    shown, hidden = _differing(layers, on=True), _differing(layers, on=False)
    words += ["--show", ",".join(shown)] if shown else []
    return words + (["--hide", ",".join(hidden)] if hidden else [])


def _differing(layers: Layers, *, on: bool) -> list[str]:
    return [
        name
        for name in _SWITCHED
        if layers.shows(name) is on and FRAME_LAYERS.shows(name) is not on
    ]


def _slice(steps: slice) -> str:
    parts = ["" if part is None else str(part) for part in (steps.start, steps.stop)]
    return ":".join(parts if steps.step is None else [*parts, str(steps.step)])


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
