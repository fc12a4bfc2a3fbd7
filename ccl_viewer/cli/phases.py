"""``ccl-viewer phases``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ccl_viewer.cli.reporting import print_text
from ccl_viewer.cli.runs import (
    check_json_output,
    check_no_run_options,
    check_output,
    is_recording,
    read_run,
    record_run,
)
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.diagnostics.phases import (
    LaunchTrace,
    Phase,
    PhaseBoundary,
    PhaseView,
    default_block,
    trace_launch,
)
from ccl_viewer.diagnostics.phases.text import as_json, detail_lines, overview_lines
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Dim3
from ccl_viewer.export.phases import check_suffix, write_phase, write_phases
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.render.display_list import DisplayList
from ccl_viewer.render.phase_picture import draw_phase
from ccl_viewer.render.themes import LIGHT
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits

_WIDTH: Final = 1000  # pixels


def print_phases(arguments: argparse.Namespace) -> int:
    """Trace one launch of a run and print its phases.

    Raises
    ------
    InputError
        If the input, the step, block, warp, phase or output is invalid.
    """
    if arguments.json is not None:
        check_json_output(Path(arguments.json), [arguments.source], arguments)
    if is_recording(arguments.source):
        check_no_run_options(arguments)
    _check_output(arguments)

    def work(cancel: CancelToken, line: ProgressLine) -> tuple[Recording, LaunchTrace]:
        recording = _open_or_record(arguments, cancel, line)
        line("Tracing the launch")
        block = arguments.block
        if block is None:
            block = default_block(recording.step(arguments.step))
        limits = Limits(arguments.seconds)
        trace = trace_launch(
            recording, arguments.step, block, limits=limits, cancel=cancel, progress=line
        )
        return recording, trace

    recording, trace = run_cancellable(work, quiet=arguments.quiet)
    by = None if arguments.by is None else PhaseBoundary(arguments.by)
    block: Dim3 | None = arguments.block
    if block is None and arguments.warp is not None:
        block = trace.blocks[0]
    phases = trace.phases(by, block, arguments.warp)
    chosen = (
        None if arguments.phase is None else phases[_resolve_phase(arguments.phase, len(phases))]
    )
    if arguments.json is not None:
        described = json.dumps(_phases_as_json(recording, trace, phases, arguments.warp), indent=1)
        with replacing(Path(arguments.json)) as path:
            path.write_text(described, encoding="utf-8")
    if arguments.output is not None:
        _write(recording, trace, phases if chosen is None else [chosen], arguments, block)
    print_text(_describe_step(recording, trace))
    if chosen is None:
        print_text("\n".join(overview_lines(trace, phases)))
    else:
        print_text("\n".join(detail_lines(PhaseView(trace, chosen), block, arguments.warp)))
    return 0


def _check_output(arguments: argparse.Namespace) -> None:
    if arguments.output is not None:
        check_suffix(Path(arguments.output), one=arguments.phase is not None)
        check_output(Path(arguments.output), [arguments.source], arguments)


def _write(
    recording: Recording,
    trace: LaunchTrace,
    phases: Sequence[Phase],
    arguments: argparse.Namespace,
    block: Dim3 | None,
) -> None:
    """Write one phase as a picture, or all as an animation or a page."""

    def draw(phase: Phase) -> DisplayList:
        view, title = PhaseView(trace, phase), phase.title
        return draw_phase(view, block, arguments.warp, _WIDTH, LIGHT, title=title).display

    output = Path(arguments.output)
    suffix, titles = output.suffix.lower(), [phase.title for phase in phases]
    with replacing(output) as path:
        if arguments.phase is not None:
            write_phase(draw(phases[0]), titles[0], path, suffix)
            return
        heading = f"{trace.step.kernel}, phase by phase"
        pictures = [partial(draw, phase) for phase in phases]
        write_phases(pictures, titles, heading, _describe_step(recording, trace), path, suffix)


def _open_or_record(
    arguments: argparse.Namespace, cancel: CancelToken, line: ProgressLine
) -> Recording:
    if is_recording(arguments.source):
        return open_recording(arguments.source, cancel)
    arguments.algorithm = arguments.algorithm or "label_equivalence"
    return record_run(read_run(arguments, arguments.source, cancel), arguments, cancel, line)


def _resolve_phase(index: int, count: int) -> int:
    if not -count <= index < count:
        raise InputError(f"There is no phase {index}: the launch has phases 0 to {count - 1}.")
    return index % count


def _describe_step(recording: Recording, trace: LaunchTrace) -> str:
    height, width = trace.shape
    step = trace.step
    lines = [
        f"Step {step.index + 1} of {len(recording)}, {step.stage}: {step.kernel} on "
        f"{width} x {height} cells, {recording.connectivity}-connected, by the emulator "
        f"({trace.schedule}). {step.caption}",
        *filter(None, (trace.note, trace.fault)),
    ]
    return "\n".join([*lines, ""])


def _phases_as_json(
    recording: Recording, trace: LaunchTrace, phases: tuple[Phase, ...], warp: int | None
) -> dict[str, object]:
    return {
        "traced_by": "the emulator",
        "schedule": str(trace.schedule),
        "connectivity": recording.connectivity,
        "kernel": trace.step.kernel,
        "step": trace.step.index,
        "note": trace.note,
        "fault": trace.fault,
        "height": trace.shape[0],
        "width": trace.shape[1],
        "phases": [as_json(PhaseView(trace, phase), warp) for phase in phases],
    }
