"""Standard input and output in place of files, and folders for the outputs of several inputs."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Final

from ccl_viewer.cli import complain
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    DeviceUnavailableError,
    InputError,
    cut,
)
from ccl_viewer.storage.temporaries import temporary_folder

STANDARD: Final = "-"
"""What names standard input or output."""

_INPUTS: Final = ("image", "source", "grid")
_OUTPUTS: Final = ("output", "json", "gallery", "screenshot")
_MOST_BYTES: Final = 1 << 32
_PART: Final = 1 << 20
_TEXTS: Final = (".csv", ".json", ".svg", ".html")
_SUFFIXES: Final = {b"PK\3\4": ".cclrec", b"II*\0": ".tif", b"MM\0*": ".tif"}
"""How files begin that are told by their names: recordings, and what is streamed."""


@contextmanager
def standard_streams(arguments: argparse.Namespace) -> Iterator[None]:
    """Put files in the place of ``-`` among the arguments, while a command works with them.

    Standard input is read into a file before. What the command writes goes to standard output at
    the end, and what it prints to standard error meanwhile.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of a command; is changed.

    Raises
    ------
    InputError
        If a stream cannot be used so.
    """
    asked = vars(arguments)
    inputs = [name for name in _INPUTS if STANDARD in _listed(asked.get(name))]
    outputs = [name for name in _OUTPUTS if str(asked.get(name)) == STANDARD]
    arguments.shown_output, arguments.given_inputs = asked.get("output"), {}
    if not inputs and not outputs:
        yield
        return
    with temporary_folder() as folder:
        if inputs:
            _take_input(arguments, inputs, Path(folder))
        if not outputs:
            yield
            return
        path = _begin_output(arguments, outputs, Path(folder))
        with redirect_stdout(sys.stderr):
            yield
        if path.exists():
            _send(path)


def for_each_image(
    arguments: argparse.Namespace, suffix: str, work: Callable[[argparse.Namespace], int]
) -> int:
    """Do a command's work for each of its images, each with an output of its own.

    An image that cannot be worked on is named, and those after it follow.

    Parameters
    ----------
    arguments : argparse.Namespace
        With ``image``, a list, and ``output``.
    suffix : str
        Of outputs in a folder, if no format is chosen.
    work : callable
        Is given the arguments with one image and a file for its output; returns the exit code.

    Returns
    -------
    int
        The highest exit code.

    Raises
    ------
    InputError
        If several images would have one output.
    CCLViewerError
        What goes wrong with the only image, or ends the whole.
    """
    from ccl_viewer.cli.runs import chosen_algorithm, make_folder

    images: list[str] = arguments.image
    output = arguments.output
    in_folder = output is not None and _is_folder(output)
    several = len(images) > 1
    if several and output is not None and not in_folder:
        raise InputError(
            "The outputs of several images go into a folder: let its name end in /, as in "
            "-o labels/."
        )
    chosen_algorithm(arguments)  # or each image would be refused for the same reason
    outputs, made = [output] * len(images), False
    if in_folder:
        outputs = _files_in(Path(output), images, _format_suffix(arguments) or suffix)
        made = not Path(output).exists()
        make_folder(Path(output))
    else:
        check_format(arguments)
    code = 0
    try:
        for image, own in zip(images, outputs, strict=True):
            shown = own if in_folder else arguments.shown_output
            changed = {"image": image, "output": own, "shown_output": shown}
            try:
                code = max(code, work(argparse.Namespace(**vars(arguments) | changed)))
            except CCLViewerError as error:
                if not several or isinstance(error, CancelledError | DeviceUnavailableError):
                    raise
                complain(str(error))
                code = max(code, error.exit_code)
    finally:
        if made:
            with suppress(OSError):  # there is something in it
                Path(output).rmdir()
    return code


def check_format(arguments: argparse.Namespace) -> None:
    """Refuse a format for a file, whose name says it.

    Raises
    ------
    InputError
        If there is one.
    """
    if _format_suffix(arguments) and arguments.shown_output == arguments.output:
        raise InputError("A file's name says its format: leave out --format.")


def given_name(arguments: argparse.Namespace, image: str) -> str:
    """Return the name by which an image was given."""
    name: str = arguments.given_inputs.get(image, image)
    return name


def say(arguments: argparse.Namespace, sentence: str) -> None:
    """Print how it went, unless only errors are to be heard."""
    if not arguments.quiet:
        print(sentence)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _format_suffix(arguments: argparse.Namespace) -> str:
    """Return the suffix of the format that is chosen, or nothing."""
    chosen = getattr(arguments, "format", None)
    return f".{chosen.lower().removeprefix('.')}" if chosen else ""


def _suffix(arguments: argparse.Namespace, name: str) -> str:
    """Return the suffix of what goes to standard output."""
    if name == "json":
        return ".json"
    suffix = _format_suffix(arguments) or str(arguments.standard_suffix)
    if not suffix:
        raise InputError("Say what to write to standard output: --format gif, for example.")
    if suffix == ".zarr":
        raise InputError("A Zarr array is a folder: name one, as -o labels.zarr.")
    return suffix


def _take_input(arguments: argparse.Namespace, names: Sequence[str], folder: Path) -> None:
    """Put a file with what comes from standard input in its place."""
    path = str(_read_input(folder))
    arguments.given_inputs = {path: STANDARD}
    for name in names:
        before = getattr(arguments, name)
        files = [path if each == STANDARD else each for each in _listed(before)]
        setattr(arguments, name, files if isinstance(before, list) else path)


def _begin_output(arguments: argparse.Namespace, names: Sequence[str], folder: Path) -> Path:
    """Put a file in the place of standard output."""
    if any(name != "json" and not _can_stream(arguments, name) for name in names):
        raise InputError("This is not written to standard output: name a file or folder.")
    if len(names) > 1 or vars(arguments).get("json") is True:
        raise InputError("Standard output takes one output: name a file for the other.")
    path = folder / f"standard-output{_suffix(arguments, names[0])}"
    if sys.stdout is None:
        raise InputError("Standard output is closed: name a file.")
    if path.suffix not in _TEXTS and sys.stdout.isatty():
        raise InputError(f"{path.suffix} is no text for a terminal: send it on by > FILE or |.")
    setattr(arguments, names[0], str(path))
    arguments.shown_output = "standard output"
    return path


def _can_stream(arguments: argparse.Namespace, name: str) -> bool:
    return name == "output" and hasattr(arguments, "standard_suffix")


def _read_input(folder: Path) -> Path:
    """Keep what comes from standard input in a file."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("Nothing comes from standard input: name a file, or send one by < FILE.")
    path, size = folder / "standard-input", 0
    with path.open("wb") as file:
        while part := sys.stdin.buffer.read(_PART):
            size += file.write(part)
            if size > _MOST_BYTES:
                raise InputError("More than 4 GiB come from standard input: name a file instead.")
    with path.open("rb") as file:
        suffix = _SUFFIXES.get(file.read(4))
    return path if suffix is None else path.rename(path.with_suffix(suffix))


def _send(path: Path) -> None:
    """Write a file to standard output."""
    sys.stdout.flush()
    with path.open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _is_folder(output: str) -> bool:
    path = Path(output)
    return output.endswith(("/", "\\")) or (not path.suffix and os.path.isdir(path))  # noqa: PTH112


def _files_in(folder: Path, images: Sequence[str], suffix: str) -> list[str]:
    """Return a file in a folder for each image."""
    names: dict[str, str] = {}
    for image in images:
        bare = image.removeprefix("pattern:")
        stem = Path(image).stem if bare == image else re.sub(r"[^\w.=+-]+", "-", bare)
        name = f"{stem}{suffix}"
        if name in names:
            raise InputError(
                f"{cut(names[name])} and {cut(image)} would both be written to "
                f"{cut(folder / name)}: work on them one after the other."
            )
        names[name] = image
    return [str(folder / name) for name in names]
