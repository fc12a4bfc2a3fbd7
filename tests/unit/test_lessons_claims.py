"""The words of captions are true for the runs beside them, in addition to the figures."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from ccl_viewer import lessons
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.diagnostics.check import DefectKind, check_algorithm
from ccl_viewer.diagnostics.phases import ThreadState, distances_from_run_start
from ccl_viewer.diagnostics.profile import profile_algorithm
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.lessons import PreparedScene, record_scene
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.storage.resources import assets_folder


def scene_titled(name: str, title: str) -> PreparedScene:
    lesson = lessons.read_lesson(name)
    index = next(i for i, scene in enumerate(lesson.scenes) if title in scene.title)
    return lessons.prepare_scene(lesson, index)


def changed_cells(shown: PreparedScene) -> set[tuple[int, int]]:
    before, after = (shown.recording.labels(step) for step in (shown.step - 1, shown.step))
    return {(int(x), int(y)) for y, x in np.argwhere(before != after)}


def test_the_right_post_believes_in_18_then_15_and_hears_of_11_last() -> None:
    run = scene_titled("shibata", "The naive kernel").recording
    top = [int(run.labels(step)[1, 8]) for step in range(len(run))]
    assert list(dict.fromkeys(top)) == [18, 15, 11]
    assert top.index(11) == len(run) - 2, "only the pass that confirms comes after it"


def test_the_cells_that_are_marked_are_those_that_changed() -> None:
    for name, title in (("shibata", "Figure 7"), ("tiles-and-merge-levels", "Kernel 3")):
        shown = scene_titled(name, title)
        assert set(shown.scene.highlight) == changed_cells(shown), title


def test_the_marked_end_of_the_sign_is_reached_last() -> None:
    shown = scene_titled("rows-and-columns", "Until nothing changes")
    run = shown.recording
    last = max(step.index for step in run.steps if step.changed)
    before, after = run.labels(last - 1), run.labels(last)
    assert {(x, y) for y, x in np.argwhere(before != after).tolist()} >= {*shown.scene.highlight}


def test_a_root_with_two_offers_keeps_the_smaller_and_the_other_tree_waits() -> None:
    shown = scene_titled("races", "The order decides")
    run, step = shown.recording, shown.step
    assert (run.labels(step - 1)[2, 14], run.labels(step)[2, 14]) == (69, 20)
    assert changed_cells(shown) == {(14, 2)}
    waits = run.labels(step)[2, 12], run.labels(step + 1)[2, 12], run.labels(step + 2)[2, 12]
    assert waits == (67, 67, 20)


def test_without_the_second_barrier_both_blocks_are_left_and_nothing_else() -> None:
    wrong, right = (
        scene_titled("races", title).recording for title in ("that was forgotten", "The remedy")
    )
    first, second = wrong.labels(-1)[1, 10], wrong.labels(-1)[1, 24]
    assert first != second
    assert 0 not in {first, second}
    assert right.labels(-1)[1, 10] == right.labels(-1)[1, 24] == 0
    np.testing.assert_array_equal(wrong.labels(-1)[:, 32:], right.labels(-1)[:, 32:])


def test_followed_ways_are_longer_than_a_step_where_trees_are_said_to_be_tall() -> None:
    shown = scene_titled("tiles-and-merge-levels", "The trees grow tall")
    parents = shown.recording.parents(shown.step).ravel()
    width = shown.recording.image.shape[1]
    for x, y in shown.scene.follow:
        place = y * width + x
        assert parents[parents[place]] != parents[place]


def test_the_ballot_of_row_2_has_the_bits_and_the_distances_that_are_told() -> None:
    shown = scene_titled("runs-ballots-strips", "Where does my run begin")
    assert shown.phase is not None
    operation = shown.phase.last_warp_operation()
    assert operation is not None
    assert operation.name == "__ballot_sync"
    ballot = operation.gets[0]
    assert ballot is not None
    bits = [bool(ballot >> lane & 1) for lane in range(16)]
    assert bits == shown.recording.image[2].astype(bool).tolist()
    distances = distances_from_run_start(ballot)
    assert (distances[6], distances[4]) == (2, 0)


def test_the_loads_that_are_told_are_those_of_labels_and_of_the_flag() -> None:
    shown = scene_titled("what-a-gpu-does", "One memory for all")
    row = find_algorithm("shibata_naive")
    parameters = row.complete(shown.scene.parameters)
    launch = profile_algorithm(
        shown.recording.image, row, 4, parameters, schedule="synchronous"
    ).launches[1]
    loads: Counter[str | None] = Counter()
    for site in launch.sites:
        if site.kind is AccessKind.LOAD:
            loads[site.memory] += site.counts.accesses
    assert set(loads) == {"fb", "changed"}
    assert loads["changed"] == len(changed_cells(shown))
    assert f"{loads.total()} loads: {loads['changed']} of them read the flag" in to_plain_text(
        shown.more
    )


def test_the_lanes_that_still_run_are_those_that_have_a_label_to_store() -> None:
    shown = scene_titled("what-a-gpu-does", "A place in the warp")
    assert shown.phase is not None
    lanes = shown.phase.lanes()
    running = {lane.cell for lane in lanes if lane.state is ThreadState.RUNNING}
    assert running == changed_cells(shown)
    assert all(lane.active and lane.write is None for lane in lanes)


def test_a_column_launch_moves_as_many_bytes_as_the_ledger_counts() -> None:
    shown = scene_titled("rows-and-columns", "What columns cost")
    row = find_algorithm("row_col_unify")
    launches = profile_algorithm(
        shown.recording.image, row, 4, row.complete({}), schedule="synchronous"
    ).launches
    rows, columns = launches[1:3]
    assert (rows.kernel, columns.kernel) == ("row_col_unify_rows", "row_col_unify_columns")
    told = to_plain_text(shown.caption)
    for launch in (rows, columns):
        loads = launch.counts(AccessKind.LOAD).accesses
        assert re.search(f"{loads:,} loads and (moves )?{launch.transferred_bytes:,} bytes", told)
        assert f"{launch.coalescing:.0%}" in shown.more
        moved: Counter[str | None] = Counter()
        for site in launch.sites:
            moved[site.memory] += 32 * site.counts.transactions
        assert launch.transferred_bytes == moved["labels"] + moved["is_not_done"], (
            "the stores and the flag"
        )
    assert columns.transferred_bytes > 4 * rows.transferred_bytes


def test_the_check_finds_the_forgotten_barrier_at_the_line_that_is_told() -> None:
    shown = scene_titled("races", "Another order")
    grid, row = shown.recording.image, find_algorithm("ha4")
    found = check_algorithm(
        row, 4, {"variant": "printed"}, [("smallest", grid)], orders=1, shrink=False
    )
    (race,) = [one for one in found.defects if one.kind is DefectKind.SHARED_RACE]
    assert f"Line {race.line} of {race.file}" in shown.caption
    with_seed_0 = record_scene(replace(shown.scene, schedule="random:0"))
    assert with_seed_0.verdict is not None
    assert with_seed_0.verdict.found == 2, "as the notes say"
    for smaller in (grid[:, :32], grid[:1]):
        kinds = {
            one.kind
            for one in check_algorithm(row, 4, {"variant": "printed"}, [("", smaller)]).defects
        }
        assert kinds <= {DefectKind.SHARED_RACE}, "no wrong labels"


def test_the_slower_kernels_take_as_many_iterations_on_the_long_path_as_told() -> None:
    shown = scene_titled("shibata", "A long path")
    naive, slow = (
        record_scene(replace(shown.scene, algorithm=key)).iterations
        for key in ("shibata_naive", "shibata_slow")
    )
    assert f"naive kernel takes {naive} iterations, and the slow one {slow}:" in shown.more


def test_only_starts_of_runs_have_labels_before_the_last_kernel() -> None:
    shown = scene_titled("runs-ballots-strips", "Joined across")
    run, image = shown.recording, shown.recording.image != 0
    starts = image & ~np.pad(image, ((0, 0), (1, 0)))[:, :-1]
    labelled = run.labels(shown.step) != run.layout.background
    np.testing.assert_array_equal(labelled, starts)
    assert f"Of {image.sum()} cells only the {starts.sum()} that begin a run" in shown.caption


def test_joins_and_sums_make_up_the_atomics_of_features() -> None:
    shown = scene_titled("which-algorithm", "Features without")
    row = find_algorithm("ha4_features")
    found = profile_algorithm(
        shown.recording.image, row, 4, row.complete({}), schedule="synchronous"
    )
    atomics: Counter[str | None] = Counter()
    for launch in found.launches:
        for site in launch.sites:
            if site.kind is AccessKind.ATOMIC:
                atomics[site.memory] += site.counts.accesses
    joins = atomics.pop("labels")
    (runs,) = {*atomics.values()}
    assert len(atomics) == 7
    assert shown.more.startswith(f"{joins} atomics join trees, and each of {runs} runs makes seven")


def milliseconds(preset: str, case: str, workload: str) -> float:
    """Return a time of the committed results."""
    path = assets_folder().parent / "docs" / "reproduction" / "results.json"
    reports = json.loads(path.read_text("utf-8"))["times"]
    (found,) = (
        one["figures"]["milliseconds"]
        for one in reports[preset]["measurements"]
        if (one["case"], one["workload"]) == (case, workload)
    )
    return float(found)


def test_the_times_in_texts_are_those_of_the_results() -> None:
    more = scene_titled("which-algorithm", "More cells").more
    small, middle, large = (
        milliseconds("kalentev-3", "label_equivalence", f"noise {side} d0.5")
        for side in (1024, 2048, 4096)
    )
    assert f"takes {middle / small:.1f} times as long on 2048 x 2048" in more
    assert f"to 4096 x 4096 it takes {large / middle:.1f} times" in more
    more = scene_titled("which-algorithm", "Tiles, and").more
    flat, tall = (
        milliseconds("stava-35.11", case, "(d) 4096")
        for case in ("stava_benes", "stava_benes:flatten=0")
    )
    assert f"{flat:.3f} ms with it and {tall:.3f} ms without" in more


def test_tiles_connect_corners_from_the_scene_on_that_says_so() -> None:
    scenes = lessons.read_lesson("tiles-and-merge-levels").scenes
    first = next(i for i, scene in enumerate(scenes) if "corners connect, too" in scene.caption)
    assert [scene.connectivity for scene in scenes] == [4] * first + [8] * (len(scenes) - first)


def test_the_picture_of_the_first_ballot_does_not_show_who_stores() -> None:
    shown = scene_titled("runs-ballots-strips", "Where does my run begin")
    assert not shown.scene.layers.numbers
    assert not shown.scene.layers.changed


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_texts_suit_a_terminal_and_paper_too(name: str) -> None:
    for scene in lessons.read_lesson(name).scenes:
        prompt = "" if scene.question is None else scene.question.prompt
        assert not re.search(r"\b[Cc]lick|\bbold\b", f"{scene.caption} {scene.more} {prompt}")
        assert "outlined" not in scene.caption
