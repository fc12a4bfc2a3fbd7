"""The table of what recordings can be exported as."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError, cut
from ccl_viewer.export.apng import write_apng
from ccl_viewer.export.arrays import write_zarr
from ccl_viewer.export.gif import FASTEST, write_gif
from ccl_viewer.export.job import ExportJob, Writer
from ccl_viewer.export.labels import write_labels
from ccl_viewer.export.options import MOST_RECORDINGS, ExportOptions
from ccl_viewer.export.page_export import write_page
from ccl_viewer.export.pictures import write_folder, write_png
from ccl_viewer.export.svg import write_svg
from ccl_viewer.export.tables import write_csv, write_json
from ccl_viewer.export.video import write_mp4
from ccl_viewer.export.webp import write_webp

FOLDER: Final = "/"
_ALIASES: Final = {".tiff": ".tif"}
_MODULES: Final = {"video": "av", "zarr": "zarr"}
"""What the extras bring."""


class Kind(StrEnum):
    """What sort of thing an export is."""

    ANIMATION = "animation"
    PICTURE = "picture"
    PAGE = "page"
    DATA = "data"


_STEPS: Final = frozenset({"steps", "each"})
_CELLS: Final = _STEPS | {"layers", "numbers", "pin", "follow", "theme", "caption"}
_FRAMES: Final = _CELLS | {"scale", "sync"}
_LABELS: Final = frozenset({"labels"})
_USED: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.ANIMATION: _FRAMES | {"fps", "hold"},
    Kind.PICTURE: _FRAMES,
    Kind.PAGE: _CELLS | {"sync"},
    Kind.DATA: _STEPS,
}
_ONE_EACH: Final = (
    ": export each run to a file of its own, or all of them side by side as an animation or a page"
)


@dataclass(frozen=True)
class ExportFormat:
    """One row of the table.

    Parameters
    ----------
    suffix : str
        End of the name, in lower case; ``"/"`` for a folder.
    title : str
        What it is, for people.
    write : callable
        Is given a job and a path; writes it, and returns how many steps are in it.
    kind : Kind
        What sort of thing it is.
    shortest : int
        Milliseconds of the shortest frame that an animation can show.
    is_folder : bool
        Whether it is a folder of files.
    one_step : bool
        Whether it holds only the last of the chosen steps.
    extra : str
        Extra of the package that has what it needs; empty if nothing is needed.
    own : frozenset of str
        Names of the options that it has a use for, besides those that all of its kind have.
    whole : bool
        Whether it holds all of a run, whatever is chosen.
    """

    suffix: str
    title: str
    write: Writer
    kind: Kind = Kind.ANIMATION
    shortest: int = 10
    is_folder: bool = False
    one_step: bool = False
    extra: str = ""
    own: frozenset[str] = frozenset()
    whole: bool = False

    @property
    def side_by_side(self) -> bool:
        """Whether it can show several runs."""
        return self.kind is not Kind.DATA

    @property
    def is_framed(self) -> bool:
        """Whether it holds pictures, of a size in pixels."""
        return self.kind in {Kind.ANIMATION, Kind.PICTURE}

    @property
    def is_animated(self) -> bool:
        """Whether its frames are shown one after the other."""
        return self.kind is Kind.ANIMATION

    def uses(self, options: ExportOptions) -> frozenset[str]:
        """Return the names of the options that make a difference."""
        if self.whole:
            return frozenset()
        labels = self.kind is Kind.PICTURE and options.labels is not None
        return _USED[Kind.DATA if labels else self.kind] | self.own

    def check(self, runs: int, options: ExportOptions) -> None:
        """Refuse so many runs, or options, that it cannot show.

        Raises
        ------
        InputError
            If there are too many runs, or none, too many steps a second, or options that would
            make no difference.
        """
        self._check_options(options)
        most = MOST_RECORDINGS if self.side_by_side else 1
        if not 1 <= runs <= most:
            fit = f"1 to {most} runs" if self.side_by_side else "one run"
            advice = "" if self.side_by_side else _ONE_EACH
            raise InputError(f"An export as {self._spoken} holds {fit}, not {runs}{advice}.")
        if self.is_animated and options.fps > 1000 / self.shortest:
            raise InputError(
                f"An export as {self.suffix} shows more than 0 and at most {1000 // self.shortest} "
                f"steps a second, not {options.fps:g}."
            )

    def _check_options(self, options: ExportOptions) -> None:
        used = self.uses(options)
        idle = [
            field.name
            for field in fields(options)
            if field.name not in used and getattr(options, field.name) != field.default
        ]
        if idle:
            them = "it" if len(idle) == 1 else "them"
            raise InputError(
                f"An export as {self._spoken} has no use for {_listed(idle)}: leave {them} out, or "
                "choose another format."
            )
        if self.kind is Kind.PAGE and options.numbers == "on":
            raise InputError(
                "A page makes cells as large as its window lets it: leave numbers on out, and zoom "
                "in to read them."
            )

    @property
    def _spoken(self) -> str:
        return "a folder of pictures" if self.suffix == FOLDER else self.suffix


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def lacking(row: ExportFormat) -> str:
    """Return what has to be installed before a format can be written; empty if nothing is."""
    module = _MODULES.get(row.extra)
    if module is None or find_spec(module) is not None:
        return ""
    return f"pip install 'ccl-viewer[{row.extra}]'"


def write_recording(job: ExportJob, path: Path) -> int:
    """Write the whole recording, whatever steps are chosen.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    try:
        job.recording.save(path)
    except InputError as error:
        # It speaks of the file beside, which nobody has heard of.
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise
    return len(job.recording)


EXPORT_FORMATS: Final = (
    ExportFormat(".gif", "animation (GIF)", write_gif, shortest=FASTEST),
    ExportFormat(".apng", "animation (APNG)", write_apng),
    ExportFormat(".webp", "animation (WebP, no loss)", write_webp),
    ExportFormat(".mp4", "video (MP4, H.264)", write_mp4, extra="video"),
    ExportFormat(
        FOLDER,
        "folder of numbered pictures (PNG)",
        write_folder,
        Kind.PICTURE,
        is_folder=True,
        own=frozenset({"pictures"}),
    ),
    ExportFormat(".svg", "vectors of a step (SVG)", write_svg, Kind.PICTURE, one_step=True),
    ExportFormat(
        ".png",
        "picture, or 16-bit labels, of a step (PNG)",
        write_png,
        Kind.PICTURE,
        one_step=True,
        own=_LABELS,
    ),
    ExportFormat(".html", "page that plays in a browser (HTML)", write_page, Kind.PAGE),
    ExportFormat(
        ".npy", "labels of a step (NumPy)", write_labels, Kind.DATA, one_step=True, own=_LABELS
    ),
    ExportFormat(
        ".tif",
        "labels of a step (TIFF, 32 bits)",
        write_labels,
        Kind.DATA,
        one_step=True,
        own=_LABELS,
    ),
    ExportFormat(
        ".zarr",
        "labels of all steps (Zarr array)",
        write_zarr,
        Kind.DATA,
        is_folder=True,
        extra="zarr",
        own=_LABELS,
    ),
    ExportFormat(".csv", "table of the steps (CSV)", write_csv, Kind.DATA),
    ExportFormat(".json", "table of the steps, and what was run (JSON)", write_json, Kind.DATA),
    ExportFormat(
        ".cclrec", "recording, to be opened again", write_recording, Kind.DATA, whole=True
    ),
)


def export_format(path: str | Path) -> ExportFormat:
    """Return the format that a name asks for.

    Parameters
    ----------
    path : str or Path
        A name that ends with ``/``, has no suffix, or is that of a folder, asks for a folder.

    Raises
    ------
    InputError
        If its suffix is none of those known, or all there is of a name.
    """
    text = str(path)
    place = Path(path)
    suffix = _ALIASES.get(place.suffix.lower(), place.suffix.lower())
    slash = text.endswith(("/", "\\"))
    # Unlike Path.is_dir, which raises, this says no of names that the system cannot look at.
    is_folder = slash or os.path.isdir(place)  # noqa: PTH112  (see above)
    for row in EXPORT_FORMATS:
        if row.suffix == suffix and (row.is_folder or not is_folder):
            return row
    if not is_folder and any(row.suffix == place.name.lower() for row in EXPORT_FORMATS):
        raise InputError(f"{cut(place.name)} is no name but a suffix: put a name before it.")
    if is_folder or not suffix:
        return next(row for row in EXPORT_FORMATS if row.suffix == FOLDER)
    suffixes = ", ".join(row.suffix for row in EXPORT_FORMATS if row.suffix != FOLDER)
    raise InputError(
        f"Recordings are exported as {suffixes} or as a folder (a name that ends with /), not as "
        f"{cut(place.name)}: choose a name like that."
    )
