"""``ccl-viewer exercise`` and ``ccl-viewer grade``: hand out exercises, and judge answers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from ccl_viewer import exercises
from ccl_viewer.cli.reporting import print_lines, print_text
from ccl_viewer.cli.runs import check_output
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.errors import InputError, KernelBuildError, shorten
from ccl_viewer.exercises import Exercise, GoalResult, Judgement
from ccl_viewer.exercises.submission import Mark, answer_files, grade, judge_file
from ccl_viewer.export.tables import csv_text
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted


def exercise(arguments: argparse.Namespace) -> int:
    """List the exercises, hand one out, or judge an answer.

    Returns
    -------
    int
        0, or 1 if an answer misses a goal.

    Raises
    ------
    InputError
        If there is no such exercise, or a file cannot be used.
    """
    if arguments.name is None:
        print_text("\n".join(_list_exercises()))
        return 0
    chosen = exercises.load_exercise(arguments.name)
    if arguments.output is not None:
        return _hand_out(chosen, arguments)
    if arguments.answer is None:
        print_text("\n".join(_exercise_lines(chosen, arguments.hints)))
        return 0
    if arguments.hints and not arguments.json:
        print_text("\n".join(_hint_lines(chosen, arguments.hints)))
    return _judge(chosen, arguments.answer, as_json=arguments.json)


def grade_class(arguments: argparse.Namespace) -> int:
    """Judge the answers of a class, and write a table.

    Returns
    -------
    int
        0.

    Raises
    ------
    InputError
        If there is no such exercise or folder, or the table cannot be written.
    """
    chosen = exercises.load_exercise(arguments.exercise)
    folder: Path = arguments.folder
    files = answer_files(folder)
    output: Path | None = arguments.output
    if output is not None:
        check_output(output, [str(file) for file in files], arguments)

    def work(cancel: CancelToken, line: ProgressLine) -> tuple[Mark, ...]:
        def tell(mark: Mark) -> None:
            line.clear()
            reached = f"{mark.passed} of {counted(mark.goals, 'goal')}"
            print_lines(f"{mark.name}: {reached}. {mark.reason}".strip())

        return grade(chosen, files, on_mark=tell, cancel=cancel, progress=line)

    rows = [
        {
            "name": mark.name,
            "goals_reached": mark.passed,
            "goals": mark.goals,
            "reason": mark.reason,
            "seconds": round(mark.seconds, 1),
        }
        for mark in run_cancellable(work)
    ]
    if output is not None:
        with replacing(output) as path:
            path.write_text(csv_text(rows), "utf-8")
    return 0


def _list_exercises() -> Iterator[str]:
    for name in exercises.exercise_names():
        entry = exercises.load_exercise(name)
        yield f"{name}  ({entry.title}; {entry.minutes} minutes; lesson {entry.lesson})"


def _exercise_lines(chosen: Exercise, hints: int) -> Iterator[str]:
    yield chosen.title
    yield "=" * len(chosen.title)
    yield to_plain_text(chosen.task)
    yield ""
    yield "Goals:"
    yield from (_format_item(f"[ ] {goal.title}.") for goal in chosen.goals)
    yield ""
    yield from _hint_lines(chosen, hints)
    left = len(chosen.hints) - hints
    if left > 0:
        yield f"{counted(left, 'hint')} left: ccl-viewer exercise {chosen.key} --hints {hints + 1}"
    yield f"Begin with: ccl-viewer exercise {chosen.key} -o {chosen.key}.cu"


def _hint_lines(chosen: Exercise, hints: int) -> Iterator[str]:
    for number, hint in enumerate(chosen.hints[:hints], 1):
        yield _format_item(f"Hint {number}: {to_plain_text(hint)}")
        yield ""


def _hand_out(chosen: Exercise, arguments: argparse.Namespace) -> int:
    path: Path = arguments.output
    if path.suffix.lower() != ".cu":
        raise InputError(f"An exercise is a kernel file, not {shorten(path.name)}: name it .cu.")
    check_output(path, [], arguments)
    if path.exists() and not arguments.force:  # it may hold an answer
        raise InputError(f"{shorten(path)} is there already: name another file, or add --force.")
    with replacing(path) as beside:
        beside.write_text(exercises.student_source(chosen), "utf-8")
    print_lines(f"{shorten(path)}: fill the {counted(len(chosen.gaps), 'gap')}, then run")
    print_lines(f"ccl-viewer exercise {chosen.key} {shorten(path)}")
    return 0


def _judge(chosen: Exercise, answer: Path, *, as_json: bool) -> int:
    def work(cancel: CancelToken, line: ProgressLine) -> Judgement:
        def tell(result: GoalResult) -> None:
            if not as_json:
                line.clear()
                mark = "x" if result.passed else " " if result.reason else "-"
                print_text(_format_item(f"[{mark}] {result.goal.title}."))
                print_text(
                    _format_item(f"    {result.reason or 'Not judged until the labels are right.'}")
                )

        return judge_file(chosen, answer, on_result=tell, cancel=cancel, progress=line)

    judgement = run_cancellable(work)
    if as_json:
        print(json.dumps(_as_json(judgement), indent=1))
    else:
        _print_rest(judgement)
    return 0 if judgement.passed else 1


def _print_rest(judgement: Judgement) -> None:
    """Print the compiler's messages, and the smallest grid that fails."""
    if isinstance(judgement.error, KernelBuildError):
        print_lines(judgement.error)
    failure = judgement.counterexample
    if failure is not None:
        height, width = failure.grid.shape
        endless = judgement.report is not None and judgement.report.endless
        which, slow = ("A", " (too slow to shrink)") if endless else ("The smallest", "")
        where = f"order {failure.schedule}, step {failure.step + 1}"
        print_text(
            _format_item(
                f"{which} grid that fails{slow} has {width} x {height} cells ({where}): "
                f"{failure.text}"
            )
        )
        for row in failure.grid[:16, :64]:
            print_lines("    " + "".join(".#"[bool(cell)] for cell in row))
    if judgement.passed:
        print_lines("All goals are reached.")


def _as_json(judgement: Judgement) -> dict[str, object]:
    failure = judgement.counterexample
    return {
        "exercise": judgement.exercise.key,
        "passed": judgement.passed,
        "error": "" if judgement.error is None else str(judgement.error),
        "goals": [
            {"title": result.goal.title, "passed": result.passed, "reason": result.reason}
            for result in judgement.results
        ],
        "failure": None
        if failure is None
        else {
            "grid": failure.grid.tolist(),
            "schedule": failure.schedule,
            "step": failure.step + 1,
            "text": failure.text,
        },
    }


def _format_item(text: str) -> str:
    indent = " " * (len(text) - len(text.lstrip()) + 4 * text.startswith("["))
    return fill(text, 96, subsequent_indent=indent)
