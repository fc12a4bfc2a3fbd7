"""``ccl-viewer record``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from ccl_viewer.cli.runs import check_output, read_run, record_run
from ccl_viewer.cli.streams import for_each_image, print_result
from ccl_viewer.cli.terminal import ProgressLine, run_abandonable, run_cancellable
from ccl_viewer.errors import InputError, WrongLabelsError, shorten
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import run_totals
from ccl_viewer.support.cancellation import CancelToken


def record(arguments: argparse.Namespace) -> int:
    """Run an algorithm on images and save every step.

    Raises
    ------
    InputError
        If the input or the output's name is invalid.
    WrongLabelsError
        If the labels are wrong; the recording is saved nevertheless, for inspection.
    """
    return for_each_image(arguments, ".cclrec", _record)


def _record(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output)
    if output.suffix.lower() != ".cclrec":
        raise InputError(
            f"A recording is written as .cclrec, not {shorten(output.name)}: name it so."
        )
    check_output(output, [arguments.image], arguments)
    run = read_run(arguments, arguments.image)

    def work(cancel: CancelToken, line: ProgressLine) -> Recording:
        recording = record_run(run, arguments, cancel, line)
        line(f"Writing {shorten(output)}")
        run_abandonable(partial(recording.save, output), cancel)
        return recording

    recording = run_cancellable(work, quiet=arguments.quiet)
    for printed in recording.printed:
        print(printed)
    check_labels(recording)
    print_result(
        arguments,
        f"{shorten(arguments.shown_output)}: {run.algorithm.title}, {run.connectivity}-connected, "
        f"on {recording.device_title} ({recording.schedule}): {', '.join(run_totals(recording))}. "
        f"{recording.sentence}",
    )
    return 0


def check_labels(recording: Recording) -> None:
    """Raise if a finished run left wrong labels.

    Raises
    ------
    WrongLabelsError
        If the recording's verdict says so.
    """
    verdict = recording.verdict
    if verdict is not None and recording.converged and not verdict.correct:
        raise WrongLabelsError(recording.sentence)
