"""A lesson as a page, read back without a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from support.pages import Markup, unpacked

from ccl_viewer.cli import main
from ccl_viewer.diagnostics.phases import PhaseBoundary
from ccl_viewer.errors import CancelledError
from ccl_viewer.lessons import Lesson, Question, QuestionKind, Scene, prepare_scene, read_lesson
from ccl_viewer.lessons.handout import export_handout
from ccl_viewer.lessons.model import DiagramKind, SceneDiagram, ScenePhase
from ccl_viewer.lessons.page import export_lesson, lesson_page
from ccl_viewer.support.cancellation import CancelToken

NASTY = '</template><script>alert(1)</script><img src="x">'


@pytest.fixture(scope="module")
def shibata() -> Lesson:
    return read_lesson("shibata")


@pytest.fixture(scope="module")
def html(shibata: Lesson) -> str:
    return lesson_page(shibata)


def test_every_scene_is_a_chapter_with_its_texts(shibata: Lesson, html: str) -> None:
    page = unpacked(html)
    assert page.description["title"] == shibata.title
    scenes = page.description["scenes"]
    assert [scene["title"] for scene in scenes] == [scene.title for scene in shibata.scenes]
    names = {attributes["id"] for attributes in Markup(html).found["template"]}
    for index, scene in enumerate(scenes):
        assert f"scene-{index}-caption" in names
        assert (f"scene-{index}-notes" in names) == scene["notes"]
        assert (f"scene-{index}-prompt" in names) == (scene["question"] is not None)


def test_scenes_show_the_recordings_that_they_name(shibata: Lesson, html: str) -> None:
    page = unpacked(html)
    runs, scenes = page.description["runs"], page.description["scenes"]
    assert len(runs) < len(scenes)
    for index, scene in enumerate(scenes):
        shown = prepare_scene(shibata, index)
        (chosen,) = scene["runs"]
        run = runs[chosen["run"]]
        arrays = page.arrays(run["labels"], len(run["steps"]))
        expected = shown.recording.labels(shown.step).ravel()
        np.testing.assert_array_equal(arrays[chosen["step"] + 1], expected)


def test_questions_come_with_their_answers(shibata: Lesson, html: str) -> None:
    scenes = unpacked(html).description["scenes"]
    asked = 0
    for index, scene in enumerate(scenes):
        right = prepare_scene(shibata, index).answer
        if right is None:
            assert scene["question"] is None
            continue
        asked += 1
        assert scene["question"]["right"] == [[*cell] for cell in right.cells]
        assert (scene["question"]["number"], scene["question"]["why"]) == (right.number, right.why)
    assert asked


def test_a_phase_and_counts_are_on_the_page() -> None:
    plain = Scene("Labels", "See.", "##.\n..#", "ha4", step=0)
    inside = replace(plain, phase=ScenePhase(PhaseBoundary.WARP, warp=1))
    counted = replace(plain, show={"colours": "loads"})
    html = lesson_page(Lesson("mine", "Mine", ("See.",), (plain, inside, counted)))
    page = unpacked(html)
    assert [scene["phase"] for scene in page.description["scenes"]] == [False, True, False]
    assert '<template id="scene-1-phase"><svg ' in html
    assert "Warp 1 of block (0, 0): __ballot_sync" in html
    first, last = page.description["runs"]
    assert not first["counts"]
    loads = page.arrays(last["counts"]["loads"], len(last["steps"]))[1]
    recording = prepare_scene(Lesson("mine", "Mine", (), (counted,)), 0).recording
    np.testing.assert_array_equal(loads, recording.counts(0, "loads").ravel())


def test_each_scene_has_the_counts_that_it_shows() -> None:
    """Also if an earlier scene shows the same run in other colours."""
    labels = Scene("Labels", "{loads} loads.", "##.\n..#", "ha4", step=1)
    shows: list[dict[str, str | bool | float]]
    shows = [{}, {"colours": "loads"}, {"colours": "stores", "total": True}, {"colours": "depth"}]
    scenes = tuple(replace(labels, show=show) for show in shows)
    lesson = Lesson("mine", "Mine", ("See.",), scenes)
    page = unpacked(lesson_page(lesson))
    recording = prepare_scene(lesson, 0).recording
    runs = page.description["runs"]
    assert len(runs) == 2
    for scene, kind in ((1, "loads"), (2, "stores")):
        (chosen,) = page.description["scenes"][scene]["runs"]
        run = runs[chosen["run"]]
        found = page.arrays(run["counts"][kind], len(run["steps"]))[chosen["step"] + 1]
        expected = recording.counts(1, kind, total=scene == 2)
        np.testing.assert_array_equal(found, expected.ravel())


def test_a_diagram_is_on_the_page_and_the_handout(tmp_path: Path) -> None:
    plain = Scene("Labels", "See.", "##.\n..#", "ha4", step=0)
    drawn = replace(plain, diagram=SceneDiagram(DiagramKind.BITS, lane=1))
    lesson = Lesson("mine", "Mine", ("See.",), (plain, drawn))
    html = lesson_page(lesson)
    assert [scene["diagram"] for scene in unpacked(html).description["scenes"]] == [False, True]
    assert '<template id="scene-1-diagram"><svg ' in html
    export_handout(lesson, tmp_path / "handout.html")
    for text in (html, (tmp_path / "handout.html").read_text("utf-8")):
        assert text.count("Lane 1 of warp 0 looks for the start of its run") == 2  # title and text


def test_nothing_that_an_author_writes_becomes_markup() -> None:
    question = Question(QuestionKind.COMPONENTS, prompt=NASTY)
    scene = Scene(NASTY, NASTY, "##.\n..#", "ha4", notes=NASTY, question=question)
    html = lesson_page(Lesson("mine", NASTY, (NASTY,), (scene,)))
    assert "<img" not in html
    assert "alert(1)</script>" not in html
    markup = Markup(html)
    assert len(markup.found["script"]) == 2
    assert len(markup.found["template"]) == 4
    assert unpacked(html).description["scenes"][0]["title"] == NASTY


def test_a_lesson_is_a_page_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lesson", "shibata", "-o", str(tmp_path / "lesson.gif")]) == 2
    assert "name it .html" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_lesson_leaves_nothing(shibata: Lesson, tmp_path: Path) -> None:
    cancel = CancelToken()
    path = tmp_path / "lesson.html"
    path.write_text("old")
    with pytest.raises(CancelledError):
        export_lesson(shibata, path, cancel, lambda _words: cancel.cancel())
    assert path.read_text() == "old"
    assert [other.name for other in tmp_path.iterdir()] == ["lesson.html"]


def test_a_handout_has_every_picture_and_its_answers_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "handout.html"
    assert main(["lesson", "rows-and-columns", "-o", str(path), "--handout"]) == 0
    told, _, answers = path.read_text("utf-8").partition('<div class="answers">')
    scenes = read_lesson("rows-and-columns").scenes
    assert told.count("<section>") == len(scenes)
    assert told.count("<svg") == len(scenes) + 2, "a scene shows shared memory, another sectors"
    asked = [scene for scene in scenes if scene.question is not None]
    assert answers.count("<li ") == len(asked)
    assert "<script" not in told


def test_a_handout_is_safe_to_open() -> None:
    scene = Scene(NASTY, "x", "##.\n..#", "ha4", more=NASTY, notes=NASTY)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "handout.html"
        export_handout(Lesson("nasty", NASTY, (NASTY,), (scene,)), path)
        html = path.read_text("utf-8")
    assert "<script" not in html
    assert "<img" not in html


def test_a_lesson_tells_no_times_of_the_emulator(html: str) -> None:
    for run in unpacked(html).description["runs"]:
        assert "emulator" not in run["totals"]
        assert {step["time"] for step in run["steps"]} == {""}
