"""Solutions of all exercises reach all goals; typical mistakes fail, each for its own reason."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.exercise_answers import filled

from ccl_viewer import exercises
from ccl_viewer.exercises import Exercise, Judgement
from ccl_viewer.exercises.submission import judge_file

ANSWERS: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "answers.toml").read_text(encoding="utf-8")
)
MISTAKES = [
    pytest.param(name, mistake, id=f"{name}: {mistake['name']}")
    for name in exercises.exercise_names()
    for mistake in ANSWERS[name]["mistake"]
]


def judged(name: str, gaps: list[str], folder: Path, orders: int = 1, grid: int = 0) -> Judgement:
    """Judge an answer on one grid and in few random orders."""
    chosen = exercises.load_exercise(name)
    path = folder / "answer.cu"
    head = exercises.student_source(chosen).partition("\n")[0]
    path.write_text(f"{head}\n{filled(chosen, gaps)}", encoding="utf-8")
    quick: Exercise = replace(chosen, grids=chosen.grids[grid : grid + 1], orders=orders)
    return judge_file(quick, path, shrink=False)


def test_every_exercise_has_a_solution_and_a_mistake() -> None:
    assert set(ANSWERS) == set(exercises.exercise_names())


@pytest.mark.parametrize("name", exercises.exercise_names())
def test_a_solution_reaches_all_goals(name: str, tmp_path: Path) -> None:
    judgement = judged(name, ANSWERS[name]["solution"], tmp_path)
    assert [result.reason for result in judgement.results if not result.passed] == []
    assert judgement.error is None
    assert judgement.passed


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
def test_a_mistake_fails_for_its_own_reason(
    name: str, mistake: dict[str, Any], tmp_path: Path
) -> None:
    orders = mistake.get("orders", 4)
    judgement = judged(name, mistake["gaps"], tmp_path, orders, mistake.get("grid", 0))
    missed = [result.reason for result in judgement.results if not result.passed]
    assert missed
    assert re.search(mistake["reason"], missed[0])
