"""The cache folder belongs to the user alone, and what somebody put there is never run."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.compilers import fill, run_tiny, shared_folder, source_of, write_module

from ccl_viewer.devices.emulator import build
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.plan import Kernel
from ccl_viewer.storage import cache, temporaries
from ccl_viewer.storage.cache import CACHE_VARIABLE

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files or programs")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The requested cache folder, which does not exist yet."""
    path = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(path))
    return path


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


@pytest.fixture
def module(tmp_path: Path, shared: Path, folder: Path) -> Path:
    """A module whose libraries for 3 and 4 are in the cache folder already."""
    fill(folder, shared, "runtime-", "tiny-")
    return write_module(tmp_path)


def library_of(module: Path, value: int) -> Path:
    found = build.find_library(source_of(module, value), traced=False)
    assert found is not None
    return found


# Its size -----------------------------------------------------------------------------------


def set_used(path: Path, seconds_ago: float) -> None:
    when = time.time() - seconds_ago
    os.utime(path, (when, when))


def test_the_least_recently_used_modules_are_deleted(folder: Path, module: Path) -> None:
    old, new = library_of(module, 3), library_of(module, 4)
    copy = build.worker_copy(old, 1)
    foreign = folder / "mine.so"
    foreign.write_bytes(b"x" * 10_000)
    for path in folder.iterdir():
        set_used(path, 9000)
    assert run_tiny(module, 4) == 4
    build.trim_cache(folder, build.measure_cache(folder))
    assert old.exists()
    while old.exists():
        build.trim_cache(folder, build.measure_cache(folder) - 1)
    assert not copy.exists()
    assert new.exists()
    assert foreign.exists()
    assert run_tiny(module, 3) == 3


def test_a_module_that_was_deleted_is_compiled_again(folder: Path, module: Path) -> None:
    kernel = Kernel("tiny", "tiny", (("VALUE", 3),))

    def used() -> Path:
        return EmulatorDevice(find_source=lambda _: module).kernel(kernel).module.path

    path = used()
    set_used(path, 9000)
    assert used() == path
    build.trim_cache(folder, 0)
    assert path.exists(), "it has just been used"
    path.unlink()
    assert used() == path
    assert path.exists()


def test_the_cache_has_a_limit(folder: Path, module: Path) -> None:
    digits = "0123456789abcdef" * 2
    suffix = library_of(module, 3).suffix
    edited = [
        folder / f"copy-{digits[number:]}{digits[:number]}-1-{digits}{suffix}"
        for number in range(6)
    ]
    for age, path in enumerate(reversed(edited), 1):
        with path.open("wb") as file:
            file.truncate(100 << 20)
        set_used(path, 1000 * age)
    build.build_library(source_of(module, 5), traced=False)
    assert build.measure_cache(folder) <= build.MAX_CACHE_BYTES
    assert library_of(module, 3)
    assert [path.exists() for path in edited] == [False] * 5 + [True]


# What somebody planted ----------------------------------------------------------------------


def test_a_planted_library_is_not_loaded(folder: Path, module: Path) -> None:
    other, wanted = library_of(module, 4), library_of(module, 3)
    content, seal = other.read_bytes(), other.stem.rsplit("-", 1)[1]
    prefix = wanted.stem.rsplit("-", 1)[0]
    checksum = hashlib.sha256(content).hexdigest()
    for mark in (seal, checksum[:16], checksum[:32], checksum, wanted.stem.rsplit("-", 1)[1]):
        (folder / f"{prefix}-{mark}{wanted.suffix}").write_bytes(content)
    assert run_tiny(module, 3) == 3


def test_a_planted_copy_for_a_worker_is_not_loaded(folder: Path, module: Path) -> None:
    built = library_of(module, 3)
    built.with_name(f"{built.stem}.w1{built.suffix}").write_bytes(b"planted")
    assert build.worker_copy(built, 1).read_bytes() == built.read_bytes()


@posix
def test_a_library_that_others_can_write_is_built_again(folder: Path, module: Path) -> None:
    library_of(module, 3).chmod(0o620)
    told: list[str] = []
    assert run_tiny(module, 3, told.append) == 3
    assert len(told) == 1
    assert library_of(module, 3)


def lay_fifo(path: Path) -> None:
    os.mkfifo(path)


def lay_folder(path: Path) -> None:
    path.mkdir()
    (path / "file").write_bytes(b"something")


def lay_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


def lay_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def lay_sparse_file(path: Path) -> None:
    """A terabyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


ODD = (lay_fifo, lay_folder, lay_dangling_link, lay_link_to_itself, lay_sparse_file)


@posix
@pytest.mark.parametrize("lay", [lay_fifo, lay_sparse_file])
def test_an_odd_entry_where_a_library_belongs(
    folder: Path, module: Path, lay: Callable[[Path], None]
) -> None:
    built = library_of(module, 3)
    built.unlink()
    lay(built)
    lay(built.with_name(f"{built.stem}x{built.suffix}"))
    assert run_tiny(module, 3) == 3
    built = library_of(module, 3)
    lay(built.with_name(f"{built.stem}.w9{built.suffix}"))
    assert build.worker_copy(built, 9).read_bytes() == built.read_bytes()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the key is kept."""
    if sys.platform != "linux":
        pytest.skip("the variable for this folder is Linux's")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "ccl-viewer"


@pytest.mark.parametrize("lay", ODD)
def test_an_odd_entry_where_the_key_or_a_note_belongs(
    folder: Path, state: Path, lay: Callable[[Path], None]
) -> None:
    notes = folder / "unfinished"
    state.mkdir(parents=True)
    notes.mkdir(parents=True)
    lay(state / "cache.key")
    lay(notes / "note")
    assert cache.compute_checksum("name", b"content") == cache.compute_checksum("name", b"content")
    assert temporaries.clear_unfinished() == 0


def test_without_a_state_folder_the_key_lies_among_temporary_files(
    elsewhere: Path, state: Path
) -> None:
    state.parent.write_bytes(b"")
    seal = cache.compute_checksum("name", b"content")
    assert cache.compute_checksum("name", b"content") == seal
    assert [path.name for path in elsewhere.rglob("*.key")] == ["cache.key"]


def test_the_key_is_kept_for_the_user_alone(state: Path) -> None:
    seal = cache.compute_checksum("name", b"content")
    assert seal not in (
        cache.compute_checksum("other", b"content"),
        cache.compute_checksum("name", b"other"),
    )
    (key,) = state.iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.write_bytes(b"short")
    assert cache.compute_checksum("name", b"content") != seal


# Whose the folder is ------------------------------------------------------------------------


def refused(folder: Path, reason: str) -> Path:
    """The folder that is used instead."""
    found = cache.cache_folder()
    assert found.path != folder
    assert repr(str(folder)) in found.refused
    assert reason in found.refused
    assert CACHE_VARIABLE in found.refused
    return found.path


@posix
def test_the_folder_is_the_users_alone(folder: Path, shared: Path) -> None:
    assert cache.cache_folder() == cache.CacheFolder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in shared.glob("tiny-*")} == {0o700}


@pytest.mark.skipif(sys.platform != "linux", reason="the variable for this folder is Linux's")
def test_the_users_own_folder_is_closed_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    mine = tmp_path / "ccl-viewer"
    mine.mkdir()
    mine.chmod(0o777)
    assert cache.cache_folder() == cache.CacheFolder(mine)
    assert stat.S_IMODE(mine.stat().st_mode) == 0o700


@posix
def test_a_link_is_refused(
    folder: Path, elsewhere: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "target").mkdir()
    folder.symlink_to(tmp_path / "target")
    other = refused(folder, "it is a link")
    assert elsewhere in other.parents
    build.warn_once.cache_clear()
    assert [build.modules_folder() for _ in range(2)] == [other] * 2
    (record,) = caplog.records
    assert "is not used (it is a link)" in record.getMessage()


@posix
def test_a_folder_that_others_can_write_to_is_refused(folder: Path, elsewhere: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    refused(folder, "others can write to it")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777  # somebody may share it on purpose


@posix
def test_a_folder_of_somebody_else_is_refused(
    folder: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    somebody = os.geteuid() + 1
    squatted = elsewhere / f"ccl-viewer-cache-{somebody}"
    squatted.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    cache.process_folder.cache_clear()
    assert refused(folder, "it belongs to somebody else") not in (folder, squatted)
    cache.process_folder().cleanup()
    cache.process_folder.cache_clear()


def test_a_file_where_the_folder_belongs(
    folder: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_bytes(b"")
    refused(folder, "")
    monkeypatch.setenv(CACHE_VARIABLE, str(folder / "below"))
    refused(folder / "below", "")


def test_no_place_at_all_is_said(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_bytes(b"")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    cache.process_folder.cache_clear()
    with pytest.raises(DeviceUnavailableError, match="There is no folder for compiled kernels"):
        build.modules_folder()


@posix
def test_odd_signs_in_the_path(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "100%20s\\co:lon\nline a[b]*"
    fill(folder, shared, "runtime-")
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    module = write_module(tmp_path)
    assert run_tiny(module, 3) == 3
    assert library_of(module, 3)


def test_the_folder_of_now_can_be_the_cache(
    module: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv(CACHE_VARIABLE, ".")
    assert run_tiny(module, 3) == 3


_BUILD = """
import sys
from pathlib import Path
from ccl_viewer.devices.emulator import build
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.source import read_source
build.build_library(read_source(Path(sys.argv[1]), (("VALUE", 5),)), traced=False)
"""


@posix
def test_a_killed_build_is_cleared(folder: Path, tmp_path: Path) -> None:
    """The compiler waits until somebody opens the pipe, and then for what comes out of it."""
    pipe, package = tmp_path / "pipe", tmp_path / "packages" / "ziglang"
    os.mkfifo(pipe)
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "zig").write_text(f"#!/bin/sh\necho half >module\nread x <'{pipe}'\n", "utf-8")
    (package / "zig").chmod(0o755)
    path = os.pathsep.join([str(package.parent), *sys.path])
    command = [sys.executable, "-c", _BUILD, str(write_module(tmp_path))]
    environment = os.environ | {"PYTHONPATH": path}
    with subprocess.Popen(command, env=environment) as process, pipe.open("w"):
        assert list(folder.rglob("module"))
        process.kill()
    assert temporaries.clear_unfinished()
    assert list((folder / "unfinished").iterdir()) == []
    assert list(folder.rglob("module")) == []
