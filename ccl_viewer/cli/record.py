"""``ccl-viewer record``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import check_output, read_run, record_run
from ccl_viewer.cli.terminal import ProgressLine, run_abandonable, run_cancellable
from ccl_viewer.errors import InputError, WrongLabelsError, cut
from ccl_viewer.recording import Recording
from ccl_viewer.units import counted, duration


def record(arguments: argparse.Namespace) -> int:
    """Run an algorithm and save every step.

    Raises
    ------
    InputError
        If the input or the output's name cannot be used.
    WrongLabelsError
        If the labels are wrong; the recording is saved all the same, to be looked at.
    """
    output = Path(arguments.output)
    if output.suffix.lower() != ".cclrec":
        raise InputError(f"A recording is written as .cclrec, not {cut(output.name)}: name it so.")
    check_output(output, [arguments.image], arguments)
    run = read_run(arguments, arguments.image)

    def work(cancel: CancelToken, line: ProgressLine) -> Recording:
        recording = record_run(run, arguments, cancel, line)
        line(f"Writing {cut(output)}")
        run_abandonable(partial(recording.save, output), cancel)
        return recording

    recording = run_cancellable(work)
    check_labels(recording)
    print(
        f"{cut(output)}: {counted(len(recording), 'step')} of {run.algorithm.title} on "
        f"{recording.device_title} ({recording.schedule}), {duration(recording.milliseconds)}. "
        f"{recording.sentence}"
    )
    return 0


def check_labels(recording: Recording) -> None:
    """Raise if a run that came to its end left wrong labels.

    Raises
    ------
    WrongLabelsError
        If the recording's verdict says so.
    """
    verdict = recording.verdict
    if verdict is not None and recording.converged and not verdict.correct:
        raise WrongLabelsError(recording.sentence)
