"""The page of runs side by side, read back without a browser: its moments, names and limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.fakes import picture, recorded
from support.grids import noise
from support.pages import Markup, unpacked

import ccl_viewer as ccl
from ccl_viewer.errors import InputError
from ccl_viewer.export import ExportOptions, Sync, estimate, export
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import make_page_run
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import NOT_BEGUN, align_steps, choose_stops
from ccl_viewer.render.layers import CellColours, Layers

GRID = noise(9, 12, 0.6)


@pytest.fixture(scope="module")
def runs() -> tuple[Recording, Recording]:
    return recorded(GRID, passes=1), recorded(GRID, passes=4)


def page_of(runs: tuple[Recording, ...], folder: Path, options: ExportOptions) -> str:
    path = folder / "both.html"
    export(runs, path, options)
    return path.read_text("utf-8")


@pytest.mark.parametrize("sync", [sync for sync in Sync if sync is not Sync.BYTES])
def test_runs_are_at_the_steps_that_animations_show(
    runs: tuple[Recording, ...], tmp_path: Path, sync: Sync
) -> None:
    page = unpacked(page_of(runs, tmp_path, ExportOptions(sync=sync))).description
    frames = align_steps(runs, [choose_stops(run) for run in runs], sync)
    steps = [[step["index"] for step in run["steps"]] for run in page["runs"]]
    shown = tuple(
        tuple(
            NOT_BEGUN if place == NOT_BEGUN else own[place]
            for own, place in zip(steps, places, strict=True)
        )
        for places in page["comparison"]["moments"]
    )
    assert shown == frames


def test_labels_of_each_run_come_back_as_they_were(
    runs: tuple[Recording, ...], tmp_path: Path
) -> None:
    page = unpacked(page_of(runs, tmp_path, ExportOptions()))
    for recording, run in zip(runs, page.description["runs"], strict=True):
        arrays = page.arrays(run["labels"], len(recording))
        for step in range(len(recording)):
            np.testing.assert_array_equal(arrays[step + 1], recording.labels(step).ravel())


def test_steps_that_no_moment_shows_are_left_out_and_it_is_said(
    runs: tuple[Recording, ...], tmp_path: Path
) -> None:
    few, many = runs
    page = unpacked(page_of((few, many), tmp_path, ExportOptions(steps=slice(1, 2)))).description
    short, long = page["runs"]
    assert [step["index"] for step in short["steps"]] == [1]
    assert short["note"] == f"Of {len(few)} steps, 1 are shown here."
    assert all(step["index"] >= 1 for step in long["steps"])


def test_a_page_of_one_run_has_nothing_of_comparisons(runs: tuple[Recording, ...]) -> None:
    html = page_html(Page("Alone", (make_page_run(runs[0]),)))
    assert "comparison" not in unpacked(html).description
    for word in ("PanePlayer", "pane-part", "pages.panes"):
        assert word not in html


def test_a_page_of_a_comparison_loads_nothing(runs: tuple[Recording, ...], tmp_path: Path) -> None:
    markup = Markup(page_of(runs, tmp_path, ExportOptions()))
    for attributes in (one for found in markup.found.values() for one in found):
        assert not {"src", "srcset", "style"} & attributes.keys()
        assert attributes.get("href", "#").startswith("#")


def test_runs_are_called_after_what_tells_them_apart(tmp_path: Path) -> None:
    ways = [("ha4", "sequential"), ("ha4", "reverse"), ("label_equivalence", "sequential")]
    runs = [
        ccl.record(GRID, key, connectivity=4, device="emulator", schedule=schedule)
        for key, schedule in ways
    ]
    path = tmp_path / "three.html"
    export(runs, path, ExportOptions(sync=Sync.SHARE))
    page = unpacked(path.read_text("utf-8")).description
    assert page["comparison"]["names"] == ["HA4, sequential", "HA4, reverse", "Label Equivalence"]
    assert page["title"] == "HA4, sequential, HA4, reverse and Label Equivalence"
    assert page["comparison"]["going"] == "so that all end together"
    assert page["files"] == []


def test_runs_of_other_grids_are_refused(runs: tuple[Recording, ...], tmp_path: Path) -> None:
    for other in (recorded(noise(9, 12, 0.6, seed=1)), recorded(picture("##\n.#"))):
        with pytest.raises(InputError, match="run 2 is of another than the first"):
            export([runs[0], other], tmp_path / "both.html")
    assert list(tmp_path.iterdir()) == []


def test_a_layer_that_one_run_lacks_is_refused(tmp_path: Path) -> None:
    runs = [
        ccl.record(GRID, key, connectivity=4, device="emulator")
        for key in ("label_equivalence_sizes", "ha4")
    ]
    with pytest.raises(InputError, match="no layer 'sizes'"):
        export(runs, tmp_path / "x.html", ExportOptions(layers=Layers(numbers="layer:sizes")))


def test_its_size_is_estimated_from_some_of_its_moments(tmp_path: Path) -> None:
    runs = recorded(GRID, passes=2), recorded(GRID, passes=30)
    options = ExportOptions(sync=Sync.SHARE)
    found = estimate(runs, options, ".html")
    export(runs, tmp_path / "both.html", options)
    written = (tmp_path / "both.html").stat().st_size
    assert (found.width, found.seconds, found.exact) == (0, 0.0, False)
    assert abs(found.nbytes - written) < written / 2


def test_colours_for_counts_need_runs_that_all_have_them(tmp_path: Path) -> None:
    """Otherwise labels would be shown under the legend of counts."""
    counted, plain = (
        ccl.record(GRID, "ha4", device="emulator", ledger=ledger) for ledger in (True, False)
    )
    loads = ExportOptions(layers=Layers(colours=CellColours.LOADS))
    for recordings, colours in (
        ((counted,), "loads"),
        ((plain,), "label"),
        ((counted, plain), "label"),
    ):
        page = unpacked(page_of(recordings, tmp_path, loads)).description
        assert page["layers"]["colours"] == colours
        assert all(("loads" in run["counts"]) is (colours == "loads") for run in page["runs"])


def test_too_many_runs_are_refused(runs: tuple[Recording, ...], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.html holds 1 to 4 runs, not 5"):
        export([runs[0]] * 5, tmp_path / "five.html")
    assert list(tmp_path.iterdir()) == []
