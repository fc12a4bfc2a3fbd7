"""The arguments of the command line, without the commands themselves."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from ccl_viewer import __version__, errors
from ccl_viewer.cli import argument_types
from ccl_viewer.cli.options import (
    ChooseAlgorithm,
    add_algorithm_option,
    add_algorithms_option,
    add_consecutive,
    add_force,
    add_format,
    add_image_run_options,
    add_images,
    add_input_options,
    add_multivalued,
    add_output,
    add_parameters,
    add_quiet,
    add_run_options,
    add_seconds,
)
from ccl_viewer.cli.reporting import defer_interrupts
from ccl_viewer.storage.files import local_path
from ccl_viewer.support.spelling import find_nearest

_WINDOW_HELP = """\
Watch GPUs label connected components. Without a command, ccl-viewer opens its window.

SOURCE and IMAGE are an image (PNG, JPEG, TIFF, BMP, PBM, PGM, GIF, WebP), an array (.npy), text
art of . and #, Golly's RLE, or a pattern such as 'pattern:spiral?size=255'. SOURCE may also be a
recording (.cclrec).
"""

_COMMANDS_HELP = """\
commands (ccl-viewer COMMAND --help says more):
  label IMAGE -o OUT            label the components of an image
  components IMAGE -o TABLE     list the components: area, box, moments, perimeter
  record IMAGE -o RUN.cclrec    run an algorithm and keep every step
  profile IMAGE -a KEY ...      count what kernels do to memory
  new NAME                      write a folder for your own algorithm
  forget NAME                   stop allowing your own algorithm to run
  check KEY                     try to break an algorithm: races, faults, wrong labels
  phases SOURCE -a KEY ...      look inside one launch: barriers, ballots, rounds
  bench PRESET                  measure a table of a paper, or algorithms on your grids
  export SOURCE -o OUT          write an animation, a page, pictures or data
  lesson NAME                   teach with a lesson, or check the file of a new one
  exercise NAME                 hand out a kernel with gaps, and judge the answer
  grade FOLDER --exercise NAME  judge the answers of a class
  list WHAT                     list algorithms, your own, patterns, devices, formats or lessons
  doctor                        say what works on this machine, and how to fix the rest
  completion SHELL              print a script for bash, zsh or fish that completes what you type
  help COMMAND                  say more, as COMMAND --help does
"""

_EXPORT_HELP = """\
Write the steps of a run. The name of OUT chooses the format:

{formats}

A page follows the dark or light theme of the reader's system. Formats with a single step have the
last of those chosen. Animations, pictures and pages show several runs of one grid side by side.

  ccl-viewer export run.cclrec -o run.gif --each iteration
  ccl-viewer export 'pattern:spiral?size=31' -o race.mp4 -a label_equivalence -a ha4 --sync time
  ccl-viewer export photo.png -o both.html -a ha4 -a label_equivalence
  ccl-viewer export photo.png -o step.svg --steps 3:4 --show arrows,contours
"""

_BENCH_HELP = """\
Measure algorithms: times on a GPU, counts of accesses and iterations on the emulator.

  ccl-viewer bench --list
  ccl-viewer bench kalentev-2 -o results
  ccl-viewer bench hennequin-5 --reduced -d emulator
  ccl-viewer bench -a ha4 -a label_equivalence:threads=64 'pattern:spiral?size=255' photo.png
  ccl-viewer bench -a ./mine -a copy:my_ha4 -a ha4 photo.png
  ccl-viewer bench -a ha4 'pattern:noise?density='{0.2,0.4,0.6,0.8}'&width=512&height=512' -o out

A preset has the algorithms, grids and connectivity of a paper's table or figure. A folder as
WORKLOAD means the pictures in it, or those listed in its files.txt, as in YACCLAB's folders;
subfolders with results are skipped. Unreadable pictures are skipped and named at the end, with exit
code 2. Grids of one pattern that differ in one number become curves. Ctrl+C keeps the results so
far. Milliseconds of the emulator mean nothing and are not taken.
"""

_FOLDER_HELP = "FOLDER/ for a file for each image, - for standard output"


def command_names() -> tuple[str, ...]:
    """Return the names of the commands, in the order in which ``--help`` lists them."""
    return tuple(_COMMANDS)


def make_command_parser(command: str) -> argparse.ArgumentParser:
    """Return the parser of a command, or of the window for the empty name."""
    return _COMMANDS[command]() if command else _window_parser()


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Turn arguments into a namespace with a ``command`` that does the work.

    Parameters
    ----------
    argv : sequence of str
        Arguments without the program's name.

    Raises
    ------
    SystemExit
        With code 2 for invalid arguments, 0 after ``--help`` and ``--version``.
    InputError
        If the first argument is not a file and resembles a command.
    """
    if argv and argv[0] == "help":
        if argv[1:] and argv[1] not in _COMMANDS:
            meant = find_nearest(argv[1], _COMMANDS)
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(_COMMANDS)}."
            raise errors.InputError(f"There is no command {errors.shorten(argv[1])}: {hint}")
        argv = [*argv[1:2], "--help"]
    if argv and argv[0] in _COMMANDS:
        parser = _COMMANDS[argv[0]]()
        # Options may stand between the two arguments of an exercise, which may both be missing.
        mixed = argv[0] == "exercise"
        parse = parser.parse_intermixed_args if mixed else parser.parse_args
        parsed = parse(_with_steps(argv[1:]))
        parsed.argv = tuple(argv)  # for a command that does its work in another process
        return parsed
    meant = find_nearest(argv[0], _COMMANDS) if argv and argv[0].isalpha() else None
    if meant is not None and not Path(argv[0]).exists():
        raise errors.InputError(f"There is no command or file {argv[0]} (did you mean {meant}?).")
    return _window_parser().parse_args(argv)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        head, colon, rest = message.partition(": ")  # keep only the second part
        text = (
            f"{errors.sanitise_message(head)}{colon}{errors.shorten(errors.sanitise_message(rest))}"
        )
        # Without the list of options, which would push the sentence out of sight.
        self.exit(2, f"{self.prog}: {text}; {self.prog} --help says more\n")


def _with_steps(argv: Sequence[str]) -> list[str]:
    """Join ``--steps`` with steps counted from the end, which look like an option."""
    joined: list[str] = []
    for argument in argv:
        if joined and joined[-1] == "--steps" and re.fullmatch(r"-\d*:.*", argument):
            joined[-1] = f"--steps={argument}"
        else:
            joined.append(argument)
    return joined


def _command(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    """Return a function that imports the command's module only when called."""

    def run(arguments: argparse.Namespace) -> int:
        with defer_interrupts():
            from ccl_viewer.cli.streams import replace_standard_streams

            command = getattr(importlib.import_module(f"ccl_viewer.cli.{module}"), function)
            if "algorithm" in arguments:
                from ccl_viewer.cli.algorithm_folders import load_algorithm_folders
        if "algorithm" in arguments:
            load_algorithm_folders(arguments)
        with replace_standard_streams(arguments):
            code: int = command(arguments)
        return code

    return run


def _window_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ccl-viewer",
        description=_WINDOW_HELP,
        epilog=_COMMANDS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="SOURCE", nargs="?", type=local_path, help="what to open")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    add_input_options(parser)
    group = add_run_options(parser)
    add_consecutive(group)
    add_parameters(group)
    add_algorithms_option(group, "up to four are compared", "the last choice")
    group = parser.add_argument_group("pictures of the window, without a display")
    group.add_argument("--screenshot", metavar="OUT.png", type=Path, help="draw the window, exit")
    group.add_argument(
        "--step",
        metavar="N",
        type=int,
        help="show this step, counted from 0 as in Python, or from -1 backwards (default: the "
        "last); the window writes one more",
    )
    add_force(group)
    group.add_argument(
        "--size", metavar="WxH", type=argument_types.image_size, help="size of the window in pixels"
    )
    group.add_argument("--theme", choices=("dark", "light"), help="colours of the window")
    parser.set_defaults(command=_command("window", "show_window"))
    return parser


def _label_parser() -> argparse.ArgumentParser:
    parser = _parser("label", "Label the connected components of images.")
    add_images(parser, "image, array, text art or pattern:NAME")
    add_output(
        parser,
        "OUT",
        "labels: .npy (int32), .png (16 bits), .tif (32 bits), or .zarr, written a block at a time "
        f"from a Zarr array or a TIFF of any size; {_FOLDER_HELP}",
    )
    add_format(parser, ".npy", "npy, png, tif or zarr")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print what was found as JSON, a line for each image",
    )
    add_quiet(parser)
    group = parser.add_argument_group("larger than memory, with an output of .zarr")
    group = group.add_mutually_exclusive_group()
    group.add_argument(
        "--workers",
        metavar="N",
        type=argument_types.worker_count,
        help="blocks at a time; with -d cuda, GPUs, each with its own process (default: 2 blocks)",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler with workers that see the same files: tcp://HOST:8786",
    )
    add_input_options(parser)
    add_multivalued(parser)
    group = add_run_options(parser)
    add_algorithm_option(group, None, otherwise="a fast one that supports the options")
    parser.set_defaults(command=_command("label", "label"))
    return parser


def _components_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "components",
        "List the connected components of an image. Prints the 20 largest: number, area, "
        "perimeter (sides of cells), bounding box (width x height at column,row), centroid (x, y) "
        "and central second moments (xx, yx, yy). A file has all, in the order of their numbers; "
        "its columns have the names of ccl_viewer.components.",
    )
    add_images(parser, "image, array, text art, pattern:NAME or a Zarr array")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help=f"the table: .csv or .json; {_FOLDER_HELP}"
    )
    add_format(parser, ".csv", "csv or json")
    add_force(parser)
    add_quiet(parser)
    parser.add_argument(
        "--minimum-area",
        metavar="N",
        type=argument_types.whole_number,
        default=1,
        help="leave out components of fewer cells; the rest keep their numbers",
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=argument_types.worker_count,
        help="read a Zarr array, or a TIFF, N blocks at a time: it may be larger than memory "
        "(default for a Zarr array: 2)",
    )
    add_input_options(parser)
    add_multivalued(parser)
    group = add_run_options(parser)
    add_algorithm_option(group, None, otherwise="the table is the same for all")
    parser.set_defaults(command=_command("components", "list_components"))
    return parser


def _record_parser() -> argparse.ArgumentParser:
    parser = _parser("record", "Run an algorithm and keep the labels after every launch.")
    add_images(parser, "image, array, text art or pattern:NAME")
    add_output(parser, "RUN.cclrec", f"the recording; {_FOLDER_HELP}")
    parser.set_defaults(standard_suffix=".cclrec")
    add_quiet(parser)
    group = add_image_run_options(parser, ledger=True, consecutive=True)
    add_algorithm_option(group, "label_equivalence", "default: label_equivalence")
    parser.set_defaults(command=_command("record", "record"))
    return parser


def _export_parser() -> argparse.ArgumentParser:
    from ccl_viewer.cli.export_options import add_export_options

    parser = _Parser(
        prog="ccl-viewer export",
        description=_EXPORT_HELP.format(formats=_formats()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="+",
        type=local_path,
        help="recordings, or an image or pattern to record; up to four runs are shown side by side",
    )
    add_output(
        parser,
        "OUT",
        "where to; ccl-viewer list formats lists all; - for standard output, with --format",
    )
    add_format(parser, "", "of those that are files: gif, html, csv and so on")
    add_quiet(parser)
    add_export_options(parser)
    group = add_image_run_options(parser, ledger=True, consecutive=True)
    add_algorithms_option(group, "several are shown side by side")
    parser.set_defaults(command=_command("export", "export"))
    return parser


def _profile_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "profile",
        "Count what the kernels of an algorithm do to memory, on the emulator, as the warps of a "
        "GPU would do it: requests, sectors, bank conflicts, contention, walks to roots.",
    )
    parser.add_argument(
        "image", metavar="IMAGE", type=local_path, help="image, array, text art or pattern:NAME"
    )
    parser.add_argument("--json", metavar="OUT.json", help="write all figures as JSON")
    add_force(parser)
    add_quiet(parser)
    group = add_image_run_options(parser)
    add_algorithms_option(group, "may be given several times")
    parser.set_defaults(command=_command("profile", "profile"))
    return parser


def _phases_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "phases",
        "Look inside one launch, on the emulator: barrier to barrier, warp operation to warp "
        "operation, or round by round. Prints a line for each phase, or one phase in full.",
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        type=local_path,
        help="image, array, text art, pattern:NAME or a recording",
    )
    group = parser.add_argument_group("the launch")
    group.add_argument(
        "--step",
        metavar="N",
        type=int,
        default=0,
        help="which, counted from 0 as in Python, or from -1 backwards (the output counts from 1)",
    )
    group.add_argument(
        "--by",
        choices=("barrier", "warp", "round"),
        help="what ends a phase (default: the most informative for the kernel)",
    )
    group.add_argument(
        "--block",
        metavar="X,Y",
        type=argument_types.block,
        help="one block (default: all of a small launch)",
    )
    group.add_argument("--warp", metavar="W", type=int, help="one warp of the block, from 0")
    group.add_argument("--phase", metavar="P", type=int, help="show this phase in full, from 0")
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="draw the phase of --phase as .svg or .png, or write all phases as .gif or .html",
    )
    group.add_argument("--json", metavar="OUT.json", help="write all phases as JSON")
    add_force(parser)
    add_quiet(parser)
    group = add_image_run_options(parser, consecutive=True)
    add_algorithm_option(group, None, "default: label_equivalence")
    parser.set_defaults(command=_command("phases", "print_phases"))
    return parser


def _bench_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ccl-viewer bench",
        description=_BENCH_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "what",
        metavar="PRESET|WORKLOAD",
        nargs="*",
        type=local_path,
        help="a preset, or grids to measure on",
    )
    parser.add_argument("--list", action="store_true", help="name the presets")
    parser.add_argument("--reduced", action="store_true", help="small grids, for a quick look")
    parser.add_argument(
        "-a",
        "--algorithm",
        metavar="KEY[:NAME=VALUE]",
        action="append",
        help="algorithm with its parameters, or a library: label, cupyx, cucim, scipy, skimage, "
        "opencv, cc3d",
    )
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="where results go")
    add_force(parser, folder=True)
    add_quiet(parser)
    parser.add_argument(
        "--repeats",
        metavar="N",
        type=argument_types.repeat_count,
        default=20,
        help="timed runs of each, in 5 rounds (default 20)",
    )
    parser.add_argument(
        "-c",
        "--connectivity",
        type=int,
        choices=(4, 8),
        help="4 or 8 neighbours, on your grids (default: each algorithm's default)",
    )
    parser.add_argument(
        "-d",
        "--device",
        choices=("auto", "cuda", "emulator"),
        default="auto",
        help="cuda takes times, emulator counts accesses (default: a GPU if there is one)",
    )
    add_seconds(parser)
    parser.set_defaults(command=_command("bench", "bench"))
    return parser


def _check_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "check",
        "Try to break an algorithm on the emulator: accesses out of bounds or misaligned, reads of "
        "uninitialised memory, races, barriers and lanes that are missing, endless loops, and "
        "wrong labels under random orders of the threads. Exits with 0 if nothing is wrong, with 1 "
        "if something is.",
    )
    parser.add_argument(
        "algorithm",
        metavar="KEY",
        action=ChooseAlgorithm,
        help="algorithm (ccl-viewer list algorithms), with parameters as KEY:NAME=VALUE, or the "
        "folder of your own, as ./NAME",
    )
    parser.add_argument(
        "--grid",
        metavar="SPEC",
        action="append",
        help="image, array, text art or pattern:NAME; may be given several times (default: eight "
        "small patterns)",
    )
    parser.add_argument(
        "--orders",
        metavar="N",
        type=argument_types.order_count,
        default=10,
        help="random orders of the threads on each grid (default: 10)",
    )
    parser.add_argument("--json", metavar="OUT.json", help="write all findings as JSON")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        help="write the smallest grid that fails, as a picture and as a recording that opens at "
        "the step where it goes wrong",
    )
    add_force(parser, folder=True)
    add_quiet(parser)
    add_input_options(parser)
    add_multivalued(parser)
    parser.add_argument(
        "-c",
        "--connectivity",
        type=int,
        choices=(4, 8),
        help="4 or 8 neighbours (default: all that the algorithm has)",
    )
    group = parser.add_argument_group("the run")
    add_parameters(group)
    add_seconds(group)
    parser.set_defaults(command=_command("check", "check"))
    return parser


def _formats() -> str:
    from ccl_viewer.export import FormatKind, format_names

    return "\n".join(f"  {kind:11}{format_names(kind)}" for kind in FormatKind)


def _list_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "list",
        "List algorithms, your own whose code may run, patterns, devices, formats or lessons.",
    )
    names = ("algorithms", "own", "patterns", "devices", "formats", "lessons")
    parser.add_argument("what", choices=names)
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(command=_command("listing", "print_list"))
    return parser


def _lesson_parser() -> argparse.ArgumentParser:
    parser = _parser("lesson", "Teach with a lesson, or check the file of a new one.")
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="a lesson (ccl-viewer list lessons), or a file (.toml)",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--text", action="store_true", help="print it, with questions and answers")
    group.add_argument("--check", action="store_true", help="list all faults of the file")
    group.add_argument(
        "-o", "--output", metavar="OUT.html", type=Path, help="write it as a page for any browser"
    )
    group.add_argument(
        "--gallery",
        metavar="FOLDER",
        type=Path,
        help="write all lessons as pages, with index.html that lists them, for a web site",
    )
    parser.add_argument(
        "--handout", action="store_true", help="with -o: for the printer, with every picture"
    )
    parser.add_argument(
        "-a",
        "--algorithm",
        metavar="FOLDER",
        action="append",
        help="let the code of a user algorithm run that the lesson names",
    )
    add_force(parser, folder=True)
    parser.set_defaults(command=_command("lesson", "lesson"))
    return parser


def _doctor_parser() -> argparse.ArgumentParser:
    parser = _parser("doctor", "Say what works here, and how to fix the rest.")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(command=_command("doctor", "doctor"))
    return parser


def _exercise_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "exercise",
        "List the exercises; show one; hand it out (-o); or judge an answer. An answer is run on "
        "the emulator, in a process with limits of time and memory. Exits with 0 if it reaches "
        "all goals, with 1 if it misses one.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="an exercise, or a .toml file")
    parser.add_argument("answer", metavar="ANSWER.cu", nargs="?", type=Path, help="judge this file")
    parser.add_argument("-o", "--output", metavar="OUT.cu", type=Path, help="hand the kernel out")
    parser.add_argument(
        "--hints", metavar="N", type=int, default=0, help="show the first N hints (default: none)"
    )
    parser.add_argument("--json", action="store_true", help="print the judgement as JSON")
    add_force(parser)
    parser.set_defaults(command=_command("exercise", "exercise"))
    return parser


def _new_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "new",
        "Write a folder for your own algorithm: kernels, plan, test and a page. Commands "
        "take it as -a ./NAME, the window by File > Add algorithm.",
    )
    parser.add_argument("name", metavar="NAME", help="its name, or a path that ends with it")
    parser.add_argument(
        "--from",
        dest="start",
        metavar="KEY",
        help="the algorithm to begin with (default: the simplest that works)",
    )
    parser.set_defaults(command=_command("new", "new"))
    return parser


def _forget_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "forget",
        "Stop allowing the code of your own algorithm to run, until you allow it again. Its folder "
        "stays as it is.",
    )
    parser.add_argument("name", metavar="NAME", help="its name (ccl-viewer list own)")
    parser.set_defaults(command=_command("new", "forget"))
    return parser


def _grade_parser() -> argparse.ArgumentParser:
    parser = _parser("grade", "Judge all .cu files of a folder as answers to one exercise.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder of the answers")
    parser.add_argument("--exercise", metavar="NAME", required=True, help="the exercise")
    parser.add_argument("-o", "--output", metavar="MARKS.csv", type=Path, help="write a table")
    add_force(parser)
    parser.set_defaults(command=_command("exercise", "grade_class"))
    return parser


def _completion_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "completion",
        "Print a script with which a shell completes commands, options and names. For bash, put "
        "this line into ~/.bashrc: source <(ccl-viewer completion bash)",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.set_defaults(command=_command("completion", "print_completion"))
    return parser


_COMMANDS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "label": _label_parser,
    "components": _components_parser,
    "record": _record_parser,
    "export": _export_parser,
    "profile": _profile_parser,
    "phases": _phases_parser,
    "bench": _bench_parser,
    "new": _new_parser,
    "forget": _forget_parser,
    "check": _check_parser,
    "lesson": _lesson_parser,
    "exercise": _exercise_parser,
    "grade": _grade_parser,
    "list": _list_parser,
    "doctor": _doctor_parser,
    "completion": _completion_parser,
}


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    return _Parser(prog=f"ccl-viewer {name}", description=description)
