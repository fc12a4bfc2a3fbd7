"""The choices for an export, and the options that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.export import (
    AUTO,
    FRAME_LAYERS,
    ExportFormat,
    ExportOptions,
    FormatKind,
    Granularity,
    Sync,
    export_format,
    with_suffix,
)
from ccl_viewer.export.command import algorithm_arguments, run_arguments
from ccl_viewer.export.options import LabelValues, Pictures, TableRows
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import Layers, Numbers
from ccl_viewer.support.dataclass_json import from_json

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.files import Files
    from ccl_viewer.window.core.workspace import Workspace

SAVED_FIRST: Final = "run.cclrec"
"""A placeholder in a command line for a recording that is in no file yet."""

LONGEST_STEP: Final = 60  # seconds
LARGEST_CELL: Final = 256  # pixels

_DEFAULT: Final = ExportOptions()
_OF_ONE_RUN: Final = {"path", "span", "start", "end", "step", "sync"}
"""Choices that are not remembered unchanged."""

_COMMON: Final = ("connectivity", "device", "schedule", "multivalued", "consecutive")


class StepSelection(StrEnum):
    """Which steps are exported."""

    ALL = "all"
    SECTION = "section"
    CURRENT = "current"
    RANGE = "range"


@dataclass(frozen=True, eq=False)
class ExportSubject:
    """What can be exported; in a comparison, the run in the active pane.

    `position` is the step on display, and `first` that of the first run. `pin` is a cell of the
    pinned component, `follow` are the cells with marked paths.
    """

    recording: Recording
    compared: tuple[Recording, ...] = ()
    section: range | None = None
    position: int = 0
    first: int = 0
    layers: Layers = FRAME_LAYERS
    pin: Cell | None = None
    follow: tuple[Cell, ...] = ()
    sync: Sync = Sync.STEP

    @classmethod
    def of(cls, workspace: Workspace) -> ExportSubject | None:
        """Return what can be exported now; None unless a finished run is on display."""
        comparison, pin = workspace.comparison, workspace.view.pin
        display = comparison.active_display
        if display.recording is None or display.growing:
            return None
        is_main = display is workspace.display
        return cls(
            display.recording,
            compared=comparison.aligned_recordings if comparison.open else (),
            section=workspace.playback.section if is_main else None,
            position=display.index,
            first=workspace.display.index,
            layers=workspace.view.layers,
            pin=pin.cell if pin is not None and pin.component else None,
            follow=workspace.view.marks.follow,
            sync=comparison.moments.sync,
        )


@dataclass(frozen=True)
class ExportChoices:
    """The user's choices; fields not described here are as in ``ExportOptions``.

    Each step is shown for `seconds`; None is the pace at which the window plays. `step` is for
    formats with a single step. With `beside`, all compared runs are shown side by side.
    """

    path: str = ""
    span: StepSelection = StepSelection.ALL
    start: int = 0
    end: int = 0
    step: int = 0
    each: Granularity = Granularity.STEP
    seconds: float | None = None
    hold: float = _DEFAULT.hold
    scale: int | None = None
    caption: bool = True
    theme: Literal["dark", "light"] = "dark"
    page_theme: Literal["auto", "dark", "light"] = "auto"
    beside: bool = True
    sync: Sync = Sync.STEP
    pictures: Pictures = "png"
    labels: LabelValues = "raw"
    table: TableRows = "steps"

    @property
    def format(self) -> ExportFormat:
        """The format of the name's suffix; raises InputError for an unknown one."""
        return export_format(self.path)

    def fitted(self, subject: ExportSubject) -> ExportChoices:
        """Return these choices with steps that the run has, and a pace that the format allows."""
        run, seconds = subject.recording, self.seconds
        with suppress(InputError):
            run = recordings_of(self, subject, self.format)[0]
            if seconds is not None:
                seconds = max(seconds, self.format.shortest / 1000)
        last = len(run) - 1
        start = min(max(self.start, 0), last)
        no_section = self.span is StepSelection.SECTION and subject.section is None
        return replace(
            self,
            start=start,
            end=min(max(self.end, start), last),
            step=min(max(self.step, 0), last),
            span=StepSelection.ALL if no_section else self.span,
            seconds=seconds,
        )

    def to_values(self) -> dict[str, Any]:
        values = {name: value for name, value in vars(self).items() if name not in _OF_ONE_RUN}
        return values | {"path": self.path}

    def with_remembered(self, values: Mapping[str, Any]) -> ExportChoices:
        """Return these choices with the remembered ones; invalid ones are ignored."""
        lasting = {name: value for name, value in values.items() if name not in _OF_ONE_RUN}
        path = self.path
        with suppress(InputError, TypeError, ValueError):
            if values.get("path"):
                path = with_suffix(path, export_format(values["path"]))
        return replace(from_json(self, lasting), path=path)


def options_of(choices: ExportChoices, subject: ExportSubject) -> ExportOptions:
    """Return the options of an export; options that its format does not use have their defaults."""
    row = choices.format
    fps = None if choices.seconds is None else 1 / choices.seconds
    picture_theme = AUTO if choices.theme == "dark" else choices.theme
    values: dict[str, Any] = {
        "steps": _steps_of(choices, subject, row),
        "each": Granularity.STEP if row.one_step else choices.each,
        "fps": fps,
        "hold": choices.hold,
        "scale": choices.scale,
        "caption": choices.caption,
        "theme": choices.page_theme if row.kind is FormatKind.PAGE else picture_theme,
        "pin": subject.pin,
        "follow": subject.follow,
        "pictures": choices.pictures,
        "labels": choices.labels if row.is_labels and choices.labels != "raw" else None,
        "table": choices.table,
        **_layer_options(subject.layers),
    }
    if len(recordings_of(choices, subject, row)) > 1:
        values["sync"] = choices.sync
    used = row.used_options(replace(_DEFAULT, table=values["table"]))
    return ExportOptions(**{name: value for name, value in values.items() if name in used})


def recordings_of(
    choices: ExportChoices, subject: ExportSubject, row: ExportFormat
) -> tuple[Recording, ...]:
    """Return the runs to export: the compared ones if chosen and possible, else one."""
    if choices.beside and row.side_by_side and len(subject.compared) > 1:
        return subject.compared
    return (subject.recording,)


def picture_options(subject: ExportSubject, theme: str) -> ExportOptions:
    """Return the options for a picture of the step on display, as the canvas shows it."""
    return ExportOptions(
        steps=slice(subject.position, subject.position + 1),
        theme=theme,
        pin=subject.pin,
        follow=subject.follow,
        **_layer_options(subject.layers),
    )


def command_line_sources(
    document: Document, files: Files, recordings: Sequence[Recording]
) -> list[str]:
    """Return the arguments that name runs on a command line.

    A run in a file is named by the file; an unedited pattern by the pattern and the settings of the
    run. All other runs have to be saved first, as :data:`SAVED_FIRST`.
    """
    saved = [files.recording_path(recording) for recording in recordings]
    if all(file is not None for file in saved):
        return [str(file) for file in saved]
    if _are_of_pattern(document, recordings):
        first, *others = recordings
        words = [document.source, *run_arguments(first)]
        return words + [word for other in others for word in algorithm_arguments(other)]
    names = [SAVED_FIRST] if len(saved) == 1 else [f"run{n}.cclrec" for n in range(1, 5)]
    return [name if file is None else str(file) for name, file in zip(names, saved, strict=False)]


def _steps_of(choices: ExportChoices, subject: ExportSubject, row: ExportFormat) -> slice | None:
    if row.one_step:
        return slice(choices.step, choices.step + 1)
    section = subject.section
    if choices.span is StepSelection.SECTION and section is not None:
        return slice(section.start, section.stop)
    if choices.span is StepSelection.CURRENT:
        several = len(recordings_of(choices, subject, row)) > 1
        step = subject.first if several else subject.position
        return slice(step, step + 1)
    if choices.span is StepSelection.RANGE:
        return slice(choices.start, choices.end + 1)
    return None


def _layer_options(layers: Layers) -> dict[str, Any]:
    """Return layers for the options, where a special word turns numbers off."""
    if layers.numbers == Numbers.NONE:
        return {"layers": replace(layers, numbers=Numbers.RAW), "numbers": "off"}
    return {"layers": layers}


def _are_of_pattern(document: Document, recordings: Sequence[Recording]) -> bool:
    if not is_pattern(document.source) or document.can_undo or document.grid is None:
        return False
    first = recordings[0]
    return all(
        all(getattr(recording, name) == getattr(first, name) for name in _COMMON)
        and np.array_equal(recording.image, document.grid)
        for recording in recordings
    )
