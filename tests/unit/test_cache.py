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

import numpy as np
import pytest

from ccl_viewer.devices.emulator import build, compiler, kernels
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.file_cache import FileCache
from ccl_viewer.devices.source import KernelSource, read_source
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.plan import Buffer, Kernel, Launch, Stage
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


def write_module(folder: Path) -> Path:
    path = folder / "tiny.cu"
    path.write_text(
        'extern "C" __global__ void tiny(int *out) { out[threadIdx.x] = VALUE; }\n',
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> dict[int, bytes]:
    """The compiled module for each value, from the cache that all tests share."""
    module = write_module(tmp_path_factory.mktemp("built"))
    return {
        value: build.build_library(source_of(module, value), traced=False).read_bytes()
        for value in (3, 4)
    }


@pytest.fixture
def module(tmp_path: Path, built_once: dict[int, bytes], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that takes no time to compile."""

    def compile_module(
        source: KernelSource, output: Path, runtime: Path, *, traced: bool, checked: bool
    ) -> None:
        assert not traced
        assert not checked
        output.write_bytes(built_once[dict(source.macros)["VALUE"]])

    def compile_runtime(output: Path, *, traced: bool) -> None:
        output.write_bytes(b"runtime")

    monkeypatch.setattr(build, "compile_module", compile_module)
    monkeypatch.setattr(build, "compile_runtime", compile_runtime)
    return write_module(tmp_path)


def source_of(module: Path, value: int) -> KernelSource:
    return read_source(module, (("VALUE", value),))


def run(
    module: Path,
    value: int,
    monkeypatch: pytest.MonkeyPatch,
    progress: Callable[[str], None] | None = None,
) -> int:
    """What a kernel stores, in what is a new process as far as loaded modules go."""
    monkeypatch.setattr(kernels, "_loaded", FileCache())
    device = EmulatorDevice(find_source=lambda _: module)
    image = Buffer("image", (1,), np.dtype(np.uint8))
    out = Buffer("out", (4,), np.dtype(np.int32), 0)
    kernel = Kernel("tiny", "tiny", (("VALUE", value),))
    with device.open(image, np.zeros(1, np.uint8), progress=progress) as session:
        session.allocate(out)
        session.launch(Launch(kernel, (1, 1, 1), (4, 1, 1), (out,), Stage.INIT, "Test."))
        return int(session.read(out)[3])


# Its size -----------------------------------------------------------------------------------


def set_used(path: Path, seconds_ago: float) -> None:
    when = time.time() - seconds_ago
    os.utime(path, (when, when))


def test_the_least_recently_used_modules_are_deleted(
    folder: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (build.build_library(source_of(module, value), traced=False) for value in (3, 4))
    copy = build.worker_copy(old, 1)
    foreign = folder / "mine.so"
    foreign.write_bytes(b"x" * 10_000)
    for path in folder.iterdir():
        set_used(path, 9000)
    assert run(module, 4, monkeypatch) == 4
    build.trim_cache(folder, build.measure_cache(folder))
    assert old.exists()
    build.trim_cache(folder, build.measure_cache(folder) - 1)
    assert not old.exists()
    assert not copy.exists()
    assert new.exists()
    assert foreign.exists()
    assert run(module, 3, monkeypatch) == 3


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
    first = build.build_library(source_of(module, 3), traced=False)
    digits = "0123456789abcdef" * 2
    edited = [
        folder / f"copy-{digits[number:]}{digits[:number]}-1-{digits}{first.suffix}"
        for number in range(6)
    ]
    for age, path in enumerate(reversed(edited), 1):
        with path.open("wb") as file:
            file.truncate(100 << 20)
        set_used(path, 1000 * age)
    build.build_library(source_of(module, 4), traced=False)
    assert build.measure_cache(folder) <= build.MAX_CACHE_BYTES
    assert first.exists()
    assert [path.exists() for path in edited] == [False] * 5 + [True]


# What somebody planted ----------------------------------------------------------------------


def test_a_planted_library_is_not_loaded(
    folder: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = build.build_library(source_of(module, 4), traced=False)
    content, seal = other.read_bytes(), other.stem.rsplit("-", 1)[1]
    wanted = build.build_library(source_of(module, 3), traced=False)
    prefix = wanted.stem.rsplit("-", 1)[0]
    checksum = hashlib.sha256(content).hexdigest()
    for mark in (seal, checksum[:16], checksum[:32], checksum, wanted.stem.rsplit("-", 1)[1]):
        (folder / f"{prefix}-{mark}{wanted.suffix}").write_bytes(content)
    assert run(module, 3, monkeypatch) == 3


def test_a_planted_copy_for_a_worker_is_not_loaded(folder: Path, module: Path) -> None:
    built = build.build_library(source_of(module, 3), traced=False)
    built.with_name(f"{built.stem}.w1{built.suffix}").write_bytes(b"planted")
    assert build.worker_copy(built, 1).read_bytes() == built.read_bytes()


def test_what_was_built_is_found_by_the_next_process(
    folder: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    assert run(module, 3, monkeypatch, told.append) == 3
    assert run(module, 3, monkeypatch, told.append) == 3
    assert len(told) == 1


@posix
@pytest.mark.parametrize("mode", [0o666, 0o602, 0o620])
def test_a_library_that_others_can_write_is_built_again(
    folder: Path, module: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    build.build_library(source_of(module, 3), traced=False).chmod(mode)
    told: list[str] = []
    assert run(module, 3, monkeypatch, told.append) == 3
    assert len(told) == 1
    assert build.find_library(source_of(module, 3), traced=False) is not None


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
@pytest.mark.parametrize("lay", ODD)
def test_an_odd_entry_where_a_library_belongs(
    folder: Path, module: Path, monkeypatch: pytest.MonkeyPatch, lay: Callable[[Path], None]
) -> None:
    built = build.build_library(source_of(module, 3), traced=False)
    built.unlink()
    lay(built)
    lay(built.with_name(f"{built.stem}x{built.suffix}"))
    assert run(module, 3, monkeypatch) == 3
    lay(built.with_name(f"{built.stem}.w1{built.suffix}"))
    assert build.worker_copy(built, 1).read_bytes() == built.read_bytes()


@posix
@pytest.mark.parametrize("lay", ODD)
def test_an_odd_entry_where_the_key_or_a_note_belongs(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lay: Callable[[Path], None],
) -> None:
    state, notes = tmp_path / "state", folder / "unfinished"
    state.mkdir()
    notes.mkdir(parents=True)
    monkeypatch.setattr(cache, "user_folder", lambda _: state)
    lay(state / "cache.key")
    lay(notes / "note")
    assert cache.compute_checksum("name", b"content") == cache.compute_checksum("name", b"content")
    assert temporaries.clear_unfinished() == 0


def test_without_a_state_folder_the_key_lies_among_temporary_files(
    folder: Path, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(cache, "user_folder", lambda _: tmp_path / "file" / "state")
    seal = cache.compute_checksum("name", b"content")
    monkeypatch.setattr(cache, "PROCESS_KEY", b"")
    assert cache.compute_checksum("name", b"content") == seal
    assert [path.name for path in elsewhere.rglob("*.key")] == ["cache.key"]


def test_the_key_is_kept_for_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "user_folder", lambda _: tmp_path / "state")
    seal = cache.compute_checksum("name", b"content")
    assert seal not in (
        cache.compute_checksum("other", b"content"),
        cache.compute_checksum("name", b"other"),
    )
    (key,) = (tmp_path / "state").iterdir()
    if sys.platform != "win32":
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
def test_the_folder_is_the_users_alone(folder: Path, module: Path) -> None:
    library = build.build_library(source_of(module, 3), traced=False)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(library.stat().st_mode) == 0o700


@posix
def test_the_users_own_folder_is_closed_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(cache, "user_folder", lambda _: tmp_path)
    tmp_path.chmod(0o777)
    assert cache.cache_folder() == cache.CacheFolder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@posix
def test_a_link_is_refused(
    folder: Path,
    elsewhere: Path,
    module: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "target").mkdir()
    folder.symlink_to(tmp_path / "target")
    assert elsewhere in refused(folder, "it is a link").parents
    build.warn_once.cache_clear()
    assert run(module, 3, monkeypatch) == 3
    assert run(module, 4, monkeypatch) == 4
    (record,) = caplog.records
    assert "is not used (it is a link)" in record.getMessage()
    assert list((tmp_path / "target").iterdir()) == []


@posix
def test_a_folder_that_others_can_write_to_is_refused(folder: Path, elsewhere: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    refused(folder, "others can write to it")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777  # somebody may share it on purpose


@posix
def test_a_folder_of_somebody_else_is_refused(
    folder: Path, elsewhere: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    somebody = os.geteuid() + 1
    squatted = elsewhere / f"ccl-viewer-cache-{somebody}"
    squatted.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    cache.process_folder.cache_clear()
    other = refused(folder, "it belongs to somebody else")
    assert other not in (folder, squatted)
    assert run(module, 3, monkeypatch) == 3
    assert list(folder.iterdir()) == list(squatted.iterdir()) == []
    cache.process_folder().cleanup()
    cache.process_folder.cache_clear()


def test_a_file_where_the_folder_belongs(
    folder: Path, elsewhere: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_bytes(b"")
    refused(folder, "")
    assert run(module, 3, monkeypatch) == 3
    monkeypatch.setenv(CACHE_VARIABLE, str(folder / "below"))
    refused(folder / "below", "")


def test_a_home_that_cannot_be_written(
    folder: Path, elsewhere: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Path.mkdir

    def read_only(path: Path, *arguments: object, **options: object) -> None:
        if elsewhere not in path.parents:
            raise OSError(30, "Read-only file system")
        make(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", read_only)
    refused(folder, "Read-only file system")
    assert run(module, 3, monkeypatch) == 3


def test_no_place_at_all_is_said(
    folder: Path, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_bytes(b"")

    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    with pytest.raises(DeviceUnavailableError, match="There is no folder for compiled kernels"):
        run(module, 3, monkeypatch)


@posix
def test_odd_signs_in_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = write_module(tmp_path)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "100%20s\\co:lon\nline a[b]*"))
    assert run(module, 3, monkeypatch) == 3
    assert build.find_library(source_of(module, 3), traced=False) is not None


def test_the_folder_of_now_can_be_the_cache(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir(mode=0o755)
    monkeypatch.chdir(here)
    monkeypatch.setenv(CACHE_VARIABLE, ".")
    assert run(module, 3, monkeypatch) == 3
    assert run(module, 3, monkeypatch) == 3  # as it was found, not as it was built
    assert list(here.glob("tiny-*"))


# What a killed or hanging build leaves ------------------------------------------------------

_BUILD = """
import sys
from pathlib import Path
from ccl_viewer.devices.emulator import build
from ccl_viewer.devices.source import read_source
def compile_module(source, output, runtime, *, traced, checked):
    output.write_bytes(b"half")
    print("building", flush=True)
    sys.stdin.read()
def compile_runtime(output, *, traced):
    output.write_bytes(b"runtime")
build.compile_module = compile_module
build.compile_runtime = compile_runtime
build.build_library(read_source(Path(sys.argv[1]), (("VALUE", 3),)), traced=False)
"""
_HOLD = """
import sys
from ccl_viewer.storage.temporaries import temporary_folder
folder = temporary_folder()
print(folder.name, flush=True)
sys.stdin.read()
"""


def killed(code: str, *arguments: str) -> str:
    """The first line that a process writes, which is killed then."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        process.kill()
    return line


def test_a_killed_build_is_cleared(folder: Path, module: Path) -> None:
    assert killed(_BUILD, str(module)) == "building"
    assert list(folder.rglob("module*"))
    assert temporaries.clear_unfinished() == 1
    assert list((folder / "unfinished").iterdir()) == []
    assert list(folder.rglob("module*")) == []


def test_a_temporary_folder_of_a_killed_process_is_cleared(folder: Path) -> None:
    left = Path(killed(_HOLD))
    assert left.is_dir()
    assert temporaries.clear_unfinished() == 1
    assert not left.exists()


def test_a_temporary_folder_in_use_stays(folder: Path) -> None:
    with temporaries.temporary_folder() as name:
        assert temporaries.clear_unfinished() == 0
        assert Path(name).is_dir()
    assert not Path(name).exists()


@posix
def test_a_hanging_compiler_is_stopped_with_all_that_it_started(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = write_module(tmp_path)
    alive, script = tmp_path / "alive", tmp_path / "zig"
    os.mkfifo(alive)
    script.write_text(f"#!/bin/sh\nsleep 1000 >'{alive}' &\nwait\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(compiler, "find_compiler", lambda: script)
    monkeypatch.setattr(compiler, "MAX_SECONDS", 0.3)
    reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(DeviceUnavailableError, match=r"did not end within 0\.3 seconds"):
            run(module, 3, monkeypatch)
        os.set_blocking(reader, True)
        assert os.read(reader, 1) == b""  # no process has it open for writing any more
    finally:
        os.close(reader)
    assert [path for path in folder.iterdir() if path.name != "unfinished"] == []
