"""Every lesson is played to its end; what the papers print is what its scenes show."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.shibata import figure

from ccl_viewer import lessons
from ccl_viewer.lessons import Lesson, PreparedScene, Scene
from ccl_viewer.lessons.checking import MAX_CAPTION, find_faults
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.lessons.reading import read_lesson_text
from ccl_viewer.render.layers import Layers
from ccl_viewer.storage.resources import assets_folder


def scene_titled(name: str, title: str) -> PreparedScene:
    lesson = lessons.read_lesson(name)
    index = next(i for i, scene in enumerate(lesson.scenes) if title in scene.title)
    return lessons.prepare_scene(lesson, index)


def test_the_list_is_the_folder() -> None:
    files = {path.stem for path in (assets_folder() / "lessons").glob("*.toml")}
    assert set(lessons.lesson_names()) == files
    assert len(lessons.lesson_names()) == len(files)


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_the_checker_finds_nothing_wrong(name: str) -> None:
    assert find_faults(read_lesson_text(lessons.lesson_path(name)), name) == ()


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_a_lesson_plays_to_its_end(name: str) -> None:
    lesson = lessons.read_lesson(name)
    assert 6 <= len(lesson.scenes) <= 18
    assert len({scene.title for scene in lesson.scenes}) == len(lesson.scenes)
    assert 2 <= sum(scene.question is not None for scene in lesson.scenes) <= 5
    for index, scene in enumerate(lesson.scenes):
        shown = lessons.prepare_scene(lesson, index)
        check_shown(shown, scene)


def check_shown(shown: PreparedScene, scene: Scene) -> None:
    recording = shown.recording
    assert recording.complete
    assert 0 <= shown.step < len(recording)
    assert to_plain_text(shown.caption)
    assert len(to_plain_text(shown.caption)) <= MAX_CAPTION
    assert not re.search(r"[{}*]", to_plain_text(shown.caption))
    cells = [*scene.highlight, *([] if scene.pin is None else [scene.pin])]
    assert all(recording.image[y, x] for x, y in cells)
    if scene.question is None:
        assert shown.answer is None
        return
    assert shown.answer is not None
    assert shown.prompt
    right = shown.answer
    assert right.why or all(right.reasons)
    judgement = lessons.judge(scene.question, right, right.cells, right.number)
    assert judgement.right


def test_only_the_race_that_is_taught_ends_wrong() -> None:
    for lesson in (lessons.read_lesson(name) for name in lessons.lesson_names()):
        for scene in lesson.scenes:
            verdict = lessons.record_scene(scene).verdict
            assert verdict is not None
            wrong = scene.parameters.get("variant") == "printed" and scene.schedule == "random:2"
            assert verdict.correct is not wrong, f"{lesson.key}: {scene.title}"


def test_captions_are_one_to_four_short_sentences() -> None:
    for lesson in (lessons.read_lesson(name) for name in lessons.lesson_names()):
        for scene in lesson.scenes:
            sentences = re.split(r"[.?!](?=\s|$)", scene.caption)
            assert len([part for part in sentences if part.strip()]) <= 4, scene.title


@pytest.mark.parametrize("number", [3, 4, 5, 6, 7, 8, 9])
def test_shibatas_figures_are_his(number: int) -> None:
    shown = scene_titled("shibata", f"Figure {number}:")
    np.testing.assert_array_equal(shown.recording.labels(shown.step), figure(number))


def test_kalentevs_figure_4_has_the_trees_that_its_text_names() -> None:
    """Section 2.2: 8 trees after the first step; 20, 31 and 41 are the first of their roots."""
    shown = scene_titled("label-equivalence", "Figure 4")
    assert shown.recording.step(shown.step).stage == "scan"
    roots = roots_of(shown)
    assert len(roots) == 8
    assert {20, 31, 41} < set(roots)
    assert len(shown.scene.highlight) == 8
    after = scene_titled("label-equivalence", "Analysis")
    assert set(np.unique(after.recording.labels(after.step))) == {0, *roots}


def roots_of(shown: PreparedScene) -> list[int]:
    labels = shown.recording.labels(shown.step)
    own = np.arange(labels.size).reshape(labels.shape)
    is_root = (shown.recording.parents(shown.step) == own) & (shown.recording.image != 0)
    return sorted(int(label) for label in labels[is_root])


def test_kalentevs_figure_5_shortens_the_way_from_10_by_that_of_6() -> None:
    shown = scene_titled("label-equivalence", "Figure 5")
    assert shown.recording.labels(shown.step)[:, 1].tolist() == [5, 6, 10, 14]
    assert shown.recording.labels(0)[:, 1].tolist() == [6, 10, 14, 18]


def test_the_papers_counts_on_spirals_hold() -> None:
    """Kalentev et al. 2011, section 3: 3 iterations for references, half the side for lines."""
    swept = scene_titled("rows-and-columns", "A larger spiral").recording
    assert swept.iterations == (24 + 2) // 2
    assert scene_titled("rows-and-columns", "by addresses").recording.iterations == 3


def test_ha4s_lesson_counts_the_runs_of_its_picture() -> None:
    shown = scene_titled("runs-ballots-strips", "Rows are made of runs")
    image = shown.recording.image
    before = np.pad(image, ((0, 0), (1, 0)))[:, :-1]
    runs = int(((image == 1) & (before == 0)).sum())
    assert shown.caption.endswith(f"{runs} runs.")


def test_the_features_of_the_large_part_are_those_that_are_told() -> None:
    shown = scene_titled("labels-to-features", "Where is the middle")
    y, x = np.nonzero(np.array([list(row) for row in PARTS]) == "a")
    for number in (x.sum(), y.sum(), x.size):
        assert str(number) in re.findall(r"\d+", shown.caption)


PARTS = (
    ".aaa......",
    ".a.a.aaaa.",
    ".a.a.a..a.",
    ".a...a.aa.",
    ".aaaaa....",
    ".......bb.",
    ".cc.cc.bb.",
    ".c...c....",
    ".ccccc....",
)


def compared(title: str, name: str = "which-algorithm") -> dict[str, dict[str, str]]:
    """Return the table of a comparison: its rows by their first column."""
    table = scene_titled(name, title).table
    assert table is not None
    return {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def amount(text: str) -> float:
    """Read a number of a table with any unit."""
    units = {"KiB": 2.0**10, "MiB": 2.0**20}
    number, _, unit = text.partition(" ")
    return float(number.replace(",", "")) * units.get(unit, 1.0)


def least(table: dict[str, dict[str, str]], column: str) -> str:
    """Return the run that has the smallest number in a column."""
    return min(table, key=lambda run: amount(table[run][column]))


def test_the_runs_with_the_fewest_loads_and_the_least_time_are_those_that_are_told() -> None:
    table = compared("Counts are not time")
    for column in ("Loads", "Launches", "Bytes"):
        assert least(table, column) == "HA4"
    fastest = least(table, "GPU (H200)")
    assert fastest.startswith("Playne-Hawick")
    assert amount(table[fastest]["Atomics"]) < amount(table["HA4"]["Atomics"])


def test_row_col_unify_loses_less_on_noise_and_moves_more_bytes_an_iteration() -> None:
    spiral, noise = compared("Lines or addresses"), compared("The same two, on noise")
    ratios = [
        amount(table["Row-Col Unify"]["GPU (H200)"])
        / amount(table["Label Equivalence"]["GPU (H200)"])
        for table in (spiral, noise)
    ]
    assert ratios[1] < ratios[0]
    per_iteration = [amount(row["Bytes"]) / amount(row["Iterations"]) for row in noise.values()]
    assert per_iteration[0] > per_iteration[1]


def test_the_other_comparisons_say_what_their_tables_show() -> None:
    zigzag = list(compared("How far").values())
    ratio = {
        column: amount(zigzag[0][column]) / amount(zigzag[2][column])
        for column in ("Loads", "GPU (H200)")
    }
    assert ratio["GPU (H200)"] > ratio["Loads"]
    without, with_third, small_change = (
        amount(compared("Tiles, and")[run]["GPU (H200)"])
        for run in (
            "Stava-Benes, flatten borders 0", "Stava-Benes", "Stava-Benes, variant project",
        )
    )  # fmt: skip
    assert small_change < with_third < without
    assert with_third - small_change > without - with_third
    runs, _, cells = compared("Features without").values()
    assert amount(cells["Atomics"]) / 2 < amount(runs["Atomics"]) < amount(cells["Atomics"])
    corners = list(compared("Corners connect").values())
    assert max(amount(row["Loads"]) for row in corners[1:]) < 0.6 * amount(corners[0]["Loads"])


def test_four_tiles_by_four_save_two_launches_and_no_loads() -> None:
    by_four, by_two = compared("Why 4 x 4", "tiles-and-merge-levels").values()
    assert amount(by_two["Launches"]) == amount(by_four["Launches"]) + 2
    assert amount(by_four["Loads"]) > amount(by_two["Loads"])


def test_in_step_twice_as_many_trees_are_left_as_backwards() -> None:
    backwards = scene_titled("races", "Order can help")
    in_step = scene_titled("label-equivalence", "Figure 4")
    assert (backwards.recording.image == in_step.recording.image).all()
    assert in_step.recording.step(1).roots == 2 * backwards.recording.step(1).roots
    assert (in_step.recording.iterations, backwards.recording.iterations) == (4, 3)


def test_layers_go_by_the_names_that_the_window_has() -> None:
    fields = set(Layers().to_values())
    for lesson in all_lessons():
        for scene in lesson.scenes:
            assert set(scene.show) <= fields


def test_lessons_have_aims_minutes_and_texts_beside_the_captions() -> None:
    for lesson in all_lessons():
        assert 1 <= len(lesson.aims) <= 3
        assert 10 <= lesson.minutes <= 30
        assert all(scene.more and scene.notes for scene in lesson.scenes)


def all_lessons() -> list[Lesson]:
    return [lessons.read_lesson(name) for name in lessons.lesson_names()]


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_texts_name_other_scenes_by_their_titles(name: str) -> None:
    scenes = lessons.read_lesson(name).scenes
    titles = {scene.title for scene in scenes}
    for scene in scenes:
        for text in (scene.caption, scene.more, scene.notes):
            assert not re.search(r"\bscenes? \d", text), scene.title
            assert {*re.findall(r"\bscene \*(.+?)\*", text)} <= titles, scene.title
