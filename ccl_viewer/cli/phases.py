"""``ccl-viewer phases``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

import numpy as np

from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import (
    check_json,
    check_no_run_options,
    check_output,
    is_recording,
    read_run,
    record_run,
)
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.errors import InputError, cut
from ccl_viewer.files import replacing
from ccl_viewer.phases import LaunchTrace, Phase, PhaseBy, PhaseView, trace_launch, usual_block
from ccl_viewer.phases.text import as_json, details, overview
from ccl_viewer.plan import Dim3
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.resources import kernel_path

_PICTURE_WIDTH: Final = 1000  # pixels


def show(arguments: argparse.Namespace) -> int:
    """Trace one launch of a run and print its phases.

    Raises
    ------
    InputError
        If the input, the step, block, warp, phase or output cannot be used.
    """
    if arguments.json is not None:
        check_json(Path(arguments.json), [arguments.source], arguments)
    if is_recording(arguments.source):
        check_no_run_options(arguments)
    _check_picture(arguments)

    def work(cancel: CancelToken, line: ProgressLine) -> LaunchTrace:
        recording = _recording(arguments, cancel, line)
        line("Tracing the launch")
        block = arguments.block
        if block is None:
            block = usual_block(recording.step(arguments.step))
        return trace_launch(
            recording,
            arguments.step,
            block,
            # A copy that just ran well in a process of its own; a file's is not run for it.
            find_source=kernel_path if is_recording(arguments.source) else source_path,
            cancel=cancel,
            progress=line,
        )

    trace = run_cancellable(work)
    by = None if arguments.by is None else PhaseBy(arguments.by)
    block: Dim3 | None = arguments.block
    if block is None and arguments.warp is not None:
        block = trace.blocks[0]
    phases = trace.phases(by, block, arguments.warp)
    chosen = None if arguments.phase is None else phases[_place(arguments.phase, len(phases))]
    if arguments.json is not None:
        described = json.dumps(_described(trace, phases, arguments.warp), indent=1)
        with replacing(Path(arguments.json)) as path:
            path.write_text(described, encoding="utf-8")
    print(_heading(trace))
    if chosen is None:
        print("\n".join(overview(trace, phases)))
        return 0
    view = trace.view(chosen)
    print("\n".join(details(view, block, arguments.warp)))
    if arguments.output is not None:
        _draw(view, block, arguments.warp, Path(arguments.output))
    return 0


def _check_picture(arguments: argparse.Namespace) -> None:
    if arguments.output is None:
        return
    if arguments.phase is None:
        raise InputError("A picture is of one phase: choose it with --phase.")
    if Path(arguments.output).suffix.lower() not in {".svg", ".png"}:
        raise InputError(f"A phase is drawn as .svg or .png, not {cut(arguments.output)}.")
    check_output(Path(arguments.output), [arguments.source], arguments)


def _draw(view: PhaseView, block: Dim3 | None, warp: int | None, output: Path) -> None:
    from PIL import Image

    from ccl_viewer.render.painters.pillow import paint
    from ccl_viewer.render.painters.svg import svg_of
    from ccl_viewer.render.phase_picture import draw_phase
    from ccl_viewer.render.themes import LIGHT

    title = view.phase.title
    shown = draw_phase(view, block, warp, _PICTURE_WIDTH, LIGHT, title=title).display
    with replacing(output) as path:
        if output.suffix.lower() == ".svg":
            path.write_text(svg_of(shown, title), encoding="utf-8")
            return
        pixels = paint(shown)
        rgb = np.stack([pixels >> shift & 255 for shift in (16, 8, 0)], axis=-1)
        Image.fromarray(rgb.astype(np.uint8)).save(path, format="PNG")


def _recording(arguments: argparse.Namespace, cancel: CancelToken, line: ProgressLine) -> Recording:
    if is_recording(arguments.source):
        return open_recording(arguments.source, cancel)
    arguments.algorithm = arguments.algorithm or "label_equivalence"
    return record_run(read_run(arguments, arguments.source, cancel), arguments, cancel, line)


def _place(index: int, count: int) -> int:
    if not -count <= index < count:
        raise InputError(f"There is no phase {index}: the launch has phases 0 to {count - 1}.")
    return index % count


def _heading(trace: LaunchTrace) -> str:
    height, width = trace.shape
    step = trace.step
    lines = [
        f"Step {step.index}, {step.stage}: {step.kernel} on {width} x {height} cells, by the "
        f"emulator ({trace.schedule}). {step.caption}",
        *filter(None, (trace.note, trace.fault)),
    ]
    return "\n".join([*lines, ""])


def _described(
    trace: LaunchTrace, phases: tuple[Phase, ...], warp: int | None
) -> dict[str, object]:
    return {
        "traced_by": "the emulator",
        "schedule": str(trace.schedule),
        "kernel": trace.step.kernel,
        "step": trace.step.index,
        "note": trace.note,
        "fault": trace.fault,
        "height": trace.shape[0],
        "width": trace.shape[1],
        "phases": [as_json(trace.view(phase), warp) for phase in phases],
    }
