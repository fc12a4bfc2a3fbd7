"""Lessons that name user algorithms: a folder beside the file, which runs once it is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

import ccl_viewer as ccl
from ccl_viewer import lessons
from ccl_viewer.algorithms.copies import make_copy
from ccl_viewer.algorithms.own import NotAllowedError
from ccl_viewer.cli import main
from ccl_viewer.errors import LessonFileError
from ccl_viewer.user_kernels.template import write_algorithm

LESSON = """\
title = "Mine"
aims = ["Know it."]

[defaults]
grid = "pattern:spiral?size=7"
algorithm = "./mine"

[[scene]]
title = "First"
caption = "{kernel} changes {changed} cells."
step = 0

[[scene]]
title = "Beside another"
caption = "{mine.steps} and {label_equivalence.steps} steps."
compare = ["./mine", "label_equivalence"]
"""


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson beside an algorithm that leaves a file behind when its Python runs."""
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))
    folder = tmp_path / "course"
    folder.mkdir()
    write_algorithm(folder / "mine")
    plan = folder / "mine" / "mine.py"
    plan.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n{plan.read_text()}")
    path = folder / "lesson.toml"
    path.write_text(LESSON)
    return path


def test_nothing_runs_until_the_folder_is_allowed(lesson: Path, tmp_path: Path) -> None:
    chosen = lessons.read_lesson(str(lesson))
    with pytest.raises(NotAllowedError, match=r"runs the code in .*mine, which you have not"):
        lessons.prepare_scene(chosen, 0)
    assert main(["lesson", str(lesson), "--check"]) == 2
    assert main(["lesson", str(lesson), "-o", str(tmp_path / "page.html")]) == 2
    assert not (tmp_path / "ran").exists()
    ccl.add_algorithm(lesson.parent / "mine")
    assert (tmp_path / "ran").exists()
    chosen = lessons.read_lesson(str(lesson))
    shown = lessons.prepare_scene(chosen, 0)
    assert shown.recording.algorithm == "own:mine"
    assert shown.caption.startswith("mine_")
    assert lessons.prepare_scene(chosen, 0).recording is shown.recording
    with (lesson.parent / "mine" / "mine.cu").open("a") as kernels:
        kernels.write("// Changed.\n")
    with pytest.raises(NotAllowedError):
        lessons.prepare_scene(lessons.read_lesson(str(lesson)), 0)


def test_another_folder_of_the_same_name_is_not_meant(lesson: Path, tmp_path: Path) -> None:
    write_algorithm(tmp_path / "mine")
    ccl.add_algorithm(tmp_path / "mine")
    with pytest.raises(NotAllowedError):
        lessons.prepare_scene(lessons.read_lesson(str(lesson)), 0)


def test_the_command_line_allows_a_folder_and_writes_pages_without_its_python(
    lesson: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(lesson.parent)
    assert main(["lesson", "lesson.toml", "--check", "-a", "ha4"]) == 2
    assert "write -a ./NAME" in capsys.readouterr().err
    assert main(["lesson", "lesson.toml", "--check", "-a", "./mine"]) == 0
    assert main(["lesson", "lesson.toml", "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "ALGORITHM = Algorithm" not in page
    assert main(["lesson", "lesson.toml", "--text"]) == 0
    assert "mine_init changes" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["./other", "../mine", "/mine"])
def test_a_folder_that_is_not_beside_the_lesson_is_a_fault(lesson: Path, name: str) -> None:
    lesson.write_text(LESSON.replace("./mine", name))
    with pytest.raises(LessonFileError, match=r"line 6"):
        lessons.prepare_scene(lessons.read_lesson(str(lesson)), 0)


def test_a_copy_of_a_kernel_is_named_by_its_key(
    lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))
    make_copy("changed", "ha4", "ha4")
    lesson.write_text(LESSON.replace("./mine", "copy:changed").replace("{mine", "{changed"))
    shown = lessons.prepare_scene(lessons.read_lesson(str(lesson)), 0)
    assert shown.recording.algorithm == "copy:changed"
    assert not (tmp_path / "ran").exists()


def test_uninitialised_labels_are_a_fault_of_a_lesson(
    lesson: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lesson.parent / "mine"
    plan, kernels = folder / "mine.py", folder / "mine.cu"
    plan.write_text(plan.read_text().replace("task, fill=-1", "task"))
    text = kernels.read_text()
    text = text.replace("labels[cell] = image[cell] != 0 ?", "if (image[cell]) labels[cell] =")
    text = text.replace("=  cell : -1;", "= cell;").replace("= cell : -1;", "= cell;")
    text = text.replace(
        "image[y * width + x] == 0) {\n",
        "image[y * width + x] == 0) {\n"
        "        if (x < width && y < height) labels[y * width + x] = -1;\n",
    )
    kernels.write_text(text)
    assert main(["lesson", str(lesson), "--check", "-a", str(folder)]) == 2
    said = capsys.readouterr()
    assert (said.out + said.err).count("cells of the labels are uninitialised, as at x = ") == 2
