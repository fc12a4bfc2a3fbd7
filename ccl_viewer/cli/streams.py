"""Standard input and output instead of files, and folders for the outputs of several inputs."""

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

from ccl_viewer.cli.reporting import print_error, print_lines
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    DeviceUnavailableError,
    InputError,
    shorten,
)
from ccl_viewer.storage.temporaries import temporary_folder

STANDARD: Final = "-"
"""The name of standard input and output."""

_INPUTS: Final = ("image", "source", "grid")
_OUTPUTS: Final = ("output", "json", "gallery", "screenshot")
_MOST_BYTES: Final = 1 << 32
_PART: Final = 1 << 20
_TEXTS: Final = (".csv", ".json", ".svg", ".html")
_SUFFIXES: Final = {b"PK\3\4": ".cclrec", b"II*\0": ".tif", b"MM\0*": ".tif"}
"""First bytes of formats recognised by name: recordings, and streams."""


@contextmanager
def replace_standard_streams(arguments: argparse.Namespace) -> Iterator[None]:
    """Replace ``-`` among the arguments by files, while a command works with them.

    Standard input is first read into a file. At the end, the command's output goes to standard
    output; until then, what it prints goes to standard error.

    Parameters
    ----------
    arguments : argparse.Namespace
        Arguments of a command; changed.

    Raises
    ------
    InputError
        If a stream cannot be used this way.
    """
    options = vars(arguments)
    inputs = [name for name in _INPUTS if STANDARD in _as_list(options.get(name))]
    outputs = [name for name in _OUTPUTS if str(options.get(name)) == STANDARD]
    arguments.shown_output, arguments.given_inputs = options.get("output"), {}
    if not inputs and not outputs:
        yield
        return
    with temporary_folder() as folder, _given_names(arguments):
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


@contextmanager
def _given_names(arguments: argparse.Namespace) -> Iterator[None]:
    """Let errors name inputs as the user did, not the files that replace them."""
    try:
        yield
    except CCLViewerError as error:
        error.args = (_with_given_names(arguments, str(error)),)
        raise


def _with_given_names(arguments: argparse.Namespace, sentence: str) -> str:
    for path in arguments.given_inputs:
        sentence = sentence.replace(path, "standard input")
    return sentence


def for_each_image(
    arguments: argparse.Namespace, suffix: str, work: Callable[[argparse.Namespace], int]
) -> int:
    """Do a command's work for each of its images, with separate outputs.

    An image that fails is named, and the next ones follow.

    Parameters
    ----------
    arguments : argparse.Namespace
        With ``image``, a list, and ``output``.
    suffix : str
        Default format of outputs in a folder.
    work : callable
        Takes the arguments with one image and a file for its output; returns the exit code.

    Returns
    -------
    int
        The highest exit code.

    Raises
    ------
    InputError
        If several images have the same output.
    CCLViewerError
        The error of the only image, or one that ends everything.
    """
    from ccl_viewer.cli.runs import make_folder, read_algorithm

    images: list[str] = arguments.image
    output = arguments.output
    in_folder = output is not None and _is_folder(output)
    several = len(images) > 1
    if several and output is not None and not in_folder:
        raise InputError(
            "The outputs of several images go into a folder: give a name that ends in /, as in "
            "-o labels/."
        )
    read_algorithm(arguments)  # otherwise each image would be refused for the same reason
    outputs, created = [output] * len(images), False
    if in_folder:
        outputs = _files_in(Path(output), images, _format_suffix(arguments) or suffix)
        created = not Path(output).exists()
        make_folder(Path(output))
    else:
        check_no_format(arguments)
    code = 0
    try:
        for image, own_output in zip(images, outputs, strict=True):
            shown = own_output if in_folder else arguments.shown_output
            changed = {"image": image, "output": own_output, "shown_output": shown}
            try:
                code = max(code, work(argparse.Namespace(**vars(arguments) | changed)))
            except CCLViewerError as error:
                if not several or isinstance(error, CancelledError | DeviceUnavailableError):
                    raise
                print_error(_with_given_names(arguments, str(error)))
                code = max(code, error.exit_code)
    finally:
        if created:
            with suppress(OSError):  # the folder is not empty
                Path(output).rmdir()
    return code


def check_no_format(arguments: argparse.Namespace) -> None:
    """Refuse a format for a file, because its name chooses it.

    Raises
    ------
    InputError
        If a format is given.
    """
    if _format_suffix(arguments) and arguments.shown_output == arguments.output:
        raise InputError("A file's name chooses its format: leave out --format.")


def original_name(arguments: argparse.Namespace, image: str) -> str:
    """Return the name by which an image was given."""
    name: str = arguments.given_inputs.get(image, image)
    return name


def print_result(arguments: argparse.Namespace, sentence: str) -> None:
    """Print the result, unless only errors are requested."""
    if not arguments.quiet:
        print_lines(sentence)


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _format_suffix(arguments: argparse.Namespace) -> str:
    """Return the suffix of the chosen format, or nothing."""
    chosen = getattr(arguments, "format", None)
    return f".{chosen.lower().removeprefix('.')}" if chosen else ""


def _suffix(arguments: argparse.Namespace, name: str) -> str:
    """Return the suffix of the file for standard output."""
    if name == "json":
        return ".json"
    suffix = _format_suffix(arguments) or str(arguments.standard_suffix)
    if not suffix:
        raise InputError("Choose a format for standard output: --format gif, for example.")
    if suffix == ".zarr":
        raise InputError("A Zarr array is a folder: name one, as -o labels.zarr.")
    return suffix


def _take_input(arguments: argparse.Namespace, names: Sequence[str], folder: Path) -> None:
    """Replace standard input by a file with its contents."""
    path = str(_read_input(folder))
    arguments.given_inputs = {path: STANDARD}
    for name in names:
        before = getattr(arguments, name)
        files = [path if each == STANDARD else each for each in _as_list(before)]
        setattr(arguments, name, files if isinstance(before, list) else path)


def _begin_output(arguments: argparse.Namespace, names: Sequence[str], folder: Path) -> Path:
    """Replace standard output by a file."""
    if any(name != "json" and not _can_stream(arguments, name) for name in names):
        raise InputError("This is not written to standard output: name a file or folder.")
    if len(names) > 1 or vars(arguments).get("json") is True:
        raise InputError("Standard output takes one output: name a file for the other.")
    path = folder / f"standard-output{_suffix(arguments, names[0])}"
    if sys.stdout is None:
        raise InputError("Standard output is closed: name a file.")
    if path.suffix not in _TEXTS and sys.stdout.isatty():
        raise InputError(
            f"{path.suffix} cannot be shown in a terminal: redirect it with > FILE or |."
        )
    setattr(arguments, names[0], str(path))
    arguments.shown_output = "standard output"
    return path


def _can_stream(arguments: argparse.Namespace, name: str) -> bool:
    return name == "output" and hasattr(arguments, "standard_suffix")


def _read_input(folder: Path) -> Path:
    """Save standard input in a file."""
    if sys.stdin is None or sys.stdin.isatty():
        raise _nothing_to_read()
    path, size = folder / "standard-input", 0
    with path.open("wb") as file:
        while part := sys.stdin.buffer.read(_PART):
            size += file.write(part)
            if size > _MOST_BYTES:
                raise InputError("Standard input has more than 4 GiB: name a file instead.")
    if not size:
        raise _nothing_to_read()
    with path.open("rb") as file:
        suffix = _SUFFIXES.get(file.read(4))
    return path if suffix is None else path.rename(path.with_suffix(suffix))


def _nothing_to_read() -> InputError:
    return InputError("Standard input is empty: name a file, or redirect one with < FILE.")


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
                f"{shorten(names[name])} and {shorten(image)} would both be written to "
                f"{shorten(folder / name)}: process them separately."
            )
        names[name] = image
    return [str(folder / name) for name in names]
