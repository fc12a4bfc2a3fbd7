"""``ccl-viewer lesson`` and ``list lessons``: what they print, and what they refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ccl_viewer import lessons
from ccl_viewer.cli import main
from ccl_viewer.lessons.checking import find_faults
from ccl_viewer.storage.resources import assets_folder

Printed = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def sample() -> str:
    """The lesson that the guide shows."""
    guide = (assets_folder().parent / "docs" / "lessons.md").read_text("utf-8")
    match = re.search(r"```toml\n(.*?)```", guide, re.DOTALL)
    assert match is not None
    return match[1]


@pytest.fixture
def mine(tmp_path: Path, sample: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(sample, "utf-8")
    return path


def test_all_lessons_are_listed_in_their_order(capsys: Printed) -> None:
    assert main(["list", "lessons"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert [head.split()[0] for head in heads] == list(lessons.lesson_names())


def test_the_guides_sample_has_no_fault(sample: str) -> None:
    assert find_faults(sample) == ()


def test_a_lesson_is_printed_with_its_answers(mine: Path, capsys: Printed) -> None:
    assert main(["lesson", str(mine), "--text"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "1. Everybody looks around once" in out
    assert "2 cells still carry their own address: *each* believes" in out
    assert "Question: Which label will the cell at x = 8, y = 2 hold" in out
    assert "Answers ------- Scene 1: 8. The cell at x = 8, y = 2 goes from 17 to 8." in out
    assert out.count("goes from 17 to 8") == 1
    assert "Notes: Ask why" in out
    assert "After 11 passes" in out


def test_labels_are_drawn_where_they_fit(
    mine: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["lesson", str(mine), "--text"]) == 0
    assert "  0  .  .  .  .  .  .  .  8" in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "20")
    assert main(["lesson", str(mine), "--text"]) == 0
    told = capsys.readouterr().out
    assert " # . . . . . . . #\n # . . . . . . . #\n # # # # # # # # #\nFilled cells" in told
    assert "Marked: x = 0, y = 0\n" not in told
    monkeypatch.setenv("COLUMNS", "8")
    assert main(["lesson", str(mine), "--text"]) == 0
    told = capsys.readouterr().out
    out = " ".join(told.split())
    assert "  .  .  .  ." not in told
    assert "9 x 3 cells, too many to draw them here." in out
    assert "Marked: x = 0, y = 0; x = 8, y = 0." in out


def test_a_phase_is_printed_as_text(tmp_path: Path, capsys: Printed) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "T"\naims = ["A."]\n[[scene]]\ntitle = "S"\ncaption = "C."\n'
        'grid = "##.#"\nalgorithm = "ha4"\nstep = 0\nphase = { by = "warp", warp = 0 }\n',
        "utf-8",
    )
    assert main(["lesson", str(path), "--text"]) == 0
    out = capsys.readouterr().out
    assert "  start   01.0............................  ones to the left" in out
    assert "  end     21.1............................  this one and" in out
    assert "(index" not in out, "only its author needs it"
    assert "# stands for 1" in out
    assert "running" not in out, "the rows say what all lanes do"


def test_a_diagram_is_printed_as_text(tmp_path: Path, capsys: Printed) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "T"\naims = ["A."]\n[[scene]]\ntitle = "S"\ncaption = "C."\n'
        'grid = "##.#"\nalgorithm = "ha4"\nstep = 0\ndiagram = { of = "bits", lane = 1 }\n',
        "utf-8",
    )
    assert main(["lesson", str(path), "--text"]) == 0
    out = capsys.readouterr().out
    assert f"  ballot  {0b1011:032b}" in out
    assert "zeros at the left end: 1." in out


COUNTED = """
title = "Counts"
aims = ["Count."]
[[scene]]
title = "A queue"
caption = "All add to one cell."
grid = "pattern:full?width=32&height=1"
algorithm = "label_equivalence_sizes"
step = 2
show = { colours = "contention", numbers = "" }
"""


@pytest.mark.parametrize(("columns", "first"), [(120, "31"), (70, "5")])
def test_counts_are_printed_and_as_powers_of_two_where_they_have_no_room(
    columns: int, first: str, tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    path = tmp_path / "counts.toml"
    path.write_text(COUNTED, "utf-8")
    assert main(["lesson", str(path), "--text"]) == 0
    out = capsys.readouterr().out
    row = next(line.split() for line in out.splitlines() if len(line.split()) == 32)
    assert row == [first] + ["0"] * 31
    assert ("1 stands for 1, 2 for up to 3" in out) is (columns == 70)


def test_text_shows_what_the_picture_shows(tmp_path: Path, capsys: Printed) -> None:
    path = tmp_path / "plain.toml"
    path.write_text(
        """
title = "Plain"
aims = ["See."]
[defaults]
grid = '''
##.
.#.'''
algorithm = "label_equivalence"
[[scene]]
title = "No numbers"
caption = "Only the grid."
step = 0
show = { numbers = "" }
lines = { kernel = "label_equivalence_scanning", from = "extern", to = "{" }
[[scene]]
title = "Components"
caption = "Numbered from 1."
show = { numbers = "component" }
""",
        "utf-8",
    )
    assert main(["lesson", str(path), "--text"]) == 0
    out = capsys.readouterr().out
    assert " # # .\n . # .\n" in out
    assert " 1 1 .\n . 1 .\n" in out
    assert '| extern "C" __global__ void label_equivalence_scanning' in out


SHOWN_AGAIN = """
title = "Twice"
aims = ["See."]
[defaults]
grid = "pattern:full?width=3&height=13"
algorithm = "label_equivalence"
show = { numbers = "" }
[[scene]]
title = "First"
caption = "A column."
[[scene]]
title = "Second"
caption = "The same."
highlight = [[0, 0]]
more = "Three columns of 13."
[scene.question]
kind = "components"
"""


def test_a_tall_picture_is_printed_once_and_more_before_the_question(
    tmp_path: Path, capsys: Printed
) -> None:
    path = tmp_path / "twice.toml"
    path.write_text(SHOWN_AGAIN, "utf-8")
    assert main(["lesson", str(path), "--text"]) == 0
    out = capsys.readouterr().out
    assert out.count(" # # #\n") == 13
    assert "The picture is that of scene 1.\nMarked: x = 0, y = 0.\nThe same.\n" in out
    assert out.index("More:") < out.index("Question:")


def test_labels_are_printed_beside_other_numbers_where_a_question_is_about_trees(
    capsys: Printed,
) -> None:
    assert main(["lesson", "labels-to-features", "--text"]) == 0
    scene = capsys.readouterr().out.partition("3. Hand it")[2].partition("4. Roots")[0]
    assert "  . 12  0  0  .  .  .  .  .  .\n" in scene
    assert "  . 14 14 14  .  .  .  .  .  .\n" in scene
