"""``ccl-viewer export``."""

from __future__ import annotations

import argparse
from pathlib import Path

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.record import check_labels
from ccl_viewer.cli.runs import read_run, record_run
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.export import export as export_recording
from ccl_viewer.export import export_format
from ccl_viewer.files import check_new_folder, check_writable
from ccl_viewer.recording import Recording, open_recording


def export(arguments: argparse.Namespace) -> int:
    """Write the steps of a recording, or of a fresh run, as an animation or as pictures.

    Raises
    ------
    InputError
        If the source, the output's name or an option cannot be used.
    WrongLabelsError
        If a fresh run left wrong labels; the export is written all the same.
    """
    if export_format(arguments.output).is_folder:
        check_new_folder(Path(arguments.output))
    else:
        check_writable(Path(arguments.output))

    def work(cancel: CancelToken, line: ProgressLine) -> tuple[Recording, int]:
        recording = _recording(arguments, cancel, line)
        frames = export_recording(
            recording,
            arguments.output,
            fps=arguments.fps,
            scale=arguments.scale,
            theme=arguments.theme,
            caption=not arguments.no_caption,
            numbers=arguments.numbers,
            steps=arguments.steps,
            hold=arguments.hold,
            progress=lambda done, of: line(f"Writing frame {done} of {of}"),
            cancel=cancel,
        )
        return recording, frames

    recording, frames = run_cancellable(work)
    check_labels(recording)
    pictures = "1 frame" if frames == 1 else f"{frames} frames"
    print(f"{arguments.output}: {pictures}. {recording.sentence}")
    return 0


def _recording(arguments: argparse.Namespace, cancel: CancelToken, line: ProgressLine) -> Recording:
    if Path(arguments.source).suffix.lower() == ".cclrec":
        return open_recording(Path(arguments.source))
    return record_run(read_run(arguments, arguments.source), arguments, cancel, line)
