"""A check finds planted faults and faulty versions, and nothing in the kernels as they are."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from support.cases import ALGORITHM_CASES
from support.checked_runs import altered_kernels
from support.grids import comb, noise
from support.kernel_runner import find_source
from support.limits import run_limited

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS, find_algorithm
from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.algorithms.copies import make_copy, save_copy
from ccl_viewer.cli import main
from ccl_viewer.diagnostics.check import (
    LARGE_GRIDS,
    Defect,
    DefectKind,
    WrongRun,
    check_algorithm,
    describe_report,
)
from ccl_viewer.diagnostics.races import HarmlessRace, RaceRule, harmless_races
from ccl_viewer.execution.plan import (
    Buffer,
    Kernel,
    LabelLayout,
    Launch,
    Outcome,
    Plan,
    Stage,
    Task,
)
from ccl_viewer.recording import open_recording
from ccl_viewer.user_kernels.template import write_algorithm

# Planted faults ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planted:
    """A kernel of ``planted.cu``, and the expected name of its fault."""

    kernel: str
    kind: DefectKind
    block: tuple[int, int]
    thread: tuple[int, int]
    memory: str
    index: int | None


WIDTH, HEIGHT = 40, 3
"""In blocks of 32 x 2: two across and two down, the last of each partly outside the grid."""

PLANTED = (
    Planted("store_past_the_end", DefectKind.OUT_OF_BOUNDS, (1, 1), (7, 0), "labels", 120),
    Planted("load_before_the_start", DefectKind.OUT_OF_BOUNDS, (0, 0), (0, 0), "labels", -1),
    Planted("load_above_the_first_row", DefectKind.OUT_OF_BOUNDS, (0, 0), (0, 0), "image", -40),
    Planted(
        "store_without_a_check_of_the_row", DefectKind.OUT_OF_BOUNDS, (0, 1), (0, 1), "labels", 120
    ),
    Planted(
        "store_without_a_check_of_the_column",
        DefectKind.OUT_OF_BOUNDS,
        (1, 1),
        (8, 0),
        "labels",
        120,
    ),
    Planted("atomic_below_the_last_row", DefectKind.OUT_OF_BOUNDS, (0, 1), (0, 0), "labels", 120),
    Planted("store_far_away", DefectKind.OUT_OF_BOUNDS, (0, 0), (0, 0), "", None),
    Planted("read_of_what_nobody_wrote", DefectKind.UNINITIALISED, (0, 0), (0, 0), "values", 0),
    Planted("read_of_what_one_block_wrote", DefectKind.UNINITIALISED, (1, 0), (0, 0), "values", 32),
    Planted("atomic_on_what_nobody_wrote", DefectKind.UNINITIALISED, (1, 1), (7, 0), "values", 119),
    Planted("shared_exchange_of_rows", DefectKind.SHARED_RACE, (0, 0), (0, 1), "table", 0),
    Planted("shared_exchange_of_lanes", DefectKind.SHARED_RACE, (0, 0), (1, 0), "table", 0),
    Planted("shared_stores_of_all", DefectKind.SHARED_RACE, (0, 0), (1, 0), "table", 5),
    Planted("shared_atomic_after_a_store", DefectKind.SHARED_RACE, (0, 0), (1, 0), "table", 63),
    Planted("shared_second_turn", DefectKind.SHARED_RACE, (0, 0), (0, 0), "table", 0),
    Planted(
        "shared_read_of_what_nobody_wrote", DefectKind.UNINITIALISED, (0, 0), (31, 1), "table", 63
    ),
    Planted(
        "shared_read_in_the_last_block", DefectKind.UNINITIALISED, (1, 1), (31, 1), "table", 63
    ),
    Planted("shared_store_past_the_end", DefectKind.OUT_OF_BOUNDS, (0, 0), (31, 1), "table", 64),
    Planted("shared_load_before_the_start", DefectKind.OUT_OF_BOUNDS, (0, 0), (0, 0), "table", -1),
    Planted("shared_store_far_away", DefectKind.OUT_OF_BOUNDS, (0, 0), (0, 0), "", None),
    Planted(
        "dynamic_store_past_the_end", DefectKind.OUT_OF_BOUNDS, (0, 0), (31, 1), "dynamic_table", 64
    ),
    Planted("device_load_beside_a_store", DefectKind.DEVICE_RACE, (0, 0), (2, 0), "labels", 1),
    Planted("device_stores_of_two_blocks", DefectKind.DEVICE_RACE, (1, 0), (0, 0), "extra", 0),
    Planted("device_atomic_after_a_store", DefectKind.DEVICE_RACE, (0, 0), (1, 0), "extra", 119),
    Planted(
        "device_barrier_orders_no_blocks", DefectKind.DEVICE_RACE, (1, 0), (0, 0), "labels", 32
    ),
    Planted("device_count_without_an_atomic", DefectKind.DEVICE_RACE, (0, 0), (1, 0), "extra", 0),
    Planted("misaligned_load", DefectKind.MISALIGNED, (0, 0), (1, 1), "labels", 41),
    Planted("misaligned_store", DefectKind.MISALIGNED, (0, 0), (1, 1), "labels", 41),
    Planted("misaligned_atomic", DefectKind.MISALIGNED, (0, 0), (1, 1), "labels", 41),
    Planted("misaligned_across_the_end", DefectKind.MISALIGNED, (1, 1), (7, 0), "labels", 119),
    Planted("misaligned_shared", DefectKind.MISALIGNED, (0, 0), (1, 1), "", None),
    Planted("barrier_at_the_right_edge", DefectKind.DIVERGENT_BARRIER, (1, 0), (0, 0), "", None),
    Planted("barrier_after_a_return", DefectKind.DIVERGENT_BARRIER, (0, 1), (0, 0), "", None),
    Planted("barriers_of_two_kinds", DefectKind.DIVERGENT_BARRIER, (0, 0), (0, 1), "", None),
    Planted("ballot_after_a_return", DefectKind.MISSING_LANE, (1, 0), (0, 0), "", None),
    Planted("ballot_of_half_a_warp", DefectKind.MISSING_LANE, (0, 0), (16, 0), "", None),
    Planted("shuffle_of_a_part", DefectKind.MISSING_LANE, (0, 0), (0, 0), "", None),
    Planted("loop_without_an_end", DefectKind.ENDLESS_LOOP, (0, 0), (1, 1), "", None),
    Planted("assertion_at_the_right_edge", DefectKind.FAILED_ASSERTION, (1, 0), (28, 0), "", None),
)


def planted(kernel: str, module: str = "planted") -> Algorithm:
    """An algorithm of one launch."""

    def plan(task: Task) -> Plan:
        layout = LabelLayout(HEIGHT, WIDTH, WIDTH, background=-1)
        shape, number = (HEIGHT, WIDTH), np.dtype(np.int32)
        labels = Buffer("labels", shape, number, fill=0, layout=layout)
        extra = Buffer("extra", (HEIGHT * WIDTH,), number, fill=0)
        values = Buffer("values", (HEIGHT * WIDTH,), number)
        yield from (labels, extra, values)
        arguments = (task.image, labels, extra, values, np.int32(WIDTH), np.int32(HEIGHT))
        launch = Launch(
            Kernel(module, kernel), (2, 2, 1), (32, 2, 1), arguments, Stage.INIT, "Fails.",
            shared_bytes=256 if kernel.startswith("dynamic") else 0,
        )  # fmt: skip
        yield launch
        return Outcome(labels)

    return Algorithm("planted", kernel, "", "", (4,), multivalued=False, planner=plan)


def fault_line(kernel: str) -> int:
    lines = find_source("planted").read_text(encoding="utf-8").split("\n")
    start = next(number for number, line in enumerate(lines) if f"void {kernel}(" in line)
    return next(n for n in range(start, len(lines)) if lines[n].endswith("// fault")) + 1


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.kernel)
def test_a_planted_fault_is_found_and_named(case: Planted) -> None:
    grid = np.ones((HEIGHT, WIDTH), np.uint8)
    report = check_algorithm(
        planted(case.kernel), grids=[("all", grid)], orders=0, shrink=False,
        find_source=find_source,
    )  # fmt: skip
    named = [(d.kernel, d.kind, d.block, d.thread, d.memory, d.index) for d in report.defects]
    block, thread = (*case.block, 0), (*case.thread, 0)
    expected = (case.kernel, case.kind, block, thread, case.memory, case.index)
    assert expected in named
    if sys.platform == "linux":
        defect = report.defects[named.index(expected)]
        assert (defect.file, defect.line) == ("planted.cu", fault_line(case.kernel))


# Faulty versions of papers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "connectivity", "parameters", "kind"),
    [
        ("ha4", 4, {"variant": "printed"}, DefectKind.SHARED_RACE),
        ("row_col_unify", 4, {"variant": "printed_checks"}, DefectKind.WRONG_LABELS),
        ("shibata_naive", 8, {"passes": 3}, DefectKind.WRONG_LABELS),
    ],
)
def test_faulty_versions_are_found(
    algorithm: str, connectivity: int, parameters: dict[str, int | None], kind: DefectKind
) -> None:
    grids = [("noise", noise(4, 96, 0.6)), ("square", noise(10, 10, 0.6, seed=6))]
    row = ALGORITHMS[algorithm]
    report = check_algorithm(row, connectivity, parameters, grids, orders=2, shrink=False)
    assert kind in {defect.kind for defect in report.defects}


def test_the_smallest_grid_that_fails_is_recorded() -> None:
    told: list[Defect] = []
    grids = [("noise", noise(4, 96, 0.6))]
    report = check_algorithm(
        ALGORITHMS["ha4"], 4, {"variant": "printed"}, grids, orders=1, on_defect=told.append
    )
    failure = report.counterexample
    assert failure is not None
    assert tuple(told) == report.defects
    assert failure.grid.shape[0] <= 3
    assert failure.grid.shape[1] < 96
    assert failure.recording.schedule == failure.schedule
    assert 0 <= failure.step < len(failure.recording)
    verdict = failure.recording.verdict
    assert verdict is None or not verdict.correct


def test_a_grid_is_made_smaller_until_no_row_column_or_cell_can_go(tmp_path: Path) -> None:
    old = "if (p) {\n        labels[k] = label;"
    find = altered_kernels(tmp_path, "ha4.cu", old, f"assert(width < 3);\n    {old}")
    report = check_algorithm(
        ALGORITHMS["ha4"], 4, grids=[("full", np.ones((3, 7), np.uint8))], orders=0,
        find_source=find,
    )  # fmt: skip
    assert report.counterexample is not None
    assert report.counterexample.grid.tolist() == [[0, 0, 0]]
    assert (report.runs, len(report.sizes)) == (1, 1)  # runs on smaller grids do not count


NOISE = "pattern:noise?width=96&height=4&density=0.6"


def test_the_command_writes_the_run_that_goes_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, described = tmp_path / "out", tmp_path / "check.json"
    code = main(
        [
            *("check", "ha4", "-p", "variant=printed", "--grid", NOISE, "--orders", "1"),
            *("-o", str(folder), "--json", str(described)),
        ]
    )
    assert code == 1
    said = capsys.readouterr().out
    assert "race in shared memory: ha4_strip_labeling" in said
    assert "it fails on " in said
    (report,) = json.loads(described.read_text())
    recording = open_recording(folder / "ha4-4.cclrec")
    assert recording.initial_step == report["failure"]["step"]
    assert recording.image.tolist() == report["failure"]["grid"]
    assert {defect["kind"] for defect in report["defects"]} >= {"race in shared memory"}
    assert main(["check", "ha4", "--grid", NOISE, "-o", str(folder)]) == 2  # it is not empty


def test_the_command_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["playne", "-c", "4", "--grid", NOISE, "--orders", "1"]
    assert main(["check", *arguments, "-o", str(tmp_path / "new" / "out")]) == 0
    assert "Nothing is wrong: 2 runs on 1 grid of 96 x 4 cells." in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_the_command_leaves_no_folder_for_a_copy_that_does_not_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))
    copy = make_copy("mine", "ha4", "ha4")
    save_copy(copy, f"{copy.path.read_text()} nonsense")
    folder = tmp_path / "out"
    assert main(["check", copy.key, "--grid", NOISE, "-o", str(folder)]) != 0
    assert "does not compile" in capsys.readouterr().err
    assert not folder.exists()


def test_the_command_refuses_a_folder_that_cannot_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    for more in ([], ["--force"]):
        assert main(["check", "ha4", "--grid", NOISE, "-o", str(file / "out"), *more]) == 2
        assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [("nothing",), ("ha4", "-c", "8"), ("ha4", "-p", "variant=third")]
)
def test_the_command_refuses_wrong_input(arguments: tuple[str, ...]) -> None:
    assert main(["check", *arguments]) == 2


# The kernels as they are ---------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_nothing_is_wrong_with_the_kernels(algorithm: str, connectivity: int) -> None:
    grids = [("noise", noise(18, 35, 0.5)), ("comb", comb(9, 35))]
    report = check_algorithm(ALGORITHMS[algorithm], connectivity, grids=grids, orders=1)
    assert report.defects == (), [defect.text for defect in report.defects]
    assert report.counterexample is None


def test_a_declared_race_has_a_kernel_a_buffer_and_a_reason() -> None:
    races = harmless_races("label_equivalence")
    assert {(race.kernel, race.buffer) for race in races} == {
        ("label_equivalence_analysis", "labels"),
        ("label_equivalence_analysis_sizes", "labels"),
        ("label_equivalence_scanning", "labels"),
        ("label_equivalence_scanning", "is_not_done"),
        ("label_equivalence_analysis_sizes", "sizes"),
    }
    assert races[0].rule == "minimum"
    assert races[0].reason.endswith("repeats what was lost.")
    assert not any("//" in race.reason for race in races)


@pytest.mark.parametrize(
    ("declared", "covered"),
    [
        ("device_load_beside_a_store.labels", True),
        ("other.extra, device_load_beside_a_store.labels", True),
        ("labels", True),
        ("device_barrier_orders_no_blocks.labels", False),
        ("device_load_beside_a_store.extra", False),
    ],
)
def test_a_declared_race_covers_its_kernel_alone(
    declared: str, covered: bool, tmp_path: Path
) -> None:
    source = find_source("planted").read_text(encoding="utf-8")
    (tmp_path / "planted.cu").write_text(
        f"// harmless race, one writer: {declared}: it is.\n{source}", "utf-8"
    )
    report = check_algorithm(
        planted("device_load_beside_a_store"), grids=[("all", np.ones((HEIGHT, WIDTH), np.uint8))],
        orders=0, shrink=False, find_source=lambda module: tmp_path / f"{module}.cu",
    )  # fmt: skip
    races = [defect for defect in report.defects if defect.kind is DefectKind.DEVICE_RACE]
    assert bool(report.harmless) is covered
    assert bool(races) is not covered


RACE_KINDS = {DefectKind.DEVICE_RACE, DefectKind.SHARED_RACE}

RACES = {
    "same_flag": {"same value", "maximum"},
    "count_up": {"maximum"},
    "fall": {"minimum"},
    "own_cell": {"one writer", "same value", "maximum"},
    "last_of_two": {"maximum"},
    "store_beside_a_minimum": {"minimum"},
    "same_byte": {"same value", "maximum"},
    "count_up_in_64_bits": {"maximum"},
    "shared_flag": {"same value", "maximum"},
    "shared_count_up": {"maximum"},
    "shared_fall": {"minimum"},
}
"""Kernels whose stores race, and the rules that the stores keep."""


@pytest.mark.parametrize("kernel", RACES)
@pytest.mark.parametrize("rule", [*RaceRule, "", "quickly"])
def test_a_race_is_harmless_only_if_its_stores_do_what_the_declaration_says(
    kernel: str, rule: str
) -> None:
    buffers = ("labels", "extra", "cell")
    races = [HarmlessRace("declared_races", kernel, name, rule, "it is") for name in buffers]
    report = check_algorithm(
        planted(kernel, "declared_races"), grids=[("all", np.ones((HEIGHT, WIDTH), np.uint8))],
        orders=0, shrink=False, find_source=find_source, harmless={"declared_races": races},
    )  # fmt: skip
    texts = [d.text for d in report.defects if d.kind in RACE_KINDS]
    assert bool(report.harmless) or texts
    kept = RACES[kernel] & ({rule} if rule else {"same value", "minimum", "one writer"})
    assert (not texts) is bool(kept)
    if rule == "quickly":
        assert all("same value, minimum, maximum, one writer" in text for text in texts)
    elif texts:
        declared = f"harmless ({rule})" if rule else "harmless"
        assert any(f"It is declared {declared}, but " in text for text in texts)


@pytest.mark.parametrize("declared", ["harmless race, same value:", "harmless race:"])
def test_a_flag_that_counts_is_not_harmless(
    declared: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_algorithm(tmp_path / "mine")
    kernels = tmp_path / "mine" / "mine.cu"
    text = kernels.read_text("utf-8")
    text = text.replace("harmless race, same value:", declared)
    kernels.write_text(text.replace("*changed = 1;", "*changed = *changed + 1;"), "utf-8")
    grid = ["--grid", "pattern:noise?width=40&height=9"]
    assert main(["check", str(tmp_path / "mine"), "--orders", "0", *grid]) == 1
    assert "but two threads store different values" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("index", "kind"),
    [("short", DefectKind.OUT_OF_BOUNDS), ("unsigned short", DefectKind.WRONG_LABELS)],
)
def test_an_index_in_16_bits_is_found_on_large_grids(
    index: str, kind: DefectKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))
    write_algorithm(tmp_path / "mine")
    kernels = tmp_path / "mine" / "mine.cu"
    text = kernels.read_text("utf-8")
    before, after = "const int cell = y * width + x;", f"const {index} cell = y * width + x;"
    kernels.write_text(text.replace(before, after, 1), "utf-8")
    report = check_algorithm(
        find_algorithm(ccl.add_algorithm(tmp_path / "mine")),
        4,
        grids=[("noise", noise(9, 40, 0.6))],
        large_grids=True,
        orders=1,
        shrink=False,
    )
    assert kind in {defect.kind for defect in report.defects}
    assert {defect.grid for defect in report.defects} <= set(LARGE_GRIDS)
    assert "on 3 grids of 360 to 114,688 cells, up to 16,384 wide and 16,384 high" in (
        describe_report(report)
    )


def test_large_grids_are_right_with_a_right_algorithm() -> None:
    report = check_algorithm(ALGORITHMS["playne"], 8, grids=[], large_grids=True, orders=0)
    assert report.clean
    assert report.runs == 2


def test_on_wrong_receives_each_wrong_run() -> None:
    told: list[WrongRun] = []
    grid = ("noise", noise(4, 96, 0.6))
    report = check_algorithm(
        ALGORITHMS["ha4"],
        4,
        {"variant": "printed"},
        [grid],
        orders=4,
        shrink=False,
        on_wrong=told.append,
    )
    assert tuple(told) == report.wrong
    assert told
    assert len({run.schedule for run in told}) == len(told)
    outcomes = [each for each in report.defects if each.kind is not DefectKind.SHARED_RACE]
    assert sum(each.times for each in outcomes) == len(told)


CHECK_LARGE_GRID = """
import contextlib, io
from ccl_viewer.cli import main
with contextlib.redirect_stderr(io.StringIO()) as told:
    code = main(["check", "ha4", "--grid", "pattern:empty?width=4096&height=4096"])
print(code, told.getvalue())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as on Linux")
def test_a_check_without_enough_memory_says_so_in_a_sentence() -> None:
    told = run_limited(CHECK_LARGE_GRID, megabytes=1400, seconds=60)
    assert told.startswith("1 ")
    assert "not enough memory to look for races" in told
    assert "Traceback" not in told
