"""What a person chooses for an export, and the options that it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from ccl_viewer.errors import InputError
from ccl_viewer.export import (
    AUTO,
    EXPORT_FORMATS,
    FRAME_LAYERS,
    Each,
    ExportFormat,
    ExportOptions,
    Kind,
    Sync,
    export_format,
)
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import Layers, Numbers
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.session.state import Cell
from ccl_viewer.settings_text import read_number, read_truth

WHOLE: Final = frozenset({".cclrec"})
"""Formats that hold the whole run, whatever steps are chosen."""

ARRAYS: Final = frozenset({".npy", ".tif", ".zarr"})
"""Formats that hold labels as numbers."""

FASTEST: Final = 60.0
"""Steps a second that can be chosen."""

_LAYER: Final = "layer_"


class Span(StrEnum):
    """Which steps are exported."""

    ALL = "all"
    SECTION = "section"
    CHOSEN = "chosen"


@dataclass(frozen=True, eq=False)
class Subject:
    """What can be exported, as the window shows it.

    Parameters
    ----------
    recording : Recording
        The run on display.
    lanes : tuple of Recording
        The runs that are compared, in their order; empty if there is no comparison.
    section : Section or None
        The part of the timeline that is played.
    position : int
        The step on display.
    layers : Layers
        What the canvas shows.
    pin : tuple of int or None
        Column and row of a cell whose component is pinned.
    follow : tuple of (int, int)
        Columns and rows of cells whose ways to their roots are pointed out.
    sync : Sync
        How the runs that are compared go together.
    """

    recording: Recording
    lanes: tuple[Recording, ...] = ()
    section: Section | None = None
    position: int = 0
    layers: Layers = FRAME_LAYERS
    pin: Cell | None = None
    follow: tuple[Cell, ...] = ()
    sync: Sync = Sync.STEP


@dataclass(frozen=True)
class Choices:
    """What is chosen.

    Parameters
    ----------
    path : str
        Where to; its suffix is that of the format.
    span : Span
        All steps, those of the section, or those from `start` to `end`.
    start, end : int
        The first and the last step, from 0.
    step : int
        The step of formats that hold a single one.
    each, fps, hold, scale, caption, theme, sync, pictures
        As for :class:`~ccl_viewer.export.ExportOptions`; the theme is that of pictures.
    page_theme : str
        The theme of a page, ``"auto"`` if it is to be as its reader's system is.
    own_layers : bool
        Whether `layers` are shown, instead of those on the canvas.
    layers : Layers
        Chosen layers.
    beside : bool
        Whether all runs that are compared are shown side by side.
    labels : str
        What arrays hold, ``"raw"`` or ``"component"``.
    """

    path: str = ""
    span: Span = Span.ALL
    start: int = 0
    end: int = 0
    step: int = 0
    each: Each = Each.STEP
    fps: float = 4.0
    hold: float = 2.0
    scale: int | None = None
    own_layers: bool = False
    layers: Layers = FRAME_LAYERS
    caption: bool = True
    theme: str = "dark"
    page_theme: str = AUTO
    beside: bool = True
    sync: Sync = Sync.STEP
    pictures: str = "png"
    labels: str = "raw"

    @property
    def format(self) -> ExportFormat:
        """The format that the name asks for.

        Raises
        ------
        InputError
            If there is none like that.
        """
        return export_format(self.path)

    def with_steps(self, start: int, end: int) -> Choices:
        """Return these choices with other ends of the range, from 0."""
        return replace(self, start=start, end=end)

    def to_values(self) -> dict[str, str]:
        """Return what is worth remembering from one export to the next, as texts."""
        values = {name: str(getattr(self, name)) for name in _REMEMBERED}
        with suppress(InputError):
            values["format"] = self.format.suffix
        return values | {_LAYER + key: text for key, text in self.layers.to_values().items()}

    def recalled(self, values: Mapping[str, str]) -> Choices:
        """Return these choices with what was remembered; what is damaged stays as it is."""
        own = {key.removeprefix(_LAYER): text for key, text in values.items() if _LAYER in key}
        choices = replace(self, layers=Layers.from_values(own) if own else self.layers)
        for name, read in _REMEMBERED.items():
            if name in values:
                with suppress(ValueError):
                    choices = replace(choices, **{name: read(values[name])})
        suffix = values.get("format", "")
        known = any(row.suffix == suffix for row in EXPORT_FORMATS)
        return replace(choices, path=named(choices.path, suffix)) if known else choices


def options_of(choices: Choices, subject: Subject) -> ExportOptions:
    """Return the options of an export; what its format has no use for is as by default.

    Raises
    ------
    InputError
        If the name asks for no format, or a number is out of range.
    """
    row = choices.format
    chosen: dict[str, Any] = {}
    if row.suffix not in WHOLE:
        chosen["steps"] = steps_of(choices, subject)
        if not row.one_step:
            chosen["each"] = choices.each
    if row.is_animated:
        chosen |= {"fps": choices.fps, "hold": choices.hold}
    if row.kind is not Kind.DATA:
        chosen |= {"pin": subject.pin, "follow": subject.follow}
        chosen |= _layer_options(layers_of(choices, subject))
    if len(recordings_of(choices, subject, row)) > 1:
        chosen["sync"] = choices.sync
    if row.is_framed:
        chosen |= {"scale": choices.scale, "caption": choices.caption}
        chosen["theme"] = AUTO if choices.theme == "dark" else choices.theme
    if row.kind is Kind.PAGE:
        chosen |= {"theme": choices.page_theme, "caption": choices.caption}
    if row.is_folder and row.kind is Kind.PICTURE:
        chosen["pictures"] = choices.pictures
    if row.suffix in ARRAYS and choices.labels != "raw":
        chosen["labels"] = choices.labels
    return ExportOptions(**chosen)


def recordings_of(choices: Choices, subject: Subject, row: ExportFormat) -> tuple[Recording, ...]:
    """Return the runs that are exported: those compared if that is chosen and possible, or one.

    Parameters
    ----------
    choices : Choices
        What is chosen.
    subject : Subject
        What can be exported.
    row : ExportFormat
        The format.
    """
    if choices.beside and row.side_by_side and len(subject.lanes) > 1:
        return subject.lanes
    return (subject.recording,)


def steps_of(choices: Choices, subject: Subject) -> slice | None:
    """Return among which steps; None for all."""
    if choices.format.one_step:
        return slice(choices.step, choices.step + 1)
    if choices.span is Span.SECTION and subject.section is not None:
        return slice(subject.section.start, subject.section.end + 1)
    if choices.span is Span.CHOSEN:
        return slice(choices.start, choices.end + 1)
    return None


def layers_of(choices: Choices, subject: Subject) -> Layers:
    """Return the layers that are shown."""
    return choices.layers if choices.own_layers else subject.layers


def named(path: str, suffix: str) -> str:
    """Return a path with the suffix of another format; ``"/"`` stands for a folder.

    A suffix that is none of the formats' is part of the name, and stays.
    """
    bare = path.rstrip("/\\")
    place = Path(bare)
    if place.suffix.lower() in {".tiff", *(row.suffix for row in EXPORT_FORMATS)}:
        bare = bare.removesuffix(place.suffix)
    return bare + suffix


def figure_options(
    layers: Layers,
    pin: Cell | None,
    step: int,
    theme: str,
    *,
    follow: tuple[Cell, ...] = (),
    caption: bool = True,
) -> ExportOptions:
    """Return the options of a picture of one step, as the canvas shows it.

    Parameters
    ----------
    layers : Layers
        What the canvas shows.
    pin : tuple of int or None
        Column and row of a cell whose component is pinned.
    step : int
        Which step, from 0.
    theme : str
        ``"dark"`` or ``"light"``.
    follow : tuple of (int, int)
        Columns and rows of cells whose ways to their roots are pointed out.
    caption : bool
        Whether there is a caption under it.
    """
    looks = _layer_options(layers)
    steps = slice(step, step + 1)
    return ExportOptions(steps=steps, theme=theme, caption=caption, pin=pin, follow=follow, **looks)


def _layer_options(layers: Layers) -> dict[str, Any]:
    """Return layers as options have them, where numbers are switched off by a word of their own."""
    if layers.numbers == Numbers.NONE:
        return {"layers": replace(layers, numbers=Numbers.RAW), "numbers": "off"}
    return {"layers": layers}


def _scale(text: str) -> int | None:
    return None if text == "None" else max(1, int(text))


def _between(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        return min(max(read_number(text), least), most)

    return read


def _one_of(*words: str) -> Any:
    return lambda text: words[words.index(text)]


_REMEMBERED: Final[Mapping[str, Any]] = {
    "each": Each,
    "fps": _between(0.1, FASTEST),
    "hold": _between(0.0, 60.0),
    "scale": _scale,
    "own_layers": read_truth,
    "caption": read_truth,
    "theme": _one_of("dark", "light"),
    "page_theme": _one_of(AUTO, "dark", "light"),
    "beside": read_truth,
    "pictures": _one_of("png", "svg"),
    "labels": _one_of("raw", "component"),
}
