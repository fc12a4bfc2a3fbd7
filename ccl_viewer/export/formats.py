"""The table of export formats."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.export.apng import write_apng
from ccl_viewer.export.arrays import write_zarr
from ccl_viewer.export.gif import write_gif
from ccl_viewer.export.job import SHORTEST_FRAME, ExportJob, Writer
from ccl_viewer.export.labels import NPY, PNG, TIFF, LabelFormat, Labels, label_writer
from ccl_viewer.export.options import MAX_RECORDINGS, ExportOptions
from ccl_viewer.export.page_export import write_page
from ccl_viewer.export.pictures import write_folder, write_png
from ccl_viewer.export.svg import write_svg
from ccl_viewer.export.tables import write_csv, write_json
from ccl_viewer.export.video import PROGRAM, video_program, write_mp4
from ccl_viewer.export.webp import write_webp
from ccl_viewer.storage.files import replacing

FOLDER: Final = "/"
_MODULES: Final = {"video": "av", "zarr": "zarr"}
"""Extras and the packages they install."""


class FormatKind(StrEnum):
    """The kind of an export."""

    ANIMATION = "animation"
    PICTURE = "picture"
    PAGE = "page"
    DATA = "data"
    RECORDING = "recording"


_STEPS: Final = frozenset({"steps", "each"})
_CELLS: Final = _STEPS | {"layers", "numbers", "pin", "follow", "theme", "caption"}
_FRAMES: Final = _CELLS | {"scale", "sync"}
_LABELS: Final = frozenset({"labels"})
_TABLE: Final = frozenset({"table"})
_USED: Final[Mapping[FormatKind, frozenset[str]]] = {
    FormatKind.ANIMATION: _FRAMES | {"fps", "hold"},
    FormatKind.PICTURE: _FRAMES,
    FormatKind.PAGE: _CELLS | {"sync"},
    FormatKind.DATA: _STEPS,
    FormatKind.RECORDING: frozenset(),
}
_ONE_EACH: Final = (
    ": export each run to a file of its own, or all of them side by side as an animation or a page"
)


@dataclass(frozen=True)
class ExportFormat:
    """A row of the table: a new format needs only this and a writer.

    Parameters
    ----------
    suffix : str
        Suffix in lower case; ``"/"`` for a folder.
    title : str
        Description for users.
    write : callable
        Called with a job and a path; writes the file and returns its number of steps, or of
        components in their table.
    kind : FormatKind
        The kind of export.
    aliases : tuple of str
        Alternative suffixes.
    shortest : int
        Milliseconds of the shortest possible frame of an animation.
    is_folder : bool
        Whether it is a folder of files.
    one_step : bool
        Whether it holds only the last of the chosen steps.
    extra : str
        Extra of the package that it needs; empty if none.
    own : frozenset of str
        Names of the options that it uses, besides those of all formats of its kind.
    label_file : LabelFormat or None
        How it holds the labels of one picture.
    """

    suffix: str
    title: str
    write: Writer
    kind: FormatKind = FormatKind.ANIMATION
    aliases: tuple[str, ...] = ()
    shortest: int = 10
    is_folder: bool = False
    one_step: bool = False
    extra: str = ""
    own: frozenset[str] = frozenset()
    label_file: LabelFormat | None = None

    @property
    def name(self) -> str:
        """The suffix as in help texts."""
        return "FOLDER/" if self.suffix == FOLDER else self.suffix

    @property
    def is_whole_run(self) -> bool:
        """Whether it always holds the whole run."""
        return self.kind is FormatKind.RECORDING

    @property
    def is_drawn(self) -> bool:
        """Whether it shows pictures of the grid."""
        return self.side_by_side

    @property
    def is_labels(self) -> bool:
        """Whether it always holds labels as numbers."""
        return self.kind is FormatKind.DATA and "labels" in self.own

    @property
    def side_by_side(self) -> bool:
        """Whether it can show several runs."""
        return self.kind not in {FormatKind.DATA, FormatKind.RECORDING}

    @property
    def has_pixel_size(self) -> bool:
        """Whether it holds pictures with a size in pixels."""
        return self.kind in {FormatKind.ANIMATION, FormatKind.PICTURE}

    @property
    def is_animated(self) -> bool:
        """Whether its frames are shown one after another."""
        return self.kind is FormatKind.ANIMATION

    def used_options(self, options: ExportOptions) -> frozenset[str]:
        """Return the names of the options that make a difference."""
        if options.table == "components" and "table" in self.own:
            return self.own
        labels = self.kind is FormatKind.PICTURE and options.labels is not None
        return _USED[FormatKind.DATA if labels else self.kind] | self.own

    def check(self, runs: int, options: ExportOptions) -> None:
        """Refuse a number of runs, or options, that it cannot use.

        Raises
        ------
        InputError
            If there are no runs or too many, too many steps per second, or options that make no
            difference.
        """
        self._check_options(options)
        most = MAX_RECORDINGS if self.side_by_side else 1
        if not 1 <= runs <= most:
            fit = f"1 to {most} runs" if self.side_by_side else "one run"
            advice = "" if self.side_by_side else _ONE_EACH
            raise InputError(f"An export as {self._spoken} holds {fit}, not {runs}{advice}.")
        if self.is_animated and options.fps is not None and options.fps > 1000 / self.shortest:
            raise InputError(
                f"An export as {self.suffix} shows more than 0 and at most {1000 // self.shortest} "
                f"steps per second, not {options.fps:g}."
            )

    def _check_options(self, options: ExportOptions) -> None:
        used = self.used_options(options)
        idle = [
            field.name
            for field in fields(options)
            if field.name not in used and getattr(options, field.name) != field.default
        ]
        if idle:
            pronoun = "it" if len(idle) == 1 else "them"
            raise InputError(
                f"An export as {self._spoken} does not use {_join_names(idle)}: leave {pronoun} "
                "out, or choose another format."
            )
        if self.kind is FormatKind.PAGE and options.numbers == "on":
            raise InputError(
                "A page makes cells as large as its window lets it: leave numbers on out, and zoom "
                "in to read them."
            )

    @property
    def _spoken(self) -> str:
        return "a folder of pictures" if self.suffix == FOLDER else self.suffix


def _join_names(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def missing_requirement(row: ExportFormat) -> str:
    """Return what must be installed before a format can be written; empty if nothing."""
    module = _MODULES.get(row.extra)
    if module is None or find_spec(module) is not None:
        return ""
    install = f"pip install 'ccl-viewer[{row.extra}]'"
    if row.write is not write_mp4:
        return install
    return "" if video_program() else f"{install}, or {PROGRAM} on the PATH"


def write_recording(job: ExportJob, path: Path) -> int:
    """Write the whole recording, regardless of the chosen steps.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    try:
        job.first_recording.save(path)
    except InputError as error:
        # The error names a temporary file that the user does not know.
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise
    return len(job.first_recording)


EXPORT_FORMATS: Final = (
    ExportFormat(".gif", "animation (GIF)", write_gif, shortest=SHORTEST_FRAME),
    ExportFormat(".apng", "animation (APNG)", write_apng),
    ExportFormat(".webp", "animation (WebP, no loss)", write_webp),
    ExportFormat(".mp4", "video (MP4, H.264)", write_mp4, extra="video"),
    ExportFormat(
        ".png",
        "picture, or 16-bit labels, of a step (PNG)",
        write_png,
        FormatKind.PICTURE,
        one_step=True,
        own=_LABELS,
        label_file=PNG,
    ),
    ExportFormat(".svg", "vectors of a step (SVG)", write_svg, FormatKind.PICTURE, one_step=True),
    ExportFormat(
        FOLDER,
        "folder of numbered pictures (PNG or SVG)",
        write_folder,
        FormatKind.PICTURE,
        is_folder=True,
        own=frozenset({"pictures"}),
    ),
    ExportFormat(".html", "page that plays in a browser (HTML)", write_page, FormatKind.PAGE),
    ExportFormat(
        ".npy",
        "labels of a step (NumPy)",
        label_writer(NPY),
        FormatKind.DATA,
        one_step=True,
        own=_LABELS,
        label_file=NPY,
    ),
    ExportFormat(
        ".tif",
        "labels of a step (TIFF, 32 bits)",
        label_writer(TIFF),
        FormatKind.DATA,
        (".tiff",),
        one_step=True,
        own=_LABELS,
        label_file=TIFF,
    ),
    ExportFormat(
        ".zarr",
        "labels of all steps (Zarr array)",
        write_zarr,
        FormatKind.DATA,
        is_folder=True,
        extra="zarr",
        own=_LABELS,
    ),
    ExportFormat(
        ".csv", "table of the steps or components (CSV)", write_csv, FormatKind.DATA, own=_TABLE
    ),
    ExportFormat(
        ".json",
        "table of the steps or components, and what was run (JSON)",
        write_json,
        FormatKind.DATA,
        own=_TABLE,
    ),
    ExportFormat(".cclrec", "recording, to open again", write_recording, FormatKind.RECORDING),
)

_BY_SUFFIX: Final = {suffix: row for row in EXPORT_FORMATS for suffix in (row.suffix, *row.aliases)}


def format_names(*kinds: FormatKind) -> str:
    """Return the suffixes of some kinds as a list, for help texts."""
    return ", ".join(row.name for row in EXPORT_FORMATS if row.kind in kinds)


def export_format(path: str | Path) -> ExportFormat:
    """Return the format of a name.

    Parameters
    ----------
    path : str or Path
        File name. One that ends with ``/``, has no suffix, or is an existing folder means a folder.

    Raises
    ------
    InputError
        If its suffix is unknown, or the name is only a suffix.
    """
    text = str(path)
    target = Path(path)
    suffix = target.suffix.lower()
    slash = text.endswith(("/", "\\"))
    # Path.is_dir raises for names that the system cannot look up; this returns False.
    is_folder = slash or os.path.isdir(target)  # noqa: PTH112  (see above)
    row = _BY_SUFFIX.get(suffix)
    if row is not None and (row.is_folder or not is_folder):
        return row
    if not is_folder and target.name.lower() in _BY_SUFFIX:
        raise InputError(f"{shorten(target.name)} is only a suffix: put a name before it.")
    if is_folder or not suffix:
        return _BY_SUFFIX[FOLDER]
    suffixes = ", ".join(row.suffix for row in EXPORT_FORMATS if row.suffix != FOLDER)
    raise InputError(
        f"Recordings are exported as {suffixes} or as a folder (a name that ends with /), not as "
        f"{shorten(target.name)}: choose a name like that."
    )


def with_suffix(path: str, row: ExportFormat) -> str:
    """Return a path with the suffix of a format.

    Any other suffix is part of the name, and stays.
    """
    bare = path.rstrip("/\\")
    suffix = Path(bare).suffix
    if suffix.lower() in _BY_SUFFIX:
        bare = bare.removesuffix(suffix)
    return bare + row.suffix


def find_label_format(path: Path) -> LabelFormat:
    """Return how a file of this name holds the labels of one picture.

    Raises
    ------
    InputError
        If its suffix is unknown.
    """
    row = _BY_SUFFIX.get(path.suffix.lower())
    if row is None or row.label_file is None:
        suffixes = (suffix for suffix, row in _BY_SUFFIX.items() if row.label_file)
        raise InputError(
            f"Labels are saved as {', '.join(suffixes)}, not as {shorten(path.name)}: name it so."
        )
    return row.label_file


def save_labels(path: Path, labels: Labels, count: int) -> None:
    """Save labels; a failure leaves no partial file.

    Parameters
    ----------
    path : Path
        Destination; the suffix chooses the format.
    labels : ndarray of int32, shape (height, width)
        0 for background, 1 to `count`.
    count : int
        Number of components.

    Raises
    ------
    InputError
        If the suffix is unknown, the file cannot number this many components, or it cannot be
        written.
    """
    file = find_label_format(path)
    if file.largest is not None and count > file.largest:
        raise InputError(
            f"{count} components do not fit the {file.largest.bit_length()} bits of a "
            f"{path.suffix[1:].upper()}: save them as .npy or .tif."
        )
    with replacing(path) as beside:
        file.save(beside, labels)
