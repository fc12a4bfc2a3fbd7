"""No lesson uses a word of the glossary before that word was explained."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest

from ccl_viewer import lessons
from ccl_viewer.lessons import Scene
from ccl_viewer.storage.resources import assets_folder

EXPLAINED_BY_THE_WINDOW = {
    "converged", "device", "phase", "roots right", "seed", "stage", "verdict",
}  # fmt: skip
"""Words that no lesson needs: what they name has a tooltip in the window."""

ALSO_EVERYDAY = {
    "equivalence": r"(?<!Label )equivalence",
    "run": r"\b(?:(?<=a )|(?<=its )|(?<=the )|(?<=each )|(?<=[.,] ))runs?\b(?! the)",
    "step": r"(?<!in )\bsteps?\b(?! back)",
}
"""How words are found that have another sense too, as in "runs move in step"."""


CODE_AND_TITLES = re.compile(r"`[^`]*`|\{[^}]*\}|(?<!\*)\*[^*]+\*(?!\*)")


def glossary() -> dict[str, str]:
    with (assets_folder() / "glossary.toml").open("rb") as file:
        return tomllib.load(file)


def forms(term: str) -> re.Pattern[str]:
    """Match a word and its forms: launches, hooked, flattening."""
    stem = re.escape(term.removesuffix("e")).replace("\\ ", r"\s")
    ending = r"(?:e|s|es|d|ed|ing|ned|ning|[a-z]*ped)?"
    return re.compile(rf"\b{stem}{ending}\b", re.IGNORECASE)


def uses(term: str) -> re.Pattern[str]:
    """Match a word where it is used in the sense of the glossary."""
    own = ALSO_EVERYDAY.get(term)
    return forms(term) if own is None else re.compile(own, re.IGNORECASE)


def texts(scene: Scene) -> Iterator[str]:
    yield from (scene.title, scene.caption, scene.more, scene.notes)
    if scene.question is not None:
        yield from (scene.question.prompt, *scene.question.choices, *scene.question.why)


def scenes() -> Iterator[tuple[str, Scene]]:
    for name in lessons.lesson_names():
        for scene in lessons.read_lesson(name).scenes:
            yield f"{name}: {scene.title}", scene


@pytest.mark.parametrize("term", sorted(glossary()))
def test_the_first_scene_that_uses_a_word_explains_it(term: str) -> None:
    used, form = uses(term), forms(term)
    for place, scene in scenes():
        words = CODE_AND_TITLES.sub(" ", "\n".join(texts(scene)))
        if not used.search(words):
            continue
        assert term not in EXPLAINED_BY_THE_WINDOW, f"{place} uses {term!r}"
        new = re.findall(r"\*\*(.+?)\*\*", scene.caption)
        assert any(form.fullmatch(word) for word in new), f"{place} does not explain {term!r}"
        return


def test_what_a_scene_explains_is_in_the_glossary() -> None:
    """So that it can be looked up later; and no scene explains more than one thing."""
    terms = [forms(term) for term in glossary()]
    for place, scene in scenes():
        new = re.findall(r"\*\*(.+?)\*\*", scene.caption)
        for word in new:
            assert any(term.fullmatch(word) for term in terms), f"{place}: {word}"
        assert len(new) <= 1 or {*new} == {"foreground", "background"}, place
