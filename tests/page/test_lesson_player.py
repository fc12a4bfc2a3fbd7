"""The page of a lesson in a real browser: chapters, notes and questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.browser import Browser
from support.browser_page import middle_of, text

from ccl_viewer.diagnostics.phases import PhaseBoundary
from ccl_viewer.lessons import Lesson, Question, QuestionKind, Scene, answer, judge, record_scene
from ccl_viewer.lessons.gallery import export_gallery
from ccl_viewer.lessons.model import (
    ComparedAlgorithm,
    DiagramKind,
    SceneDiagram,
    SceneLines,
    ScenePhase,
)
from ccl_viewer.lessons.page import export_lesson

GRID = "##..#\n.##.#\n..###"

LESSON = Lesson(
    "mine",
    "A lesson",
    ("See it.",),
    (
        Scene(
            "First",
            "A **bold** word.",
            GRID,
            "label_equivalence",
            step=0,
            more="Look *there*.",
            notes="Say *this*.",
        ),
        Scene(
            "Number",
            "How many?",
            GRID,
            "label_equivalence",
            step=1,
            question=Question(QuestionKind.COMPONENTS),
        ),
        Scene(
            "Cell",
            "Where?",
            GRID,
            "label_equivalence",
            step=1,
            show={"arrows": True, "numbers": ""},
            highlight=((0, 0),),
            pin=(0, 0),
            question=Question(QuestionKind.ROOT, (2, 1)),
        ),
        Scene(
            "Rounds",
            "How long?",
            GRID,
            "label_equivalence",
            step=1,
            question=Question(QuestionKind.ITERATIONS_LEFT),
        ),
    ),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lesson") / "lesson.html"
    export_lesson(LESSON, path)
    return path


def hidden(browser: Browser, name: str) -> bool:
    return bool(browser.run("return document.getElementById(arguments[0]).hidden", name))


def click(browser: Browser, name: str) -> None:
    browser.run("document.getElementById(arguments[0]).click()", name)


def click_cell(browser: Browser, x: int, y: int) -> None:
    browser.point(*middle_of(browser, x, y), click=True)


def test_scenes_follow_one_another(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert text(browser, "scene-title") == "First"
    assert "See it." in text(browser, "aims")
    caption = browser.run("return document.getElementById('scene-caption').innerHTML")
    assert caption == "<p>A <b>bold</b> word.</p>"
    browser.press("Ctrl+Right", "Ctrl+Left", "Shift+PageDown")
    assert text(browser, "scene-title") == "Number"
    assert text(browser, "place") == "2", "a later question asks how many follow"
    click(browser, "scene-next")
    assert text(browser, "scene-title") == "Cell"
    assert browser.run("return document.getElementById('numbers').value") == ""
    browser.wait("return location.hash === '#scene=3&step=2'")
    browser.press("Shift+PageUp")
    assert text(browser, "scene-title") == "Number"
    assert browser.run("return document.getElementById('numbers').value") == "raw"
    browser.open(page, "#scene=2&step=1")
    assert text(browser, "scene-title") == "Number"
    assert text(browser, "place") == "1"


def test_a_scene_shows_a_phase_and_counts(browser: Browser, tmp_path: Path) -> None:
    first = replace(LESSON.scenes[0], algorithm="ha4", show={"colours": "loads"})
    diagram = SceneDiagram(DiagramKind.BITS, lane=1)
    inside = replace(first, phase=ScenePhase(PhaseBoundary.WARP, warp=0), diagram=diagram)
    path = tmp_path / "lesson.html"
    export_lesson(replace(LESSON, scenes=(first, inside)), path)
    browser.resize(390, 844)
    browser.open(path)
    assert hidden(browser, "scene-phase")
    assert hidden(browser, "scene-diagram")
    assert "loads, the emulator's count" in text(browser, "legend")
    click(browser, "scene-next")
    assert not hidden(browser, "scene-phase")
    assert "__ballot_sync" in text(browser, "scene-phase")
    assert "__clz counts" in text(browser, "scene-diagram")
    right = "const { right } = document.querySelector('#scene-phase svg').getBoundingClientRect();"
    assert browser.run(f"{right} return right") <= 390


def test_structure_makes_room_for_the_margin_of_the_labels(
    browser: Browser, tmp_path: Path
) -> None:
    scene = Scene("Margin", "See it.", GRID, "label_equivalence", show={"structure": True})
    export_lesson(replace(LESSON, scenes=(scene,)), tmp_path / "margin.html")
    browser.open(tmp_path / "margin.html")
    # The colours of a column of pixels to the left of the grid: canvas, margin and its lines.
    shades = (
        "const board = document.getElementById('board');"
        "const [left, , scale] = board.dataset.place.split(' ').map(Number);"
        "const x = Math.round(left - scale * 0.8);"
        "const { data } = board.getContext('2d').getImageData(x, 0, 1, board.height);"
        "return new Set(new Uint32Array(data.buffer)).size"
    )
    assert browser.run(shades) >= 3


def test_more_is_for_all_and_unfolds(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert not hidden(browser, "more-area")
    shown = "return document.getElementById('more').checkVisibility()"
    assert not browser.run(shown)
    browser.run("document.querySelector('#more-area summary').click()")
    assert browser.run(shown)
    assert text(browser, "more") == "Look there."
    click(browser, "scene-next")
    assert hidden(browser, "more-area")


def test_a_page_leads_to_the_next_lesson_and_to_all(browser: Browser, tmp_path: Path) -> None:
    other = replace(LESSON, key="other", title="Another < one")
    export_gallery([LESSON, other], tmp_path)
    links = "return [...document.querySelectorAll('#links a')].map((a) => a.getAttribute('href'))"
    browser.open(tmp_path / "mine.html")
    assert browser.run(links) == ["index.html", "other.html"]
    assert "Another < one" in text(browser, "links")
    browser.open(tmp_path / "other.html")
    assert browser.run(links) == ["index.html"]


def test_results_can_be_saved(browser: Browser, page: Path) -> None:
    browser.open(page)
    for _ in LESSON.scenes:
        click(browser, "scene-next")
    click(browser, "skip")
    kept = (
        "const real = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { window.saved = blob; return real(blob); };"
        "[...document.querySelectorAll('#recap button')].at(-1).click();"
    )
    browser.run(kept)
    browser.run("window.saved.text().then((told) => { window.told = told; });")
    browser.wait("return Boolean(window.told)")
    told = browser.run("return window.told").splitlines()
    assert told[0] == "A lesson"
    assert "0 of 3 right" in told
    assert "4. Rounds: answer shown" in told


def test_notes_are_the_presenters(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert hidden(browser, "notes")
    browser.press("p")
    assert not hidden(browser, "notes")
    assert text(browser, "notes") == "Say this."
    click(browser, "scene-next")
    assert hidden(browser, "notes-area")


@pytest.mark.parametrize("given", [1, 7])
def test_a_number_is_judged_as_the_program_does(browser: Browser, page: Path, given: int) -> None:
    scene = LESSON.scenes[1]
    assert scene.question is not None
    right = answer(scene.question, record_scene(scene), 1)
    browser.open(page, "#scene=2")
    browser.run("document.getElementById('number').focus()")
    browser.press(*str(given), "Enter")
    judged = judge(scene.question, right, number=given)
    assert text(browser, "judgement") == judged.words
    assert (
        browser.run("return document.getElementById('judgement').dataset.right")
        == str(judged.right).lower()
    )
    if not judged.right:
        assert text(browser, "answer") == "Try again"
        assert str(right.number) not in judged.words
        click(browser, "skip")
        assert f"It is {right.number}." in text(browser, "judgement")
    browser.press("Ctrl+Right")
    assert text(browser, "scene-title") == "Cell", "the field lets go of the keys"


def test_the_verdict_gives_no_count_of_components_away(browser: Browser, page: Path) -> None:
    browser.open(page, "#scene=4")
    click(browser, "skip")
    for _ in range(3):
        click(browser, "scene-back")
    assert hidden(browser, "verdict"), "the next scene asks about the same grid"
    click(browser, "scene-next")
    assert hidden(browser, "verdict")
    assert text(browser, "explanation") == ""
    assert "roots" not in text(browser, "stages")
    assert text(browser, "totals") == ""
    browser.press("Shift+Right")
    told = [text(browser, name) for name in ("readout", "spoken")]
    assert all("label" in words and "component" not in words for words in told)
    click(browser, "skip")
    assert "component" in text(browser, "readout")
    assert not hidden(browser, "verdict")
    assert "root" in text(browser, "explanation")
    assert "roots" in text(browser, "stages")
    assert "iterations" in text(browser, "totals")
    click(browser, "scene-back")
    click(browser, "scene-next")
    assert hidden(browser, "verdict")
    click(browser, "scene-next")
    assert not hidden(browser, "verdict")


def test_the_timeline_gives_no_iterations_away(browser: Browser, page: Path) -> None:
    end = """
      const canvas = document.getElementById('timeline');
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const pen = copy.getContext('2d', { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0);
      const half = canvas.width >> 1;
      const pixels = pen.getImageData(half, canvas.height - 12, half, 1).data;
      return new Set(new Uint32Array(pixels.buffer)).size;
    """
    browser.open(page, "#scene=4")
    assert text(browser, "place") == "2"
    assert browser.run(end) == 1
    browser.press("Right")
    assert text(browser, "place") == "3"
    spoken = browser.run("return document.getElementById('timeline').ariaValueText")
    assert " of " not in spoken
    assert text(browser, "explanation") == ""
    assert "wrong" not in text(browser, "stages")
    click(browser, "skip")
    assert "root" in text(browser, "explanation")
    assert "wrong" in text(browser, "stages")
    assert text(browser, "place").startswith("3 /")
    assert browser.run(end) > 1


@pytest.mark.parametrize("right", [True, False])
def test_a_cell_is_judged_as_the_program_does(browser: Browser, page: Path, right: bool) -> None:
    scene = LESSON.scenes[2]
    assert scene.question is not None
    known = answer(scene.question, record_scene(scene), 1)
    cell = known.cells[0] if right else (4, 2)
    assert right or cell not in known.cells
    browser.open(page, "#scene=3")
    click_cell(browser, 3, 2)
    click_cell(browser, *cell)
    assert text(browser, "picked") == "1 cell chosen"
    click(browser, "answer")
    assert text(browser, "judgement") == judge(scene.question, known, (cell,)).words


def test_right_cells_among_too_many_are_not_the_answer(browser: Browser, tmp_path: Path) -> None:
    question = Question(QuestionKind.MERGED_ROOTS)
    scene = Scene("Roots", "Which?", GRID, "label_equivalence", step=0, question=question)
    known = answer(question, record_scene(scene), 0)
    other = next((x, y) for y in range(3) for x in range(5) if (x, y) not in known.cells)
    export_lesson(replace(LESSON, scenes=(scene,)), tmp_path / "lesson.html")
    browser.open(tmp_path / "lesson.html")
    for cell in (*known.cells, other):
        click_cell(browser, *cell)
    click(browser, "answer")
    assert text(browser, "judgement") == judge(question, known, (*known.cells, other)).words
    assert browser.run("return document.getElementById('judgement').dataset.right") == "false"
    click_cell(browser, *other)
    click(browser, "answer")
    assert browser.run("return document.getElementById('judgement').dataset.right") == "true"


def test_a_question_can_be_skipped(browser: Browser, page: Path) -> None:
    browser.open(page, "#scene=2")
    click(browser, "answer")
    assert "whole number" in text(browser, "judgement")
    click(browser, "skip")
    assert text(browser, "judgement").startswith("It is 1.")
    browser.open(page, "#scene=2")
    click(browser, "scene-next")
    assert text(browser, "judgement") == ""


@pytest.mark.parametrize("size", [(360, 700), (1280, 720), (1920, 1080)])
def test_it_fits_its_window(browser: Browser, page: Path, size: tuple[int, int]) -> None:
    browser.resize(*size)
    browser.open(page, "#scene=2")
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]
    if size[0] >= 900:
        assert browser.run("return document.documentElement.scrollHeight") <= size[1]


def test_a_way_is_drawn_until_all_arrows_are(browser: Browser, tmp_path: Path) -> None:
    drawn = "return document.getElementById('board').toDataURL()"
    plain = Scene("Way", "Look.", GRID, "label_equivalence", step=1)
    pictures = {}
    for name, scene in {"plain": plain, "followed": replace(plain, follow=((2, 1),))}.items():
        path = tmp_path / f"{name}.html"
        export_lesson(Lesson("mine", "A lesson", ("See it.",), (scene,)), path)
        browser.open(path)
        pictures[name] = browser.run(drawn)
        browser.press("a")
        pictures[f"{name} and all"] = browser.run(drawn)
    assert pictures["plain"] != pictures["followed"]
    assert pictures["followed"] != pictures["followed and all"]
    assert pictures["plain and all"] == pictures["followed and all"]


CHOICE = Question(
    QuestionKind.CHOICE, None, "Which?", ("The first", "The second"), 2, ("Not so.", "Just so.")
)
COMPARED = Scene(
    "Beside each other",
    "Look at both.",
    GRID,
    "label_equivalence",
    lines=SceneLines('extern "C"', "}", "label_equivalence_scanning"),
    compare=(ComparedAlgorithm("label_equivalence"), ComparedAlgorithm("ha4")),
    question=CHOICE,
)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compared") / "lesson.html"
    export_lesson(Lesson("mine", "A lesson", ("See it.",), (LESSON.scenes[2], COMPARED)), path)
    return path


def test_a_choice_is_tried_again_and_the_lesson_looks_back(
    browser: Browser, compared: Path
) -> None:
    browser.open(compared, "#scene=2")
    assert "label_equivalence_scanning" in text(browser, "scene-code")
    assert "Atomics" in text(browser, "scene-table")
    small = "return document.querySelectorAll('#run-boards canvas')[1].toDataURL().length"
    assert browser.run(small) > 500, "the other run is shown beside it"
    assert hidden(browser, "recap")
    choose = "document.querySelectorAll('#choices button')[arguments[0]].click()"
    for place, words in ((0, "Not so."), (1, "Just so.")):
        browser.run(choose, place)
        click(browser, "answer")
        assert text(browser, "judgement") == words
    assert "Atomics" in text(browser, "scene-table")
    assert "Questions: 1 of 2 right" in text(browser, "recap")
    assert "Beside each other: right at try 2" in text(browser, "recap")
    assert "Cell: open" in text(browser, "recap")
    browser.run("""
      const choice = document.getElementById('scene-run');
      choice.value = '1';
      choice.dispatchEvent(new Event('change'));
    """)
    assert text(browser, "place").startswith("3 / 3")


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_long_lines_of_code_are_broken_and_go_on_further_right(
    browser: Browser, compared: Path, size: tuple[int, int]
) -> None:
    browser.resize(*size)
    browser.open(compared, "#scene=2")
    assert browser.run("""
      const pre = document.querySelector('#scene-code pre');
      return pre.scrollWidth <= pre.clientWidth;
    """)
    begins = browser.run("""
      const boxes = [...document.querySelectorAll('#scene-code b')].map((row) => {
        const words = document.createRange();
        words.selectNodeContents(row);
        return [...words.getClientRects()].filter(({ width }) => width);
      });
      const lines = boxes.find((found) => found.some(({ top }) => top > found[0].bottom));
      const below = lines.filter(({ top }) => top > lines[0].bottom);
      return [lines[0].left, Math.min(...below.map(({ left }) => left))];
    """)
    assert begins[0] + 10 < begins[1]


def test_on_a_phone_picture_caption_and_question_are_on_one_screen(
    browser: Browser, compared: Path
) -> None:
    browser.resize(390, 844)
    bottoms = """
      const bottom = (name) => document.getElementById(name).getBoundingClientRect().bottom;
      return [bottom('board'), bottom('scene-caption'), bottom('skip')];
    """
    small = """
      return [...document.querySelectorAll('button, select, input, summary')]
        .filter((one) => one.offsetParent !== null)
        .map((one) => [one.id, one.getBoundingClientRect()])
        .filter(([, { width, height }]) => width < 44 || height < 44).map(([id]) => id);
    """
    transport = "return document.getElementById('play').getBoundingClientRect().top"
    for scene in (1, 2):
        browser.open(compared, f"#scene={scene}")
        tops = browser.run(bottoms)
        assert tops == sorted(tops)
        assert tops[-1] <= browser.run(transport), "nothing lies below the buttons"
        assert browser.run(small) == []
