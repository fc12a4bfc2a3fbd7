"""Small promises of the library and the command line, each seen from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from PIL import Image, ImageSequence
from support.pages import unpacked

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.cli import main
from ccl_viewer.diagnostics.phases import trace_launch
from ccl_viewer.diagnostics.phases.requests import warp_requests
from ccl_viewer.diagnostics.profile import profile_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.export import ExportOptions, export
from ccl_viewer.export.estimate import estimate
from ccl_viewer.lessons import lesson_names, prepare_scene, read_lesson
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import Granularity, choose_stops
from ccl_viewer.render.facts import FactCounter, explain, facts_at
from ccl_viewer.render.layers import CellColours, Layers
from ccl_viewer.support.units import remaining_text

NOISE = "pattern:noise?width=24&height=24"
WRONG = "pattern:noise?width=24&height=24&density=0.6"


def picture_of(recording: Recording, step: int, path: Path, **options: object) -> bytes:
    """Return the pixels of a step of a run, without a caption."""
    steps = range(step, step + 1)
    export(recording, path, ExportOptions(steps=steps, caption=False, **options))  # type: ignore[arg-type]
    with Image.open(path) as image:
        return image.convert("RGB").tobytes()


def test_a_run_that_was_stopped_early_has_no_wrong_cells_in_its_picture(tmp_path: Path) -> None:
    """It is not finished, so that labels of the same step of the whole run look the same."""
    whole = ccl.record(NOISE, "shibata_naive", schedule="sequential")
    stopped = ccl.record(NOISE, "shibata_naive", schedule="sequential", passes=2)
    last, plain = len(stopped) - 1, Layers(colours=CellColours.DEPTH)
    np.testing.assert_array_equal(stopped.labels(last), whole.labels(last))
    path = tmp_path / "step.png"
    assert picture_of(stopped, last, path, layers=plain) == picture_of(
        whole, last, path, layers=plain
    )


def test_a_wrong_run_has_wrong_cells_only_in_its_last_picture(tmp_path: Path) -> None:
    wrong = ccl.record(WRONG, "row_col_unify", variant="printed")
    assert wrong.verdict is not None
    assert not wrong.verdict.correct
    right = ccl.record(WRONG, "row_col_unify")
    np.testing.assert_array_equal(wrong.labels(0), right.labels(0))
    path, plain = tmp_path / "step.png", Layers(colours=CellColours.DEPTH)
    assert picture_of(wrong, 0, path, layers=plain) == picture_of(right, 0, path, layers=plain)


def test_stages_of_other_iterations_are_stops_of_their_own() -> None:
    run = ccl.record(NOISE, "shibata_naive")
    places = [(step.stage, step.iteration, step.level) for step in run.steps]
    ends = [n for n in range(len(run)) if n + 1 == len(run) or places[n] != places[n + 1]]
    assert list(choose_stops(run, Granularity.STAGE)) == ends
    assert len(ends) > run.iterations


def test_changes_of_arrays_are_counted_over_all_steps_between() -> None:
    run = ccl.record(NOISE, "label_equivalence_sizes")
    first, last = 1, len(run) - 1
    changed = run.layer("sizes", first) != run.layer("sizes", last)
    assert np.count_nonzero(changed) != np.count_nonzero(
        run.layer("sizes", last - 1) != run.layer("sizes", last)
    )
    counted = dict(FactCounter(run).between(first, last).layers)
    assert counted["sizes"] == np.count_nonzero(changed)


def test_contention_of_several_launches_is_the_largest_of_them() -> None:
    launches = ccl.record(NOISE, "shibata_fast", ledger=True).steps
    each = [step.ledger.contention for step in launches if step.ledger is not None]
    assert sum(each) > max(each)
    grid = ccl.record(NOISE).image
    figures = profile_algorithm(grid, find_algorithm("shibata_fast"), None, {}).figures()
    assert figures["contention"] == max(each)


def test_a_request_moves_the_sectors_that_hold_its_bytes() -> None:
    trace = trace_launch(ccl.record(NOISE), 0)
    requests = [one for one in warp_requests(trace, trace.blocks[0], 0) if not one.shared]
    assert any(len(one.sectors) > 1 for one in requests)
    for one in requests:
        starts = one.offsets.values()
        held = {(start + byte) // 32 for start in starts for byte in range(one.itemsize)}
        assert one.sectors == tuple(sorted(held))


def test_a_long_caption_holds_a_page_for_five_seconds(tmp_path: Path) -> None:
    run = ccl.record(NOISE, "ha8")
    assert max(len(step.caption) for step in run.steps) > 5 * 25
    path = tmp_path / "run.html"
    export(run, path)
    (shown,) = unpacked(path.read_text("utf-8")).description["runs"]
    assert max(shown["seconds"]) == 5


@pytest.mark.parametrize("width", [10, 24])
def test_a_legend_stays_inside_its_picture(tmp_path: Path, width: int) -> None:
    layers = Layers(
        colours=CellColours.TREE, tiles=True, changed=True, onion=True, arrows=True, structure=True
    )
    path = tmp_path / "step.png"
    run = ccl.record(f"pattern:noise?width={width}&height=24", "playne")
    export(run, path, ExportOptions(steps=range(1, 2), layers=layers, scale=20))
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"))
    assert len(np.unique(pixels[:, -3:].reshape(-1, 3), axis=0)) == 1


def test_no_table_beside_an_open_question_has_times() -> None:
    seen = 0
    for lesson in map(read_lesson, lesson_names()):
        for index, scene in enumerate(lesson.scenes):
            if scene.question is None or not scene.times:
                continue
            table = prepare_scene(lesson, index).table
            assert table is not None
            assert any(" ms" in line for line in table.text)
            early = table.without_answer(scene.question)
            seen += 1
            assert early is None or not any(" ms" in line for line in early.text)
    assert seen


def test_check_ends_with_1_if_one_of_two_connectivities_is_wrong(tmp_path: Path) -> None:
    grid = tmp_path / "corners.txt"
    grid.write_text(".#.#\n#.#.\n")  # 8 neighbours need a second pass
    check = ["check", "shibata_naive:passes=1", "--grid", str(grid), "--orders", "0", "-q"]
    assert [main([*check, "-c", neighbours]) for neighbours in ("4", "8")] == [0, 1]
    assert main(check) == 1


def test_check_tries_large_grids_unless_others_are_named(tmp_path: Path) -> None:
    out, widths = tmp_path / "found.json", []
    for grids in ((), ("--grid", NOISE)):
        check = ["check", "two_pass", "-c", "4", *grids, "--orders", "0", "-q", "--json", str(out)]
        assert main(check) == 0
        widths.append(max(size["width"] for size in json.loads(out.read_text())[0]["sizes"]))
    assert widths == [16_384, 24]


def test_an_estimated_animation_takes_as_long_as_the_one_written(tmp_path: Path) -> None:
    run, options, path = ccl.record(NOISE), ExportOptions(fps=4, hold=1.5), tmp_path / "run.gif"
    export(run, path, options)
    with Image.open(path) as image:
        frames = [image.info["duration"] for _ in ImageSequence.Iterator(image)]
    assert estimate(run, options, ".gif").seconds == pytest.approx(sum(frames) / 1000)


def test_a_step_without_an_outlook_compares_nothing_with_the_components() -> None:
    run = ccl.record(NOISE)
    told = [facts_at(run, index) for index in range(len(run))]
    assert any("component" in explain(facts) for facts in told)
    assert not any("component" in explain(facts.without_outlook()) for facts in told)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "less than a second"), (30, "about 30 s"), (89, "about 89 s"), (600, "about 10 min")],
)
def test_the_time_left_is_in_seconds_and_then_in_minutes(seconds: float, words: str) -> None:
    assert remaining_text(seconds) == words


def test_the_exit_code_of_several_images_is_the_worst(tmp_path: Path) -> None:
    arguments = ["-a", "row_col_unify", "-p", "variant=printed", "-o", f"{tmp_path}/out/"]
    wrong = main(["record", WRONG, *arguments])
    missing = str(tmp_path / "missing.png")
    both = [main(["record", *two, *arguments]) for two in ((missing, WRONG), (WRONG, missing))]
    assert wrong == 1
    assert both == [2, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl+C")
def test_a_benchmark_that_is_stopped_ends_with_130() -> None:
    grids = [f"pattern:noise?width=256&height=256&seed={seed}" for seed in range(50)]
    command = [sys.executable, "-m", "ccl_viewer", "bench", "-a", "ha4", "-d", "emulator", *grids]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert "ha4" in first
    assert rest.count("4-connected") < len(grids) - 1
    assert process.returncode == 130


def test_a_list_of_all_components_says_nothing_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "dots.txt"
    for count, more in ((20, ""), (21, "and 1 that")):
        picture.write_text("#." * count + "\n")
        assert main(["components", str(picture), "-d", "emulator"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith(f"{count} components")
        assert [line for line in lines if line.startswith("and ")] == [
            line for line in lines if more and line.startswith(more)
        ]
        assert bool(more) == lines[-1].startswith("and ")


@pytest.mark.parametrize(
    "options", [{"algorithm": "ha4"}, {"connectivity": 4}, {"multivalued": True}]
)
def test_labels_are_measured_without_options_that_label(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not labelled again"):
        ccl.components(labels=np.eye(3, dtype=np.int32), **options)


@pytest.mark.parametrize("least", [-1, -2])
def test_negative_labels_are_refused(least: int) -> None:
    with pytest.raises(InputError, match=f"not {least}"):
        ccl.components(labels=np.array([[least, 0, 3]]))


def test_a_component_of_just_the_least_area_is_listed_across_blocks(tmp_path: Path) -> None:
    image = np.zeros((2048, 4096), np.uint8)
    image[3, 2046:2050] = image[3, 5:9] = 1  # one across the border of two blocks
    source, out = tmp_path / "in.zarr", tmp_path / "out.json"
    array = zarr.create_array(str(source), shape=image.shape, chunks=(2048, 2048), dtype="u1")
    array[:] = image
    least = ["--minimum-area", "4", "--threshold", "0"]
    assert main(["components", str(source), "-o", str(out), *least, "-d", "emulator", "-q"]) == 0
    assert [row["area"] for row in json.loads(out.read_text())["components"]] == [4, 4]
