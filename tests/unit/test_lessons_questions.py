"""Questions are answered from the recording, and answers are judged with their reasons."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer import lessons
from ccl_viewer.algorithms import ALGORITHMS, find_algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.lessons import Question, QuestionKind, Scene
from ccl_viewer.recording import Recorder, Recording, Step
from ccl_viewer.support.cancellation import CancelToken

# Shibata's Figures 3 to 9, of which each number below is taken.
FAST = Scene("", "", "pattern:shibata", "shibata_fast", 8)
EQUIVALENCE = Scene("", "", "#.#.#\n#.#.#\n#####", "label_equivalence")


@pytest.fixture(scope="module")
def fast() -> Recording:
    return lessons.record_scene(FAST)


@pytest.fixture(scope="module")
def equivalence() -> Recording:
    return lessons.record_scene(EQUIVALENCE)


@pytest.mark.parametrize(
    ("cell", "step", "label"), [((5, 4), 0, 34), ((1, 8), 0, 71), ((5, 1), 2, 11), ((8, 1), 2, 15)]
)
def test_the_next_label_is_that_of_shibatas_next_figure(
    fast: Recording, cell: tuple[int, int], step: int, label: int
) -> None:
    question = Question(QuestionKind.NEXT_LABEL, cell)
    right = lessons.answer(question, fast, step)
    assert right.number == label
    assert lessons.judge(question, right, number=label).right
    wrong = lessons.judge(question, right, number=label + 1)
    assert not wrong.right
    assert str(label) not in wrong.words.removeprefix(f"Not {label + 1}"), "it can be tried again"
    assert f"x = {cell[0]}, y = {cell[1]}" in wrong.words, "it speaks of the cell"
    assert f"to {label}. {label} was in the cell at" in right.why
    assert str(label) in lessons.answer_in_words(right)
    assert not lessons.judge(question, right).right


def test_a_first_label_is_not_said_to_come_from_the_nearest_cell_that_holds_it() -> None:
    recording = ccl.record(np.ones((4, 8)), "ha4", connectivity=4, device="emulator")
    right = lessons.answer(Question(QuestionKind.NEXT_LABEL, (3, 2)), recording, 1)
    assert "gets its first label" in right.why
    assert "was in the cell" not in right.why


def test_roots_that_merge_are_cells_to_click(fast: Recording) -> None:
    question = Question(QuestionKind.MERGED_ROOTS)
    right = lessons.answer(question, fast, 2)
    assert set(right.cells) == {(5, 1), (8, 1)}
    assert lessons.judge(question, right, cells=((8, 1), (5, 1))).right
    half = lessons.judge(question, right, cells=((8, 1), (0, 0)))
    assert half.words.startswith("1 of 2 found, and 1 other cell.")


def test_a_cells_root_is_found_over_several_labels(equivalence: Recording) -> None:
    after_scan = 1
    question = Question(QuestionKind.ROOT, (4, 2))
    right = lessons.answer(question, equivalence, after_scan)
    y, x = right.cells[0][1], right.cells[0][0]
    assert equivalence.parents(after_scan)[y, x] == y * 5 + x
    assert not lessons.judge(question, right, cells=((4, 2),)).right


def test_counts_come_from_the_run(equivalence: Recording) -> None:
    for step, entry in enumerate(equivalence.steps[:-1]):
        left = lessons.answer(Question(QuestionKind.ROOTS_LEFT), equivalence, step)
        assert left.number == equivalence.step(step + 1).roots
        rounds = lessons.answer(Question(QuestionKind.ITERATIONS_LEFT), equivalence, step)
        assert rounds.number == equivalence.iterations - (entry.iteration or 0)
    components = lessons.answer(Question(QuestionKind.COMPONENTS), equivalence, -1)
    assert components.number == 1


@pytest.mark.parametrize(
    ("key", "parameters", "step", "words"),
    [
        ("label_equivalence", {}, 0, "and 2 are joined to another tree."),
        ("label_equivalence", {}, 1, "and none is joined to another tree."),
        ("two_pass", {"rows": 1}, 2, "and 1 comes up."),
    ],
)
def test_what_becomes_of_the_roots_is_told(
    key: str, parameters: dict[str, int | None], step: int, words: str
) -> None:
    recording = lessons.record_scene(
        Scene("", "", "#.#\n#.#\n...\n#..", key, parameters=parameters)
    )
    right = lessons.answer(Question(QuestionKind.ROOTS_LEFT), recording, step)
    before, after = (recording.step(index).roots for index in (step, step + 1))
    assert right.number == after
    assert right.why.startswith(f"There are {before} now, {words}"), right.why


def test_corners_make_the_difference_that_is_told() -> None:
    recording = ccl.record([[1, 0], [0, 1]], "shibata_naive", connectivity=4, device="emulator")
    right = lessons.answer(Question(QuestionKind.COMPONENTS), recording, 0)
    assert right.number == 2
    assert "If corners counted too, it would be 1." in right.why


@pytest.mark.parametrize(
    ("question", "step", "words"),
    [
        (Question(QuestionKind.NEXT_LABEL, (5, 4)), -1, "no next step"),
        (Question(QuestionKind.MERGED_ROOTS), -1, "no next step"),
        (Question(QuestionKind.ROOTS_LEFT), -1, "no next step"),
        (Question(QuestionKind.ROOT, (0, 0)), 0, "is background"),
        (Question(QuestionKind.NEXT_LABEL, (10, 4)), 0, "no cell at x = 10"),
        (Question(QuestionKind.ROOT), 0, "needs a cell"),
        (Question(QuestionKind.COMPONENTS), 99, "has no step 99"),
    ],
)
def test_what_has_no_answer_is_refused(
    fast: Recording, question: Question, step: int, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        lessons.answer(question, fast, step)


def test_an_iteration_in_which_one_step_changes_something_does_not_confirm() -> None:
    cancel = CancelToken()

    def stop(step: Step) -> None:
        if step.iteration == 1 and step.changed:
            cancel.cancel()

    recorder = Recorder(
        noise(9, 9, 0.6),
        find_algorithm("label_equivalence_hawick"),
        open_device("emulator", cells=81),
        4,
        {},
        cancel=cancel,
        on_step=stop,
    )
    with pytest.raises(CancelledError):
        recorder.run()
    changes = [step.changed for step in recorder.recording.steps if step.iteration == 1]
    assert changes[0] == 0 < changes[-1]
    found = lessons.answer(Question(QuestionKind.ITERATIONS_LEFT), recorder.recording, 0)
    assert "changes nothing" not in found.why


def test_a_direct_method_has_no_iterations_to_count() -> None:
    recording = lessons.record_scene(Scene("", "", "##\n##", "ha4"))
    with pytest.raises(InputError, match="no loop"):
        lessons.answer(Question(QuestionKind.ITERATIONS_LEFT), recording, 0)


@pytest.mark.parametrize("key", [*ALGORITHMS])
def test_every_question_of_the_free_mode_has_an_answer(key: str) -> None:
    image = np.random.default_rng(1).random((12, 40)) < 0.6
    connectivity = ALGORITHMS[key].connectivities[0]
    recording = ccl.record(image, key, connectivity=connectivity, device="emulator")
    rng = Random(1)  # noqa: S311  (it keeps no secret)
    kinds = set()
    for step in range(len(recording)):
        for _ in range(8):
            question = lessons.pick_question(recording, step, rng)
            right = lessons.answer(question, recording, step)
            kinds.add(question.kind)
            now = question.kind is QuestionKind.ROOT  # others say that they ask of the next step
            assert (" now " in lessons.prompt(question)) == now
            assert lessons.judge(question, right, right.cells, right.number).right
            assert question.kind.wants_cells == (right.number is None)
    assert len(kinds) > 1


def test_the_same_run_is_staged_once() -> None:
    assert lessons.record_scene(FAST) is lessons.record_scene(FAST)
    assert lessons.record_scene(FAST) is not lessons.record_scene(EQUIVALENCE)


def test_a_lesson_has_no_huge_grids() -> None:
    with pytest.raises(InputError, match="too large for a lesson"):
        lessons.record_scene(Scene("", "", "pattern:spiral?size=129", "shibata_fast", 8))
