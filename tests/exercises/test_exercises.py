"""Exercises: their files, what is handed out, and the commands that judge and grade."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest
from support.exercise_answers import filled

from ccl_viewer import exercises
from ccl_viewer.cli import main
from ccl_viewer.errors import ExerciseFileError, InputError
from ccl_viewer.exercises import Exercise
from ccl_viewer.exercises.catalogue import parse_grid
from ccl_viewer.exercises.submission import judge_file
from ccl_viewer.lessons import catalogue as lessons

NAME = "walk-to-the-root"
RIGHT = "while (labels[label] != label) {\n    label = labels[label];\n}\nreturn label;"


def handed_out(folder: Path, name: str = NAME) -> Path:
    path = folder / "answer.cu"
    path.write_text(exercises.student_source(exercises.load_exercise(name)), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", exercises.exercise_names())
def test_every_exercise_can_be_read_and_names_a_lesson(name: str) -> None:
    found = exercises.load_exercise(name)
    assert found.gaps
    assert found.lesson in lessons.lesson_names()
    assert len(found.hints) >= 2
    assert found.goals[0].budget is None  # right labels come first
    assert all(parse_grid(text).size <= 4096 for text in found.grids)


@pytest.mark.parametrize("name", exercises.exercise_names())
def test_the_task_names_the_size_of_the_grid_that_opens(name: str) -> None:
    found = exercises.load_exercise(name)
    height, width = parse_grid(found.grids[0]).shape
    assert set(re.findall(r"\d+ x \d+ cells", found.task)) <= {f"{width} x {height} cells"}


@pytest.mark.parametrize("name", exercises.exercise_names())
def test_no_hint_stands_in_the_handout(name: str) -> None:
    found = exercises.load_exercise(name)
    assert all(hint not in exercises.student_source(found) for hint in found.hints)


def test_gaps_are_filled_in_order() -> None:
    found = exercises.load_exercise("sizes-by-runs")
    text = filled(found, ("first;", "second;"))
    assert text.index("first;") < text.index("END OF GAP 1") < text.index("second;")


_BUDGET = 'figure = "atomics"\ngrid = "#"\nmost = '


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('algorithm = "komura"', 'algorithm = "komora"'), "There is no algorithm 'komora'"),
        (('grids = ["pattern:spiral?size=11"', 'grids = ["pattern:spirl"'), "pattern"),
        (("lesson = ", "lessen = "), "There is no key 'lessen'"),
        (
            ("[[goal]]\n", '[[goal]]\nfigure = "atomix"\ngrid = "#"\nmost = 1\n'),
            "Nothing counts 'atomix'",
        ),
        (("[[goal]]\ntitle", "[[goal]]\nmost = 3\ntitle"), "Only a goal with a figure"),
        (("[[goal]]\n", f"[[goal]]\n{_BUDGET}1{'0' * 99}\n"), "most is a number below"),
        (("[[goal]]\n", f"[[goal]]\n{_BUDGET}nan\n"), "most is a number below"),
        (("[[goal]]\n", f"[[goal]]\n{_BUDGET}1{'0' * 400}\n"), "at most 100 characters"),
        (('grids = ["', 'grids = ["pattern:empty?width=9999&height=9999", "'), "too large"),
        (("lesson = ", "orders = 1000000000\nlesson = "), "orders is a number 0 to 1000"),
        (("minutes = ", "minutes = -"), "minutes is a number from 0, not -"),
        (('grids = ["', "grids = [" + 100 * '"#", ' + '"'), "at most 100 grids"),
        (("lesson = ", f"a = {'[' * 5000}\nlesson = "), "nested too deeply"),
        (("lesson = ", f"{'.'.join('a' * 99)} = 1\nlesson = "), "at most 8 parts"),
    ],
)
def test_a_fault_of_a_file_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    found = exercises.load_exercise(NAME)
    path = tmp_path / "own.toml"
    text = found.path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    path.with_suffix(".cu").write_text(found.source, encoding="utf-8")
    with pytest.raises(ExerciseFileError, match=r"own\.toml, line \d+") as raised:
        exercises.load_exercise(str(path))
    assert said in str(raised.value)


def own_exercise(folder: Path, more: str = "") -> Exercise:
    """Return an exercise outside the catalogue that is judged in one run, and by more goals."""
    path = folder / "own.toml"
    path.write_text(
        'title = "Own"\nalgorithm = "komura"\nmodule = "komura"\ntask = "Do it."\n'
        'hints = ["Walk."]\norders = 0\ngrids = ["###\\n..#"]\n[[goal]]\ntitle = "Right"\n'
        f"{more}",
        encoding="utf-8",
    )
    path.with_suffix(".cu").write_text(exercises.load_exercise(NAME).source, encoding="utf-8")
    return exercises.load_exercise(str(path))


def test_what_the_compiler_says_is_the_judgement(tmp_path: Path) -> None:
    path = handed_out(tmp_path)
    path.write_text(path.read_text("utf-8").replace("return labels[label];", "return lable;"))
    judgement = judge_file(exercises.load_exercise(NAME), path)
    assert not judgement.passed
    assert "lable" in str(judgement.error)


def test_another_exercises_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its first line must be"):
        judge_file(exercises.load_exercise(NAME), handed_out(tmp_path, "merge-once"))


def test_the_commands_list_show_and_hand_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["exercise"]) == 0
    assert capsys.readouterr().out.count("\n") == len(exercises.exercise_names())
    assert main(["exercise", NAME]) == 0
    shown = capsys.readouterr().out
    assert "Walk to the root" in shown
    assert "Hint 1" not in shown
    assert main(["exercise", NAME, "--hints", "2"]) == 0
    assert capsys.readouterr().out.count("Hint ") == 2
    path = tmp_path / "my.cu"
    assert main(["exercise", NAME, "-o", str(path)]) == 0
    assert path.read_text("utf-8") == exercises.student_source(exercises.load_exercise(NAME))
    assert main(["exercise", NAME, "-o", str(path)]) == 2  # it is there already
    assert main(["exercise", "walk"]) == 2
    assert "There is no exercise 'walk'" in capsys.readouterr().err


def test_a_class_is_graded_on_an_own_exercise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = own_exercise(tmp_path)
    folder = tmp_path / "class"
    folder.mkdir()
    head = exercises.student_source(found).partition("\n")[0]
    (folder / "ada.cu").write_text(f"{head}\n{filled(found, (RIGHT,))}", encoding="utf-8")
    (folder / "bob.cu").write_text(f"{head}\n{filled(found, ('return lable;',))}", encoding="utf-8")
    (folder / "eve.cu").write_text("int main;\n", encoding="utf-8")
    marks = tmp_path / "marks.csv"
    assert main(["grade", str(folder), "--exercise", str(found.path), "-o", str(marks)]) == 0
    lines = marks.read_text("utf-8").splitlines()
    assert lines[0] == "name,goals_reached,goals,reason,seconds"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["ada", "1", "1"],
        ["bob", "0", "1"],
        ["eve", "0", "1"],
    ]
    assert "lable" in lines[2]
    assert "first line" in lines[3]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["grade", str(empty), "--exercise", NAME]) == 2
    assert "has no .cu files" in capsys.readouterr().err


NO_ATOMICS = """
[[goal]]
title = "Without atomic operations"
figure = "atomics"
grid = "pattern:noise?width=24&height=20"
most = 0
"""
FAILS_ON_LARGE_GRIDS = f"assert(label < 100);\n{RIGHT}"


def test_a_kernel_that_fails_in_a_budgets_run_misses_that_goal_alone(tmp_path: Path) -> None:
    found = own_exercise(tmp_path, NO_ATOMICS)
    folder = tmp_path / "class"
    folder.mkdir()
    head = exercises.student_source(found).partition("\n")[0]
    for name, answer in (("ada", FAILS_ON_LARGE_GRIDS), ("bob", RIGHT)):
        (folder / f"{name}.cu").write_text(f"{head}\n{filled(found, (answer,))}", encoding="utf-8")
    marks = tmp_path / "marks.csv"
    assert main(["grade", str(folder), "--exercise", str(found.path), "-o", str(marks)]) == 0
    ada, bob = marks.read_text("utf-8").splitlines()[1:]
    assert ada.split(",")[:3] == ["ada", "1", "2"]
    assert "label < 100" in ada
    assert bob.split(",")[:3] == ["bob", "1", "2"]
    assert "Atomics" in bob


def test_a_judgement_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = own_exercise(tmp_path)
    assert main(["exercise", str(found.path), "--json", str(handed_out(tmp_path))]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["passed"] is False
    assert told["failure"]["grid"]
    assert told["failure"]["step"] >= 1
    assert told["goals"][0]["reason"]


def test_a_verdict_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has the name of the student's file, the hints asked for, and the cells that differ."""
    found = own_exercise(tmp_path, NO_ATOMICS)
    path = handed_out(tmp_path).rename(tmp_path / "my-walk.cu")
    assert main(["exercise", str(found.path), str(path), "--hints", "1"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "Hint 1: Walk." in said
    assert "These two cells belong together and got different labels" in said
    assert "order sequential." in said
    assert "[-] Without atomic operations. Not judged until the labels are right." in said
    assert "The smallest grid that fails has" in said
    path.write_text(path.read_text("utf-8").replace("return labels[label];", "return lable;"))
    assert main(["exercise", str(found.path), str(path)]) == 1
    assert "my_walk.cu:" in capsys.readouterr().out


def test_a_fault_in_a_header_names_the_line_that_called_it(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("places in the source are known on Linux")
    found = exercises.load_exercise("runs-from-a-ballot")
    path = tmp_path / "ada.cu"
    head = exercises.student_source(found).partition("\n")[0]
    path.write_text(f"{head}\n{filled(found, ('return 1000;',))}", encoding="utf-8")
    reason = judge_file(found, path, shrink=False).results[0].reason
    assert re.search(r"common/union_find\.cuh:\d+, called at ada\.cu:\d+: thread", reason)


def test_each_launch_has_its_part_of_a_budget(tmp_path: Path) -> None:
    found = own_exercise(tmp_path, NO_ATOMICS.replace("atomics", "bytes"))
    path = tmp_path / "ada.cu"
    head = exercises.student_source(found).partition("\n")[0]
    path.write_text(f"{head}\n{filled(found, (RIGHT,))}", encoding="utf-8")
    reason = judge_file(found, path).results[1].reason
    total, *parts = re.findall(r"(?:Bytes:|komura_\w+) ([\d,]+)", reason)
    assert len(parts) == 4
    assert int(total.replace(",", "")) == sum(int(part.replace(",", "")) for part in parts)


def test_no_handout_has_the_answer_to_a_later_exercise() -> None:
    """Declared races and the last, free exercise apart."""
    walk = "while (parent != label)"
    join = "atomicMin(&labels[high], low)"
    once = "(s_dist_y == 0 || s_dist_y1 == 0)"
    hand = "__shfl_sync(ALL_LANES, label, tx"
    barriers = "shared_pixels[ty - 1]"
    answers = {
        "walk-to-the-root": walk, "join-two-trees": join, "merge-once": once,
        "hand-it-over": hand, "missing-barrier": barriers,
    }  # fmt: skip
    names = exercises.exercise_names()
    for name, answer in answers.items():
        for earlier in names[: names.index(name)]:
            assert answer not in exercises.load_exercise(earlier).source, earlier


def test_json_and_the_table_of_a_class_say_what_the_text_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The step at which the labels are wrong, and the reason of the first goal that is missed."""
    answer, table = tmp_path / "answer.cu", tmp_path / "marks.csv"
    exercise = ["exercise", NAME]
    assert main([*exercise, "-o", str(answer)]) == 0
    capsys.readouterr()
    assert main([*exercise, str(answer)]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert main([*exercise, str(answer), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert f"order {said['failure']['schedule']}, step {said['failure']['step']})" in text
    assert main(["grade", "--exercise", NAME, str(tmp_path), "-o", str(table)]) == 0
    (mark,) = csv.DictReader(table.read_text("utf-8").splitlines())
    missed = [goal["reason"] for goal in said["goals"] if not goal["passed"]]
    assert mark["reason"] == missed[0]
    assert missed[0] != missed[-1]
