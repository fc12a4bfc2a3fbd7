"""The model for benchmarks: what it measures, how it ends, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.models import inline_session, pump, threaded_session

from ccl_viewer.window.bench.model import GRIDS, Bench
from ccl_viewer.window.core.session import Session

SPIRALS = "pattern:spiral?size=7\npattern:spiral?size=9\n"


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    yield session
    session.close()


def measured(session: Session, **fields: object) -> Bench:
    bench = Bench(tasks=session.tasks, document=session.document)
    bench.change(device="emulator", **fields)
    bench.start()
    return bench


def test_own_algorithms_on_own_grids(session: Session, tmp_path: Path) -> None:
    bench = measured(session, algorithms="ha4 label_equivalence:threads=64", workloads=SPIRALS)
    assert bench.report is not None
    assert len(bench.report.measurements) == 4
    assert bench.status.startswith("4 measurements. Emulator (counts, no times)")
    assert not bench.running
    assert "milliseconds" not in bench.figures
    assert bench.figure == "bytes"
    assert len(bench.plots) == 1
    bench.choose_figure("atomics")
    texts = [text for item in bench.plots[0] for text in getattr(item, "texts", ())]
    assert any("atomic" in text for text in texts)
    bench.save(tmp_path)
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("benchmark-20")
    assert {"results.json", "results.csv", "bytes.svg", "bytes.png"} <= {
        path.name for path in folder.iterdir()
    }
    assert bench.status.startswith("Wrote ")
    bench.save(tmp_path)
    assert "not empty" in bench.status


def test_each_preset_keeps_its_own_results(session: Session) -> None:
    bench = Bench(tasks=session.tasks, document=session.document)
    bench.change(preset="hennequin-features", reduced=True, device="emulator")
    bench.start()
    bench.change(preset="hennequin-6")
    assert bench.report is None
    bench.change(preset="hennequin-features")
    assert bench.report is not None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"algorithms": "ha5"}, "ha5"),
        ({"algorithms": "ha4:height=3"}, "height"),
        ({"algorithms": " "}, "nothing to measure"),
        ({"workloads": "no/such/file.png"}, "file.png"),
        ({"connectivity": 8, "algorithms": "ha4"}, "Nothing could be measured. HA4 labels with"),
        ({"workloads": "pattern:spirall"}, "spiral"),
    ],
)
def test_wrong_settings_are_said_and_change_nothing(
    session: Session, fields: dict[str, str], said: str
) -> None:
    bench = measured(session, **{"workloads": SPIRALS, **fields})
    assert said in bench.status
    assert not bench.running
    assert bench.report is None


def test_what_was_measured_before_cancel_stays() -> None:
    session = threaded_session()
    try:
        bench = Bench(tasks=session.tasks, document=session.document)
        bench.change(preset="hennequin-5", device="emulator")
        bench.start()
        assert bench.running
        pump(session, lambda: bench.report is not None)
        bench.start_or_cancel()
        pump(session, lambda: not bench.running)
        assert bench.report is not None
        assert not bench.report.complete
        assert bench.status.startswith("Stopped after ")
        assert bench.plots
    finally:
        session.close()


def test_what_was_left_out_is_said(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"no picture")
    bench = measured(session, workloads=f"{SPIRALS}{tmp_path}", algorithms="ha4 cupyx")
    assert bench.status.startswith("2 measurements.")
    assert "Not measured: a.png, cupyx." in bench.status
    assert bench.report is not None
    assert any("The library is not installed" in why for why in bench.report.omissions)


def test_a_mistake_keeps_older_results(session: Session) -> None:
    bench = measured(session, algorithms="playne", workloads=SPIRALS)
    older = bench.report
    assert older is not None
    bench.change(algorithms="plane")
    bench.start()
    assert "plane" in bench.status
    assert bench.report is older


def test_grids_are_added_once(session: Session) -> None:
    bench = Bench(tasks=session.tasks, document=session.document)
    bench.change(workloads="")
    for lines in GRIDS.values():
        bench.add_grids(*lines(32))
        bench.add_grids(*lines(32))
    found = bench.settings.workloads.splitlines()
    assert len(found) == len(set(found)) > 20
    bench.change(device="emulator", algorithms="playne")
    bench.start()
    assert bench.report is not None
    assert len(bench.report.measurements) == len(found)
    assert all(m.correct for m in bench.report.measurements)


def test_the_grid_on_the_canvas_is_added_if_it_is_in_a_file(session: Session) -> None:
    bench = Bench(tasks=session.tasks, document=session.document)
    bench.change(workloads="")
    session.document.load_grid(np.ones((3, 3), np.uint8), "pattern:full?width=3&height=3")
    bench.add_document()
    assert bench.settings.workloads == "pattern:full?width=3&height=3"
    session.document.load_grid(np.ones((3, 3), np.uint8), "a drawing")
    bench.add_document()
    assert bench.settings.workloads == "pattern:full?width=3&height=3"
    assert "Save the grid first" in bench.status
