"""``ccl-viewer export``."""

from __future__ import annotations

import argparse
from pathlib import Path

from ccl_viewer.cli.export_options import read_options
from ccl_viewer.cli.record import check_labels
from ccl_viewer.cli.runs import (
    check_no_run_options,
    check_output,
    check_output_folder,
    is_recording,
    read_run,
    record_run,
    replace_algorithm,
)
from ccl_viewer.cli.streams import check_no_format, print_result
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.errors import shorten
from ccl_viewer.export import ExportOptions, export_format
from ccl_viewer.export import export as export_recordings
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted

_DEFAULT = ("label_equivalence",)


def export(arguments: argparse.Namespace) -> int:
    """Write the steps of recordings, or of fresh runs, in the format of the output's name.

    Raises
    ------
    InputError
        If a source, the output's name or an option is invalid.
    WrongLabelsError
        If a fresh run left wrong labels; the export is written nevertheless.
    """
    check_no_format(arguments)
    options = read_options(arguments)
    _check(arguments, options)

    def work(cancel: CancelToken, line: ProgressLine) -> tuple[list[Recording], int]:
        recordings = _recordings(arguments, cancel, line)
        count = export_recordings(
            recordings,
            arguments.output,
            options,
            progress=lambda done, of: line(f"Writing frame {done} of {of}"),
            cancel=cancel,
            replace=arguments.force,
        )
        return recordings, count

    recordings, count = run_cancellable(work, quiet=arguments.quiet)
    for recording in recordings:
        check_labels(recording)
    rows = counted(count, "component" if options.table == "components" else "step")
    name = shorten(arguments.shown_output)
    print_result(
        arguments,
        f"{name}: {rows} of {_describe_runs(recordings)}. {_describe_verdicts(recordings)}",
    )
    return 0


def _describe_runs(recordings: list[Recording]) -> str:
    """Name each run, with its connectivity."""
    return "; ".join(
        f"{algorithm_title(recording.algorithm)}, {recording.connectivity}-connected"
        for recording in recordings
    )


def _describe_verdicts(recordings: list[Recording]) -> str:
    """Say how each run ended; once for all if they ended alike."""
    sentences = dict.fromkeys(recording.sentence for recording in recordings)
    if len(sentences) == 1:
        return next(iter(sentences))
    titles = (algorithm_title(recording.algorithm) for recording in recordings)
    pairs = zip(titles, recordings, strict=True)
    return " ".join(f"{title}: {recording.sentence}" for title, recording in pairs)


def _check(arguments: argparse.Namespace, options: ExportOptions) -> None:
    """Refuse options that surely fail, or have no effect, before anything is run."""
    if all(is_recording(source) for source in arguments.source):
        check_no_run_options(arguments)
    row = export_format(arguments.output)
    count = sum(1 if is_recording(source) else len(_runs(arguments)) for source in arguments.source)
    row.check(count, options)
    if row.is_folder:
        check_output_folder(Path(arguments.output), arguments.source, force=arguments.force)
    else:
        check_output(Path(arguments.output), arguments.source, arguments)


def _recordings(
    arguments: argparse.Namespace, cancel: CancelToken, line: ProgressLine
) -> list[Recording]:
    recordings = []
    for source in arguments.source:
        if is_recording(source):
            line(f"Opening {source}")
            recordings.append(open_recording(source, cancel))
            continue
        for key in _runs(arguments):
            run_arguments = replace_algorithm(arguments, key)
            recordings.append(
                record_run(read_run(run_arguments, source, cancel), run_arguments, cancel, line)
            )
    return recordings


def _runs(arguments: argparse.Namespace) -> tuple[str, ...]:
    return tuple(arguments.algorithm or _DEFAULT)
