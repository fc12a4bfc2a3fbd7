"""The equivalent command line: the counterpart of ``cli/export_options.py``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from ccl_viewer.export.options import FRAME_LAYERS, ExportOptions
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import SWITCHES

_DEFAULT: Final = ExportOptions()


def command_line(sources: Sequence[str], path: str, options: ExportOptions) -> str:
    """Return a line for a shell; `sources` are runs, or a grid with the arguments of a run."""
    return shlex.join(["ccl-viewer", "export", *sources, "-o", path, *make_arguments(options)])


def run_arguments(recording: Recording) -> list[str]:
    """Return the arguments that make a run like this one of the same grid."""
    words = [*algorithm_arguments(recording), "-c", str(recording.connectivity)]
    words += ["-d", recording.device]
    if recording.emulated:
        words += ["-s", recording.schedule]
        words += ["--ledger"] if recording.has_counts else []
    words += ["--consecutive"] if recording.consecutive else []
    return [*words, "--multivalued"] if recording.multivalued else words


def algorithm_arguments(recording: Recording) -> list[str]:
    """Return the arguments that name an algorithm and its parameters."""
    parameters = recording.parameters.items()
    chosen = ",".join(f"{name}={value}" for name, value in parameters if value is not None)
    return ["-a", f"{recording.algorithm}:{chosen}" if chosen else recording.algorithm]


def make_arguments(options: ExportOptions) -> list[str]:
    """Return the options as arguments of ``ccl-viewer export``."""
    words: list[str] = []
    if isinstance(options.steps, slice):
        words += ["--steps", _slice_text(options.steps)]
    if options.fps is not None:
        words += _pace_arguments(options.fps)
    for name in ("each", "hold", "scale", "theme", "sync", "pictures", "labels", "table"):
        value = getattr(options, name)
        if value != getattr(_DEFAULT, name):
            words += [f"--{name}", _number(value) if isinstance(value, float) else str(value)]
    if not options.caption:
        words.append("--no-caption")
    if options.pin is not None:
        words += ["--pin", "{},{}".format(*options.pin)]
    for cell in options.follow:
        words += ["--follow", "{},{}".format(*cell)]
    return words + _layer_arguments(options)


def _pace_arguments(fps: float) -> list[str]:
    seconds = round(1 / fps, 4)
    if seconds and 1 / seconds == fps:
        return ["--pace", _number(seconds)]
    return ["--fps", _number(fps)]


def _layer_arguments(options: ExportOptions) -> list[str]:
    layers, words = options.layers, []
    if options.numbers != _DEFAULT.numbers:
        words += ["--numbers", options.numbers]
    elif layers.numbers != FRAME_LAYERS.numbers:
        words += ["--numbers", layers.numbers]
    if layers.colours != FRAME_LAYERS.colours:
        words += ["--colours", layers.colours]
    if layers.strength != FRAME_LAYERS.strength:
        words += ["--strength", _number(layers.strength)]
    for argument, on in (("--show", True), ("--hide", False)):
        names = [
            name
            for name in SWITCHES
            if layers.shows(name) is on and FRAME_LAYERS.shows(name) is not on
        ]
        words += [argument, ",".join(names)] if names else []
    return words


def _slice_text(steps: slice) -> str:
    parts = ["" if part is None else str(part) for part in (steps.start, steps.stop)]
    return ":".join(parts if steps.step is None else [*parts, str(steps.step)])


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
