"""The table of components of the analysed run, and the pinned component."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.api import tabulate_labels
from ccl_viewer.export.component_table import Table, save_components
from ccl_viewer.export.tables import make_recording_fields
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording import Recording
from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.model import Model, watch
from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue
from ccl_viewer.window.core.view_state import Pin, ViewState

_GROUP: Final = "components"


class Components(Model):
    """The components of a finished run, as the reference finds them."""

    table_changed = Signal()
    pinned_changed = Signal()
    hidden_changed = Signal()

    def __init__(self, tasks: TaskQueue, analysis: RunAnalysis, view: ViewState) -> None:
        super().__init__()
        self._tasks, self._analysis, self._view = tasks, analysis, view
        self._tables = WeakKeyDictionary[Recording, Table]()
        self._asked: ReferenceType[Recording] | None = None
        another = partial(
            self._announce, self.hidden_changed, self.table_changed, self.pinned_changed
        )
        watch(
            another,
            analysis.display_changed,
            analysis.recording_changed,
            analysis.hidden_answers_changed,
        )
        view.pin_changed.connect(partial(self._announce, self.pinned_changed))

    @property
    def hidden(self) -> bool:
        """Whether an open question asks for something that the table shows."""
        return bool(
            {HiddenInformation.COUNTS, HiddenInformation.TABLES} & self._analysis.hidden_answers
        )

    @property
    def table(self) -> Table | None:
        """One row per component, as from :func:`ccl_viewer.components`; None while not known."""
        recording = self._analysis.recording
        if recording is None or self.hidden or self._labels is None:
            return None
        return self._tables.get(recording)

    @property
    def computing(self) -> bool:
        """Whether the table is being computed."""
        return self.table is None and self._tasks.task_of(_GROUP) is not None

    @property
    def pinned(self) -> int:
        """The number of the pinned cell's component; 0 if there is none."""
        components, pin = self._analysis.display.component_table, self._view.pin
        info = None if components is None or pin is None else components.component_at(pin.cell)
        return 0 if info is None else info.number

    def request_table(self) -> None:
        """Start computing the table, unless it has started or is impossible."""
        recording, labels = self._analysis.recording, self._labels
        if recording is None or labels is None or self.hidden or recording in self._tables:
            return
        if self._asked is not None and self._asked() is recording:
            return
        self._asked = ref(recording)

        def work(task: BackgroundTask) -> Table:
            return tabulate_labels(labels, cancel=task.token)

        def done(table: Table) -> None:
            self._tables[recording] = table
            self._announce(self.table_changed)

        self._tasks.start("Measuring components", work, done, group=_GROUP)

    def pin_and_fit(self, number: int) -> None:
        """Pin a component and fit it into the canvas."""
        components = self._analysis.display.component_table
        if components is None or not 0 < number < components.areas.size:
            return
        if number != self.pinned:
            self._view.set_pin(Pin(components.first_cell(number), component=True))
        left, top, right, bottom = components.boxes[number].tolist()
        self._view.fit_box((left, top, right, bottom))

    def save(self, path: Path, table: Table) -> None:
        """Write rows of the table as CSV or JSON, by the suffix; raises InputError."""
        recording = self._analysis.recording
        save_components(
            path, [table], {} if recording is None else {"run": make_recording_fields(recording)}
        )

    @property
    def _labels(self) -> npt.NDArray[np.int32] | None:
        components = self._analysis.display.component_table
        return None if components is None else components.numbers
