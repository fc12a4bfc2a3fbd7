"""Recordings that count what launches do to memory: by launch, by cell, in a file and out of it."""

from __future__ import annotations

import csv
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.grids import noise

from ccl_viewer import open_recording, record
from ccl_viewer.cli import main
from ccl_viewer.errors import InputError, RecordingFileError
from ccl_viewer.export import export
from ccl_viewer.recording import Recording
from ccl_viewer.recording.ledgers import COLUMNS, make_head, make_table, with_sites
from ccl_viewer.render.themes import COUNT_SHADES, DARK, FIRST_COUNT, canvas_colours

IMAGE = noise(24, 30, 0.5)
KINDS = ("loads", "stores", "atomics", "contention")


@pytest.fixture(scope="module")
def counted() -> Recording:
    return record(IMAGE, "playne", device="emulator", ledger=True)


def test_a_run_that_is_not_counted_has_no_ledgers() -> None:
    plain = record(IMAGE, "playne", device="emulator")
    assert not plain.has_counts
    assert all(step.ledger is None for step in plain.steps)
    with pytest.raises(InputError, match="not counted"):
        plain.counts(0, "loads")


@pytest.mark.parametrize("kind", ["most_contention", "labels", "", "LOADS"])
@pytest.mark.parametrize("total", [False, True])
def test_only_the_documented_kinds_are_counted(
    counted: Recording, kind: str, *, total: bool
) -> None:
    with pytest.raises(InputError, match="choose from loads, stores, atomics, contention"):
        counted.counts(1, kind, total=total)


def test_counting_changes_no_labels(counted: Recording) -> None:
    plain = record(IMAGE, "playne", device="emulator")
    assert [step.kernel for step in plain.steps] == [step.kernel for step in counted.steps]
    assert (plain.labels(-1) == counted.labels(-1)).all()


def test_counts_of_cells_are_those_of_the_arrays_with_an_element_for_each(
    counted: Recording,
) -> None:
    for step in counted.steps:
        ledger = step.ledger
        assert ledger is not None
        accesses = sum(s.counts.accesses for s in ledger.sites if s.memory not in {None, "image"})
        assert accesses == sum(counted.counts(step.index, kind).sum() for kind in KINDS[:3])
        assert ledger.contention == counted.counts(step.index, "contention").max()


def test_totals_add_up_and_contention_keeps_its_largest(counted: Recording) -> None:
    for kind in KINDS:
        steps = np.array([counted.counts(index, kind) for index in range(len(counted))])
        together = steps.max(axis=0) if kind == "contention" else steps.sum(axis=0)
        assert (counted.counts(-1, kind, total=True) == together).all()


@pytest.mark.parametrize("key", ["row_col_unify", "ha4", "label_equivalence_sizes"])
def test_a_file_brings_the_counts_back(key: str, tmp_path: Path) -> None:
    made = record(IMAGE, key, device="emulator", ledger=True)
    made.save(tmp_path / "run.cclrec")
    opened = open_recording(tmp_path / "run.cclrec")
    assert [replace(step, milliseconds=0) for step in opened.steps] == [
        replace(step, milliseconds=0) for step in made.steps
    ]
    for kind in KINDS:
        for index in range(len(made)):
            assert (opened.counts(index, kind) == made.counts(index, kind)).all()


@pytest.mark.parametrize("schedule", ["sequential", "synchronous", "reverse", "random:3"])
def test_any_schedule_is_counted(schedule: str) -> None:
    found = record(IMAGE, "playne", schedule=schedule, ledger=True)
    assert found.schedule == schedule
    assert all(step.ledger is not None and step.ledger.transferred_bytes for step in found.steps)


def test_a_gpu_is_not_asked_to_count() -> None:
    with pytest.raises(InputError, match="does not count"):
        record(IMAGE, device="cuda", ledger=True)


@pytest.mark.parametrize(
    ("column", "value"),
    [(0, 99), (0, -1), (1, 99), (1, -2), (2, 3), (3, -1), (4, 99), (4, -2), (5, -1), (9, 2**60)],
)
def test_a_damaged_table_is_refused(counted: Recording, column: int, value: int) -> None:
    head = make_head(counted.steps)
    table = make_table(counted.steps, head)
    assert table.shape[1] == COLUMNS
    assert with_sites(counted.steps, head, table) == list(counted.steps)
    table[-1, column] = value
    with pytest.raises(ValueError, match="bounds"):
        with_sites(counted.steps, head, table)


@pytest.mark.parametrize("name", ["ledger.npy", "counts/loads/deltas.npy"])
def test_a_file_without_its_counts_is_refused(
    counted: Recording, name: str, tmp_path: Path
) -> None:
    whole, part = tmp_path / "whole.cclrec", tmp_path / "part.cclrec"
    counted.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(part, "w") as new:
        for entry in old.infolist():
            if entry.filename != name:
                new.writestr(entry, old.read(entry))
    with pytest.raises(RecordingFileError):
        open_recording(part)


def test_an_export_by_counts_counts(tmp_path: Path) -> None:
    source = "pattern:noise?width=16&height=12"
    out = tmp_path / "runs.gif"
    arguments = ["-a", "ha4", "-a", "playne", "--sync", "bytes", "--colours", "stores"]
    assert main(["export", source, *arguments, "-o", str(out)]) == 0
    with Image.open(out) as animation:
        colours = {rgb for _, rgb in animation.convert("RGB").getcolors(1 << 20) or []}
    shades = canvas_colours(DARK).rgb_table[FIRST_COUNT : FIRST_COUNT + COUNT_SHADES].tolist()
    assert colours & {(red, green, blue) for red, green, blue in shades}


def test_tables_have_the_counts(counted: Recording, tmp_path: Path) -> None:
    export(counted, tmp_path / "steps.csv")
    with (tmp_path / "steps.csv").open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for step, row in zip(counted.steps, rows, strict=True):
        assert step.ledger is not None
        assert int(row["emulator_bytes_moved"]) == step.ledger.transferred_bytes
        assert float(row["emulator_coalescing"]) == step.ledger.coalescing
