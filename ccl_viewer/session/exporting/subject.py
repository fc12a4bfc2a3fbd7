"""What a session offers for export, and how a command line would name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.recording import Recording
from ccl_viewer.session.exporting.choices import Subject
from ccl_viewer.session.exporting.command import SAVED_FIRST, algorithm_arguments, run_arguments
from ccl_viewer.session.session import Session
from ccl_viewer.session.state import Cell

_COMMON: Final = ("connectivity", "device", "schedule", "multivalued")


def subject_of(session: Session) -> Subject | None:
    """Return what can be exported now; None if there is no run."""
    if session.recording is None:
        return None
    comparison = session.comparison
    return Subject(
        session.recording,
        lanes=comparison.recordings if comparison.open else (),
        sync=comparison.moments.sync,
        section=session.playback.section,
        position=session.playback.position,
        layers=session.look.layers,
        pin=pinned_component(session),
        follow=session.pointing.marks.follow,
    )


def pinned_component(session: Session) -> Cell | None:
    """Return a cell whose component is pinned."""
    pin = session.look.pin_of
    return pin.cell if pin is not None and pin.component else None


def sources_of(session: Session, recordings: Sequence[Recording]) -> list[str]:
    """Return the arguments with which a command line names runs.

    Those that are in a file are named by it; those of a pattern as it is, by the pattern and how
    they were run; others have to be saved first, as :data:`SAVED_FIRST`.
    """
    files = [session.output.file_of(recording) for recording in recordings]
    if all(file is not None for file in files):
        return [str(file) for file in files]
    if _is_of_pattern(session, recordings):
        first, *others = recordings
        words = [session.source, *run_arguments(first)]
        return words + [word for other in others for word in algorithm_arguments(other)]
    names = [SAVED_FIRST] if len(files) == 1 else [f"run{n}.cclrec" for n in range(1, 5)]
    return [name if file is None else str(file) for name, file in zip(names, files, strict=False)]


def _is_of_pattern(session: Session, recordings: Sequence[Recording]) -> bool:
    if not is_pattern(session.source) or session.drawing.can_undo or session.grid is None:
        return False
    first = recordings[0]
    return all(
        all(getattr(recording, name) == getattr(first, name) for name in _COMMON)
        and np.array_equal(recording.image, session.grid)
        for recording in recordings
    )
