"""Options that several commands have."""

from __future__ import annotations

import argparse

from ccl_viewer.cli import argument_types
from ccl_viewer.storage.files import local_path

_INTO = ", or files of the same names in a folder that is not empty"


def add_images(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the images to read."""
    parser.add_argument(
        "image",
        metavar="IMAGE",
        nargs="+",
        type=local_path,
        help=f"{what}; several, or - for standard input",
    )


def add_format(parser: argparse.ArgumentParser, usual: str, formats: str) -> None:
    """Add the format of outputs without a name, and its default."""
    parser.add_argument(
        "--format",
        metavar="NAME",
        help=f"format in a folder and on standard output: {formats}"
        + (f" (default: {usual[1:]})" if usual else ""),
    )
    parser.set_defaults(standard_suffix=usual)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add ``--quiet``."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print neither progress nor results; only errors"
    )


def add_output(parser: argparse.ArgumentParser, metavar: str, text: str) -> None:
    """Add the required output, and ``--force``."""
    parser.add_argument("-o", "--output", metavar=metavar, required=True, help=text)
    add_force(parser)


def add_force(
    group: argparse.ArgumentParser | argparse._ArgumentGroup, *, folder: bool = False
) -> None:
    """Add ``--force``; for a `folder`, it also replaces files in it."""
    group.add_argument(
        "--force",
        action="store_true",
        help="write the output even if it replaces the input, or a Zarr array"
        + (_INTO if folder else ""),
    )


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading images."""
    group = parser.add_argument_group("reading images")
    group.add_argument(
        "--threshold",
        metavar="LEVEL",
        type=argument_types.threshold,
        default="otsu",
        help="value above which a pixel is foreground, on the file's own scale (0 to 255 in most "
        "pictures, to 65535 in those of 16 bits, any number in arrays), or otsu (the default)",
    )
    group.add_argument("--invert", action="store_true", help="dark pixels are foreground")
    group.add_argument(
        "--index",
        metavar="N",
        type=argument_types.plane_index,
        help="which picture of a file that holds several, from 0: a page, a frame, or an entry of "
        "an array's leading axes (one number for all axes, or one for each: T,Z)",
    )
    group.add_argument(
        "--channel",
        metavar="N",
        type=argument_types.channel_index,
        help="which channel, from 0 (default: brightness of red, green and blue)",
    )
    group.add_argument(
        "--large",
        action="store_true",
        help="read pictures of up to 16384 x 16384 pixels, which may take gigabytes of memory "
        "(without it, 8192 x 8192)",
    )


def add_multivalued(parser: argparse.ArgumentParser) -> None:
    """Add ``--multivalued``."""
    parser.add_argument(
        "--multivalued",
        action="store_true",
        help="cells of equal grey value or colour connect, black or 0 is background: no threshold",
    )


def add_image_run_options(
    parser: argparse.ArgumentParser, *, ledger: bool = False, consecutive: bool = False
) -> argparse._ArgumentGroup:
    """Add options for reading and running an image, except for the algorithm."""
    add_input_options(parser)
    add_multivalued(parser)
    group = add_run_options(parser)
    if ledger:
        add_ledger(group)
    if consecutive:
        add_consecutive(group)
    add_parameters(group)
    return group


def add_run_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options of a run, and return their group."""
    group = parser.add_argument_group("the run")
    group.add_argument(
        "-c",
        "--connectivity",
        type=int,
        choices=(4, 8),
        help="4 or 8 neighbours (default: the algorithm's; 4 if none is named)",
    )
    group.add_argument(
        "-d", "--device", choices=("auto", "cuda", "emulator"), default="auto", help="where to run"
    )
    group.add_argument(
        "-s",
        "--schedule",
        default="auto",
        help="thread order of the emulator: sequential, synchronous, reverse or random:SEED",
    )
    add_seconds(group)
    return group


def add_seconds(group: argparse._ActionsContainer) -> None:
    """Add the time limit of user code."""
    group.add_argument(
        "--seconds",
        metavar="N",
        type=argument_types.seconds,
        default=20.0,
        help="how long kernels of yours (copy:NAME, own:NAME) may run (default: 20)",
    )


def add_ledger(group: argparse._ArgumentGroup) -> None:
    """Add ``--ledger``."""
    group.add_argument(
        "--ledger",
        action="store_true",
        help="count the memory accesses of each launch, on the emulator",
    )


def add_consecutive(group: argparse._ArgumentGroup) -> None:
    """Add ``--consecutive``."""
    group.add_argument(
        "--consecutive",
        action="store_true",
        help="then number the components 1, 2, 3 and so on, in separate steps",
    )


def add_parameters(group: argparse._ArgumentGroup) -> None:
    """Add the parameters of an algorithm."""
    group.add_argument(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        type=argument_types.parameter,
        action="append",
        default=[],
        help="parameter of the algorithm; may be given several times",
    )


def add_algorithm_option(
    group: argparse._ArgumentGroup, default: str | None, otherwise: str = ""
) -> None:
    """Add the choice of one algorithm."""
    text = (
        "algorithm (ccl-viewer list algorithms), with parameters of its own as KEY:NAME=VALUE, or "
        "the folder of your own, as ./NAME: its code then runs"
    )
    group.add_argument(
        "-a",
        "--algorithm",
        metavar="KEY",
        default=default,
        action=ChooseAlgorithm,
        help="; ".join(filter(None, (text, otherwise))),
    )
    group.set_defaults(parameter=[])


def add_algorithms_option(
    group: argparse._ArgumentGroup, several: str, default: str = "label_equivalence"
) -> None:
    """Add the choice of several algorithms."""
    group.add_argument(
        "-a",
        "--algorithm",
        metavar="KEY",
        action="append",
        help="algorithm, or KEY:NAME=VALUE with parameters of its own, or the folder of your "
        f"own, as ./NAME: its code then runs; {several} (default: {default})",
    )


class ChooseAlgorithm(argparse.Action):
    """Stores the key of an algorithm, and its parameters with those of ``-p``."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        """Store them."""
        from ccl_viewer.algorithms import parse_algorithm

        namespace.algorithm, parameters = parse_algorithm(str(values))
        namespace.parameter = [*(namespace.parameter or ()), *parameters.items()]
