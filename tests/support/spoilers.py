"""Finds texts of a lesson that give the answer to a question away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ccl_viewer.lessons import (
    Lesson,
    PreparedScene,
    QuestionKind,
    Scene,
    answer_in_words,
    prepare_scene,
)
from ccl_viewer.lessons.markup import to_plain_text

_LONG = 6  # characters; longer choices do not occur in a sentence by chance


def spoiler_patterns(played: PreparedScene) -> list[str]:
    """Return patterns of texts that give away the answer to a scene's question."""
    question, right, run = played.scene.question, played.answer, played.recording
    assert question is not None
    assert right is not None
    number = f"{right.number:,}" if right.number is not None else ""
    patterns = [re.escape(to_plain_text(answer_in_words(right))), *map(cell_pattern, right.cells)]
    match question.kind:
        case QuestionKind.COMPONENTS:
            patterns += [rf"\b{number} (components?|roots?|trees?)\b"]
        case QuestionKind.ITERATIONS_LEFT:
            every = f"{run.iterations:,}"
            words = "(more |further )?(iterations|passes|rounds)"
            patterns += [
                rf"\b({number}|{every}) {words}",
                rf"\d (of|/) {len(run):,}\b",
                rf"iteration {every}\b",
            ]
        case QuestionKind.ROOTS_LEFT:
            patterns += [rf"\b{number} roots? (is|are)? left"]
        case QuestionKind.NEXT_LABEL if question.cell is not None:
            x, y = question.cell
            before = int(run.labels(played.step)[y, x])
            if before != right.number:
                patterns += [rf"\bfrom {before:,} to {number}\b"]
                patterns += [rf"({cell_pattern((x, y))})[^.]*\b(label|holds?|becomes?) {number}\b"]
        case QuestionKind.CHOICE if right.number is not None:
            choice = to_plain_text(played.choices[right.number - 1])
            patterns += [rf"\b{re.escape(choice)}"] if len(choice) >= _LONG else []
    return patterns


def cell_pattern(cell: tuple[int, int]) -> str:
    """Return a pattern for the notations of a cell."""
    x, y = cell
    return rf"\({x}, {y}\)|\bx = {x}, y = {y}\b|\bx {x}, y {y}\b"


def spoilers_in(
    lesson: Lesson, index: int, words: Iterable[str], patterns: dict[int, list[str]]
) -> Iterator[str]:
    """Yield texts of a scene that give away its answer, or a later one about the same run.

    `patterns` caches those of each scene.
    """
    texts = [" ".join(text.split()) for text in words]
    for later in range(index, len(lesson.scenes)):
        scene = lesson.scenes[later]
        if scene.question is None or not _shares_run(lesson.scenes[index], scene):
            continue
        if later not in patterns:
            patterns[later] = spoiler_patterns(prepare_scene(lesson, later))
        choices = [to_plain_text(choice) for choice in prepare_scene(lesson, later).choices]
        for pattern in patterns[later]:
            for text in texts:
                if text not in choices and re.search(pattern, text):
                    yield f"scene {index + 1} gives away the answer of scene {later + 1}: {text}"


def _shares_run(one: Scene, other: Scene) -> bool:
    names = ["grid", "connectivity"]
    if other.question is None or other.question.kind is not QuestionKind.COMPONENTS:
        names += ["algorithm", "parameters", "schedule", "multivalued"]
    return one is other or all(getattr(one, name) == getattr(other, name) for name in names)
