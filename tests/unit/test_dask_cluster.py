"""If workers of a Dask cluster die, their tasks run again, and the labels are right."""

from __future__ import annotations

import copy
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt
import pytest
import zarr
from scipy import ndimage
from support.crashing import CrashingCall

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.devices.registry import open_gpu
from ccl_viewer.errors import CancelledError, CCLViewerError, DeviceUnavailableError
from ccl_viewer.large_images import chunked, streaming
from ccl_viewer.support.cancellation import CancelToken

distributed: Any = pytest.importorskip("distributed", reason="distributed is not installed")
plugin: Any = distributed.diagnostics.plugin
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")

Image = npt.NDArray[Any]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers, each a process that is started again when it dies."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        memory_limit=0,
        silence_logs=50,
    ) as started:
        yield started


def noise(height: int = 120, width: int = 90) -> Image:
    return np.random.default_rng(0).random((height, width)) < 0.5


def save_zarr(path: Path, image: Image) -> Path:
    array = zarr.create_array(str(path), shape=image.shape, chunks=(16, 32), dtype=image.dtype)
    array[:] = image
    return path


def label_file(source: Path, out: Path, run: streaming.Run) -> int:
    opened = streaming.open_source(source)
    return streaming.label_file(opened, out, ndimage.label, 4, run, block_pixels=1 << 9)


@pytest.mark.parametrize("phase", ["Labelling", "Numbering"])
def test_blocks_of_a_worker_that_dies_are_right(tmp_path: Path, cluster: Any, phase: str) -> None:
    image, mark, told = noise(), tmp_path / "died", list[str]()
    source, out = save_zarr(tmp_path / "in.zarr", image), tmp_path / "out.zarr"
    with streaming.open_cluster_runner(cluster, CancelToken(), told.append) as run_well:

        def run(text: str, call: Any, every: Any) -> list[Any]:
            return run_well(text, CrashingCall(call, str(mark)) if text == phase else call, every)

        assert label_file(source, out, run) == ndimage.label(image)[1]
    assert mark.exists()
    np.testing.assert_array_equal(zarr.open_array(str(out), mode="r")[:], ndimage.label(image)[0])
    assert sorted(tmp_path.iterdir()) == sorted([source, out, mark])
    assert "Labelling: block 24 of 24" in told


@pytest.mark.parametrize("phase", ["ccl-merge"])
def test_chunks_of_a_worker_that_dies_are_right(tmp_path: Path, cluster: Any, phase: str) -> None:
    """The worker dies that has just done the first task of a phase."""

    class Killing(plugin.SchedulerPlugin):  # type: ignore[misc]  # mypy takes its base for Any
        name, killed = "killing", False

        def transition(self, key: Any, _: str, finish: str, *__: object, **___: object) -> None:
            if finish == "memory" and phase in str(key) and not self.killed:
                self.killed = True
                (owner,) = cluster.scheduler.tasks[key].who_has
                os.kill(cluster.workers[owner.name].pid, signal.SIGKILL)

    image, killing = noise(), Killing()
    out = str(tmp_path / "out.zarr")
    with distributed.Client(cluster, set_as_default=False) as client:
        client.register_plugin(chunked.make_placement_plugin())
        labels, count = ccl.label(da.from_array(image, (40, 30)), device="emulator")
        cluster.scheduler.add_plugin(killing)
        stored, found = client.compute([labels.to_zarr(out, compute=False), count])
        assert found.result() == ndimage.label(image)[1]
        stored.result()
        cluster.scheduler.remove_plugin(killing.name)
    assert killing.killed
    np.testing.assert_array_equal(zarr.open_array(out, mode="r")[:], ndimage.label(image)[0])


def test_a_block_that_kills_its_workers_is_given_up(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with (
        streaming.open_cluster_runner(cluster, CancelToken(), lambda _: None) as run,
        pytest.raises(CCLViewerError, match=r"died of the same block.*more memory"),
    ):
        run("Labelling", os._exit, [(9,)])


def test_a_run_without_workers_says_so_and_can_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancel, told = CancelToken(), list[str]()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())
            cancel.cancel()

    monkeypatch.setattr(logging.getLogger(streaming.__name__), "handlers", [Handler()])
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=":0", silence_logs=50
        ) as empty,
        streaming.open_cluster_runner(empty, cancel, lambda _: None, idle_seconds=(0, 0)) as run,
        pytest.raises(CancelledError),
    ):
        run("Labelling", abs, [(1,)])
    (sentence,) = told
    assert sentence.startswith("Dask's scheduler has no workers yet: start some with dask worker ")


def test_wrong_addresses_end_in_one_sentence_each(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = save_zarr(tmp_path / "in.zarr", noise())
    addresses = ("nowhere", "foo://x:1", "tls://127.0.0.1:1")
    for address in addresses:
        out = str(tmp_path / "out.zarr")
        assert main(["label", str(source), "-o", out, "--scheduler", address]) == 2
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == len(addresses), lines
    for line, address in zip(lines, addresses, strict=True):
        assert line.startswith(f"ccl-viewer: No scheduler of Dask answers at {address} (")


def test_workers_of_gpus_need_gpus_and_leave_dask_as_it_was() -> None:
    before = copy.deepcopy(dask.config.config)
    with suppress(DeviceUnavailableError), streaming.gpu_cluster(1):
        assert open_gpu()  # otherwise the workers would use the emulator
    assert dask.config.config == before
    with pytest.raises(DeviceUnavailableError):
        streaming.gpu_cluster(1000)


def test_a_scheduler_that_goes_away_ends_the_run_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logged = list[str]()
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: logged.append(record.getMessage()))
    monkeypatch.setattr(logging.getLogger("distributed.client"), "handlers", [handler])
    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address=":0", silence_logs=50
    ) as cluster:
        address = cluster.scheduler_address
        with (
            pytest.raises(CCLViewerError, match=f"scheduler of Dask at {address} is gone"),
            streaming.open_cluster_runner(address, CancelToken(), lambda _: cluster.close()) as run,
        ):
            run("Labelling", abs, [(1,), (2,)])
    assert logged == []
