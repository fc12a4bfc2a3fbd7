"""A run as it is shown: its recording, the colours of its labels, and its components."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from ccl_viewer.recording import Recording
from ccl_viewer.render.palette import Colouring, colouring_of
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.showing.components import ComponentTable, component_table

CHOOSING_COLOURS: Final = "Choosing colours"


@dataclass(frozen=True, eq=False)
class DisplayedRun:
    """A recording, the colours of its labels, and its components once it is whole.

    Parameters
    ----------
    recording : Recording
        The recording.
    colouring : Colouring
        The colours.
    table : ComponentTable or None
        The components.
    of : Hashable
        The state of grid and settings that it is a run of; None if that is not known.
    draft : bool
        Whether another run in that state may come out otherwise.
    """

    recording: Recording
    colouring: Colouring
    table: ComponentTable | None = None
    of: Hashable = None
    draft: bool = False

    @classmethod
    def whole(
        cls,
        recording: Recording,
        job: Job,
        of: Hashable = None,
        *,
        draft: bool = False,
        before: DisplayedRun | None = None,
    ) -> DisplayedRun:
        """Return a recording that has come to its end, with colours and components.

        Parameters
        ----------
        recording : Recording
            The recording.
        job : Job
            Whose work it is, which may be cancelled.
        of, draft
            As of the class.
        before : DisplayedRun or None
            The same recording as it was shown while it grew.
        """
        check = job.cancel.check
        job.report(CHOOSING_COLOURS)
        known = None if before is None else before.colouring
        colouring = colouring_of(recording, known, check)
        table = component_table(colouring.components, check)
        return cls(recording, colouring, table, of, draft)
