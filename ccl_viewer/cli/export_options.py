"""The arguments of ``ccl-viewer export``, as options of the export."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from ccl_viewer.render.layers import SWITCHES, CellColours, Layers

if TYPE_CHECKING:
    from ccl_viewer.export import ExportOptions

_MAX_SECONDS = 600
_NUMBERS = ("auto", "on", "off", "raw", "root", "component")


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of an export."""
    from ccl_viewer.export import EXPORT_FORMATS

    arrays = [row.name for row in EXPORT_FORMATS if row.is_labels]
    _add_choice_of_steps(parser.add_argument_group("which steps"))
    _add_looks(parser.add_argument_group("how they look"))
    group = parser.add_argument_group("in time")
    speed = group.add_mutually_exclusive_group()
    speed.add_argument("--fps", type=float, help="steps per second")
    speed.add_argument(
        "--pace",
        type=_seconds,
        metavar="SECONDS",
        help="seconds per step (default: 1.5 up to 30 steps; longer runs take about 30 in all)",
    )
    group.add_argument(
        "--hold", type=float, default=2.0, metavar="SECONDS", help="on the last step (default: 2)"
    )
    group.add_argument(
        "--sync",
        choices=("step", "iteration", "share", "time", "bytes"),
        default="step",
        help="how runs side by side are aligned; by time, each is as fast as its kernels were",
    )
    group = parser.add_argument_group("other formats")
    group.add_argument(
        "--pictures", choices=("png", "svg"), default="png", help="format of the files in FOLDER/"
    )
    group.add_argument(
        "--labels",
        choices=("raw", "component"),
        help=f"contents of {', '.join(arrays)} (default: raw, as the paper writes them); with "
        "this option a .png has 16-bit labels instead of a picture",
    )
    group.add_argument(
        "--table",
        choices=("steps", "components"),
        default="steps",
        help="rows of .csv and .json (default: steps)",
    )


def read_options(arguments: argparse.Namespace) -> ExportOptions:
    """Return the options in parsed arguments.

    Raises
    ------
    InputError
        If they are invalid.
    """
    from ccl_viewer.export import ExportOptions, Granularity, Sync

    numbers = arguments.numbers
    return ExportOptions(
        steps=arguments.steps,
        each=Granularity(arguments.each),
        fps=arguments.fps if arguments.pace is None else 1 / arguments.pace,
        hold=arguments.hold,
        scale=arguments.scale,
        layers=_layers(arguments),
        numbers=numbers if numbers in ("auto", "on", "off") else "auto",
        caption=not arguments.no_caption,
        theme=arguments.theme,
        pin=arguments.pin,
        follow=tuple(arguments.follow),
        sync=Sync(arguments.sync),
        pictures=arguments.pictures,
        labels=arguments.labels,
        table=arguments.table,
    )


def _layers(arguments: argparse.Namespace) -> Layers:
    from dataclasses import replace

    from ccl_viewer.export import FRAME_LAYERS

    switched: dict[str, Any] = dict.fromkeys(arguments.show, True)
    switched |= dict.fromkeys(arguments.hide, False)
    layers = replace(
        FRAME_LAYERS,
        colours=CellColours(arguments.colours),
        strength=arguments.strength,
        **switched,
    )
    if arguments.numbers in ("auto", "on", "off"):
        return layers
    return replace(layers, numbers=arguments.numbers)


def _add_choice_of_steps(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--steps",
        metavar="A:B[:C]",
        type=_steps,
        help="which steps, as a Python slice: counted from 0, without B (the window counts "
        "from 1); of the first run, if several are side by side",
    )
    group.add_argument(
        "--each",
        choices=("step", "iteration", "stage"),
        default="step",
        help="every step (the default), or the last of each iteration or level, or of each stage",
    )


def _add_looks(group: argparse._ArgumentGroup) -> None:
    _add_frame(group)
    _add_colours(group)
    _add_layers(group)


def _add_frame(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--scale", type=int, help="pixels per cell (default: to about 640 pixels)")
    group.add_argument(
        "--theme",
        choices=("auto", "dark", "light"),
        default="auto",
        help="auto (the default) is dark, but on a page follows the reader's system",
    )
    group.add_argument("--no-caption", action="store_true", help="leave out the caption strip")
    group.add_argument(
        "--numbers",
        type=_numbers,
        default="auto",
        metavar="WHAT",
        help="auto (where they are legible), on (enlarges cells), off; or their "
        "kind: raw, root, component, layer:NAME",
    )


def _add_colours(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--colours",
        choices=tuple(CellColours),
        default="tree",
        help="meaning of the colours",
    )
    group.add_argument(
        "--strength",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="strength of the colours over the input, 0.1 to 1 (the default)",
    )


def _add_layers(group: argparse._ArgumentGroup) -> None:
    on = [name for name in SWITCHES if Layers().shows(name)]
    group.add_argument(
        "--show",
        metavar="LAYERS",
        type=_switches,
        default=[],
        help=f"layers to add, separated by commas: {', '.join(SWITCHES)}",
    )
    group.add_argument(
        "--hide",
        metavar="LAYERS",
        type=_switches,
        default=[],
        help=f"layers to leave out of {', '.join(on)}; only dims all but --pin's component",
    )
    group.add_argument(
        "--pin", metavar="X,Y", type=_cell, help="outline the component of this cell, dim others"
    )
    group.add_argument(
        "--follow",
        metavar="X,Y",
        type=_cell,
        action="append",
        default=[],
        help="draw the path of this cell to its root as arrows; may be given several times",
    )


def _steps(text: str) -> slice:
    match = re.fullmatch(r"(-?\d+)?:(-?\d+)?(?::([1-9]\d*)?)?", text)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"steps are written A:B or A:B:C with C above 0, not {text!r}"
        )
    return slice(*(int(part) if part else None for part in match.groups()))


def _numbers(text: str) -> str:
    if text in _NUMBERS or re.fullmatch(r"layer:\w+", text):
        return text
    raise argparse.ArgumentTypeError(
        f"numbers are {', '.join(_NUMBERS)} or layer:NAME, not {text!r}"
    )


def _switches(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in SWITCHES:
            raise argparse.ArgumentTypeError(f"layers are {', '.join(SWITCHES)}, not {name!r}")
    return names


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0.1 <= share <= 1:
        raise argparse.ArgumentTypeError(f"a strength is a number from 0.1 to 1, not {text!r}")
    return share


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MAX_SECONDS:
        raise argparse.ArgumentTypeError(
            f"a step is shown for more than 0 and at most {_MAX_SECONDS} seconds, not {text!r}"
        )
    return seconds


def _cell(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+),(\d+)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"a cell is written COLUMN,ROW, not {text!r}")
    return int(match[1]), int(match[2])
