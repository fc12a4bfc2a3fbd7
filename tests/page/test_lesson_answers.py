"""No page of a lesson tells an answer too early, and on a phone each question is on one screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.browser import Browser
from support.browser_page import middle_of
from support.spoilers import spoilers_in

from ccl_viewer import lessons
from ccl_viewer.lessons.page import export_lesson

WORDS = """
  const seen = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility());
  return [...document.body.innerText.split('\\n'),
    ...seen.flatMap((one) => [one.title || '', one.ariaLabel || ''])];
"""

ENDS = """
  window.scrollTo(0, 0);
  const box = (name) => document.getElementById(name).getBoundingClientRect();
  return [box('skip').bottom, box('play').top];
"""


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_no_answer_is_seen_or_heard_before_and_questions_fit_a_phone(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    lesson, known = lessons.read_lesson(name), dict[int, list[str]]()
    export_lesson(lesson, tmp_path / "lesson.html")
    browser.open(tmp_path / "lesson.html")
    for index, scene in enumerate(lesson.scenes):
        if scene.question is not None and scene.question.cell is not None:
            browser.point(*middle_of(browser, *scene.question.cell))
            browser.wait("return document.getElementById('readout').textContent.startsWith('cell')")
        assert list(spoilers_in(lesson, index, browser.run(WORDS), known)) == []
        if scene.question is not None:
            browser.resize(390, 844)
            end, buttons = browser.run(ENDS)
            assert end <= buttons, f"the question of scene {index + 1} lies below the buttons"
            browser.resize(1280, 800)
        browser.run("document.getElementById('scene-next').click()")
