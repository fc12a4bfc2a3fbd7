"""What the first two lessons say of a GPU's threads and memory is true of the runs beside them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from ccl_viewer import lessons
from ccl_viewer.diagnostics.phases import ThreadState
from ccl_viewer.diagnostics.phases.diagrams import (
    BankDiagram,
    OrderDiagram,
    RunStartDiagram,
    SectorDiagram,
)
from ccl_viewer.diagnostics.profile import Profile
from ccl_viewer.lessons import PreparedScene
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.recording import Recording

LESSON = "what-a-gpu-does"
MEMORY = "memory-and-waiting"


def played(title: str, lesson: str = LESSON) -> PreparedScene:
    scenes = lessons.read_lesson(lesson).scenes
    (index,) = (i for i, scene in enumerate(scenes) if scene.title == title)
    return lessons.prepare_scene(lessons.read_lesson(lesson), index)


def figures(recording: Recording, step: int) -> dict[str, int | float]:
    ledger = recording.step(step).ledger
    assert ledger is not None
    return Profile((ledger,)).figures()


def test_a_label_moves_by_one_cell_a_launch_and_nine_change_first() -> None:
    run = played("All threads, once").recording
    for step in range(1, len(run)):
        before, after = run.labels(step - 1), run.labels(step)
        around = np.pad(before, 1, constant_values=-1)
        for y, x in np.argwhere(before != after):
            assert after[y, x] in around[y : y + 3, x : x + 3]


def test_blocks_and_warps_have_the_sizes_that_are_told() -> None:
    blocks = played("Threads come in groups")
    assert blocks.recording.step(blocks.step).block == (4, 2, 1)
    warp = played("Thirty-two at a time").recording
    assert warp.step(1).block == (16, 4, 1)
    assert warp.image.shape == (4, 16)
    recording = played("A place in the warp").recording
    assert recording.step(1).block == (8, 4, 1)


def test_lanes_of_dark_cells_have_ended_while_others_read() -> None:
    shown = played("A place in the warp")
    assert shown.phase is not None
    states = shown.phase.thread_states()
    dark = shown.recording.image.ravel() == 0
    assert {states[lane] for lane in np.flatnonzero(dark)} == {ThreadState.ENDED}
    bright = {states[lane] for lane in np.flatnonzero(~dark)}
    assert ThreadState.RUNNING in bright
    assert shown.phase.changed_cells.size == 0, "before anything is stored"


def test_columns_move_more_bytes_for_as_many_loads() -> None:
    run = played("Memory moves in pieces", MEMORY).recording
    rows, columns = figures(run, 1), figures(run, 2)
    assert (run.step(1).kernel, run.step(2).kernel) == (
        "row_col_unify_rows",
        "row_col_unify_columns",
    )
    assert rows["loads"] == columns["loads"]
    assert columns["bytes"] > rows["bytes"]


def test_the_left_block_has_its_cells_in_shared_memory_with_a_margin() -> None:
    shown = played("Near memory", MEMORY)
    assert shown.phase is not None
    (cells,) = (one for one in shown.phase.shared_arrays() if one.name == "segments")
    tile = np.asarray(cells.values).reshape(6, 6)
    np.testing.assert_array_equal(tile[1:5, 1:5], shown.recording.image[:, :4])
    assert tile.sum() == tile[1:5, 1:5].sum()


def test_pairs_of_a_row_of_64_meet_at_banks() -> None:
    counts = figures(played("Thirty-two doors", MEMORY).recording, 1)
    assert counts["conflict_free"] < 1
    # The same kernel on rows whose pairs do not come round to the first bank again.
    short = replace(played("Thirty-two doors", MEMORY).scene, grid="pattern:full?width=32&height=1")
    assert figures(lessons.record_scene(short), 1)["conflict_free"] == 1


def test_the_last_cell_of_the_row_can_get_any_label() -> None:
    scene = played("Who comes first?").scene
    got = {
        int(lessons.record_scene(replace(scene, schedule=f"random:{seed}")).labels(1)[0, 7])
        for seed in range(40)
    }
    assert got <= set(range(7))
    assert len(got) >= 4


def test_nothing_is_lost_where_all_add_to_one_cell() -> None:
    shown = played("A queue at one cell")
    counts = figures(shown.recording, shown.step)
    assert counts["atomics"] == shown.recording.image.sum() - 1
    assert shown.recording.layer("sizes", shown.step)[0, 0] == shown.recording.image.sum()


def test_groups_of_four_of_a_row_hold_one_label() -> None:
    shown = played("Pairs, then fours, then eights", "rows-and-columns")
    assert shown.phase is not None
    (row,) = (one for one in shown.phase.shared_arrays() if one.name == "shared_labels")
    groups = np.asarray(row.values)[1:17].reshape(4, 4)
    assert all(len(set(group)) == 1 for group in groups.tolist())
    assert len(set(groups[:, 0].tolist())) == 4


def test_the_marked_run_adds_the_sums_that_are_told() -> None:
    shown = played("Arithmetic instead of visits", "labels-to-features")
    columns = [x for x, _ in shown.scene.highlight]
    rows = [y for _, y in shown.scene.highlight]
    assert "add up to 15" in to_plain_text(shown.caption)
    question = shown.scene.question
    assert question is not None
    assert question.right is not None
    assert (sum(columns), str(sum(rows))) == (15, question.choices[question.right - 1])


def test_the_quick_warp_left_the_bits_that_are_told() -> None:
    image = played("What went wrong", "races").recording.image
    assert image[0, 32:].tolist() == [0, 1]
    assert image[0, [10, 24]].all()
    assert image[1, [10, 24]].all()


def test_the_quick_warp_stored_between_two_barriers_before_the_other_read() -> None:
    shown = played("What went wrong", "races").diagram
    assert isinstance(shown, OrderDiagram)
    assert [(event.warp, event.words) for event in shown.events[:4]] == [
        (0, "writes 0xffffffff"),
        (None, "barrier"),
        (0, "writes 0x00000002"),
        (1, "reads 0x00000002"),
    ]


def test_lanes_share_sectors_along_a_row_and_not_down_a_column() -> None:
    rows, columns = (
        played(title, MEMORY).diagram for title in ("Memory moves in pieces", "Down a column")
    )
    assert isinstance(rows, SectorDiagram)
    assert isinstance(columns, SectorDiagram)
    assert len(rows.request.sectors) < len(columns.request.sectors) == 8
    assert set(np.diff([*columns.request.elements.values()])) == {17}


def test_lanes_0_and_16_meet_at_a_bank() -> None:
    shown = played("Thirty-two doors", MEMORY).diagram
    assert isinstance(shown, BankDiagram)
    assert shown.example == "Lanes 0 and 16 want elements 1 and 33: both are in bank 1."


def test_lane_6_counts_two_ones() -> None:
    shown = played("Three operations", "runs-ballots-strips").diagram
    assert isinstance(shown, RunStartDiagram)
    assert (shown.lane, shown.leading_zeros) == (6, 2)


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_a_scene_of_a_figure_names_it_as_its_source(name: str) -> None:
    for scene in lessons.read_lesson(name).scenes:
        found = re.match(r"Figure (\d+):", scene.title)
        if found:
            assert re.search(rf"Source: .*\bFigure {found[1]}\b", scene.notes)


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_what_is_said_of_a_paper_has_its_source(name: str) -> None:
    for scene in lessons.read_lesson(name).scenes:
        text = re.sub(r"`[^`]*`", " ", f"{scene.caption} {scene.more} {scene.notes}")
        if re.search(r"\b(?:paper|article|chapter)\b|published|\bTable \d|\bAlgorithm \d", text):
            found = re.search(r"Sources?\b[^:]*: .*", scene.notes)
            assert found or "on paper" in text, scene.title


# fmt: off
HAND_WRITTEN = {
    "what-a-gpu-does": {"0", "1", "2", "3", "4", "5", "6", "7", "10", "28", "31", "32"},
    "memory-and-waiting": {
        "0", "1", "2", "4", "8", "10", "11", "24", "32", "33", "40", "64", "360", "400", "440",
        "65,536",
    },
    "what-is-a-component": {"0", "4", "8"},
    "shibata": {"2", "3", "4", "5", "6", "7", "8", "9", "10", "34"},
    "rows-and-columns": {
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "32", "512", "1,024",
    },
    "label-equivalence": {"0", "4", "5", "60", "100"},
    "tiles-and-merge-levels": {"1", "2", "3", "4", "16", "64"},
    "runs-ballots-strips": {"0", "2", "3", "4", "6", "7", "31", "32", "64"},
    "labels-to-features": {"0", "1", "4", "5", "15", "20", "1,000", "1,000,000"},
    "races": {"0", "1", "10", "24", "32", "33", "82"},
    "which-algorithm": {"2", "4", "8"},
}
# fmt: on
"""Numbers that stand in texts as such. Each is a constant, the scene's own drawing, or tested here
or in test_lessons_claims.py. Whatever a run could tell is a figure in braces instead."""


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_numbers_are_figures_of_the_recording_unless_they_are_known(name: str) -> None:
    for scene in lessons.read_lesson(name).scenes:
        asked = scene.question
        texts = [scene.title, scene.caption]
        texts += [] if asked is None else [asked.prompt, *asked.choices, *asked.why]
        words = re.sub(
            r"\{[^}]*\}|`[^`]*`|\b[xy] = \d+(?: to \d+)?|HA\d|ha4", " ", "\n".join(texts)
        )
        numbers = set(re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", words))
        assert numbers <= HAND_WRITTEN[name], scene.title
