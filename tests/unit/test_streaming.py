"""Files larger than memory: labelled a block at a time, whole under their name or not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import tifffile
import zarr
from scipy import ndimage
from support.limits import run_limited
from support.tiffs import tiff_bytes

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.grids import load_image
from ccl_viewer.large_images import streaming
from ccl_viewer.support.cancellation import CancelToken

Image = npt.NDArray[Any]


def noise(height: int = 70, width: int = 90) -> Image:
    return np.random.default_rng(0).integers(0, 256, (height, width), np.uint8)


def save_zarr(path: Path, image: Image, chunks: tuple[int, int] = (16, 32)) -> Path:
    array = zarr.create_array(str(path), shape=image.shape, chunks=chunks, dtype=image.dtype)
    array[:] = image
    return path


def run(source: Path, out: Path, *options: object) -> int:
    arguments = ("label", source, "-o", out, "-d", "emulator", *options)
    return main([str(argument) for argument in arguments])


def label(source: Path, out: Path, run: streaming.Run | None = None, **options: Any) -> int:
    """Label a file in small blocks, by SciPy."""
    square = ndimage.generate_binary_structure(2, 1 + options.pop("connectivity", 4) // 8)
    return streaming.label_file(
        streaming.open_source(source),
        out,
        options.pop("label_chunk", lambda chunk: ndimage.label(chunk, square)),
        4 * (1 + int(square.all())),
        run or streaming.make_thread_runner(2, CancelToken(), lambda _: None),
        block_pixels=1 << 10,
        **options,
    )


def labels_in(path: Path) -> Image:
    return np.asarray(zarr.open_array(str(path), mode="r")[:])


def check(out: Path, foreground: Image, connectivity: int = 4) -> None:
    square = ndimage.generate_binary_structure(2, 1 if connectivity == 4 else 2)
    whole, count = ndimage.label(foreground, square)
    np.testing.assert_array_equal(labels_in(out), whole)
    assert zarr.open_array(str(out), mode="r").attrs["components"] == count


@pytest.mark.parametrize("connectivity", [4, 8])
def test_a_zarr_array_is_labelled_as_scipy_labels_the_whole(
    tmp_path: Path, connectivity: int
) -> None:
    image, told = noise() > 128, list[str]()
    source, out = save_zarr(tmp_path / "in.zarr", image), tmp_path / "out.zarr"
    threads = streaming.make_thread_runner(1, CancelToken(), told.append)
    label(source, out, threads, connectivity=connectivity)
    check(out, image, connectivity)
    assert zarr.open_array(str(out), mode="r").chunks < image.shape
    assert sorted(tmp_path.iterdir()) == [source, out]
    number = told[-1].split()[-1]
    assert told[0] == f"Labelling: block 1 of {number}"
    assert told[-1] == f"Numbering: block {number} of {number}"


def test_the_command_line_labels_a_file_in_blocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Chunks are never divided, so each is a block here."""
    image = np.zeros((1500, 1500), bool)
    image[::700], image[:, 900] = True, True
    source = save_zarr(tmp_path / "in.zarr", image, (1500, 1450))
    assert run(source, tmp_path / "out.zarr", "-c", 8, "--workers", 2) == 0
    check(tmp_path / "out.zarr", image, 8)
    assert "1 component, 8-connected" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("packing", "options", "foreground"),
    [
        ({}, {}, lambda grey: grey > 127),  # Otsu's, of uniform noise
        ({"tile": (16, 32)}, {"threshold": 200}, lambda grey: grey > 200),
        ({"rowsperstrip": 3}, {"threshold": 200, "invert": True}, lambda grey: grey <= 200),
        (
            {"compression": "zlib", "rowsperstrip": 5, "photometric": "miniswhite"},
            {"threshold": 100},
            lambda grey: 255 - grey > 100,
        ),
    ],
    ids=["plain", "tiles", "strips", "packed"],
)
def test_tiffs_are_split_by_brightness(
    tmp_path: Path, packing: dict[str, Any], options: dict[str, Any], foreground: Any
) -> None:
    grey = noise()
    grey[:2] = np.arange(180).reshape(2, 90)
    source, out = tmp_path / "in.tif", tmp_path / "out.zarr"
    tifffile.imwrite(source, grey, **{"photometric": "minisblack"} | packing)
    label(source, out, **options)
    np.testing.assert_array_equal(labels_in(out) > 0, load_image(source, **options).grid)
    if options:
        check(out, foreground(grey))


@pytest.mark.parametrize(
    ("lowest", "options"), [(1, {}), (0, {"threshold": 100}), (0, {})], ids=["1", "100", "0"]
)
def test_a_tiff_of_0_and_1_is_a_picture(
    tmp_path: Path, lowest: int, options: dict[str, Any]
) -> None:
    """An array of 0 and 1 needs no threshold; a picture may be all dark."""
    image = (noise() > 128).astype(np.uint8) | lowest
    source, out = tmp_path / "in.tif", tmp_path / "out.zarr"
    tifffile.imwrite(source, image, photometric="minisblack")
    label(source, out, **options)
    np.testing.assert_array_equal(labels_in(out) > 0, load_image(source, **options).grid)
    assert labels_in(out).any() == (not lowest and not options)


def test_values_of_16_bits_and_of_0_and_1(tmp_path: Path) -> None:
    deep = noise().astype(np.uint16) * 257
    label(save_zarr(tmp_path / "deep.zarr", deep), tmp_path / "a.zarr")
    check(tmp_path / "a.zarr", deep > int(np.median([127 * 257, 128 * 257])))
    binary = (noise() > 200).astype(np.uint8)
    label(save_zarr(tmp_path / "binary.zarr", binary), tmp_path / "b.zarr")
    check(tmp_path / "b.zarr", binary)


def test_equal_values_connect(tmp_path: Path) -> None:
    image, out = noise() // 100, tmp_path / "out.zarr"
    by_value = partial(ccl.label, device="emulator", multivalued=True)
    label(save_zarr(tmp_path / "in.zarr", image), out, multivalued=True, label_chunk=by_value)
    np.testing.assert_array_equal(labels_in(out), by_value(image)[0])


def test_a_page_that_points_at_itself_is_read_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in.tif", tmp_path / "out.zarr"
    tifffile.imwrite(source, noise())
    data = bytearray(source.read_bytes())
    page = int.from_bytes(data[4:8], "little")
    behind = page + 2 + 12 * int.from_bytes(data[page : page + 2], "little")
    data[behind : behind + 4] = page.to_bytes(4, "little")
    source.write_bytes(data)
    assert run(source, out) == 0
    assert capfd.readouterr().err == ""
    assert labels_in(out).any()


def test_a_run_that_fails_leaves_the_array_before(tmp_path: Path) -> None:
    image = noise() > 128
    source, out = save_zarr(tmp_path / "in.zarr", image), save_zarr(tmp_path / "out.zarr", image)
    failing = changing(
        lambda folder: (folder / "1.1").unlink(),
        "Labelling",
        streaming.make_thread_runner(1, CancelToken(), lambda _: None),
    )
    with pytest.raises(InputError, match="does not see"):
        label(source, out, failing, replace=True)
    np.testing.assert_array_equal(labels_in(out), image)
    assert sorted(tmp_path.iterdir()) == [source, out]


_LARGE = """
import json, resource, sys
from pathlib import Path
import zarr
from scipy import ndimage
from ccl_viewer.grids import load_image
from ccl_viewer.large_images import streaming
from ccl_viewer.support.cancellation import CancelToken

folder = Path(sys.argv[1])
array = zarr.create_array(str(folder / "in.zarr"), shape=(4096, 2048), chunks=(512, 512),
                          dtype="bool")
array[::750] = True
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = streaming.label_file(
    streaming.open_source(folder / "in.zarr"), folder / "out.zarr", ndimage.label, 4,
    streaming.make_thread_runner(1, CancelToken(), lambda text: None), block_pixels=1 << 18,
)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([count, (after - before) // 1024]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_memory_does_not_grow_with_the_image(tmp_path: Path) -> None:
    told = run_limited(_LARGE, str(tmp_path), megabytes=1500, seconds=60)
    count, megabytes = json.loads(told)
    assert count == 6
    assert megabytes < 60  # the labels have 128 MiB, and the image has 32


_KILLED = """
import os, sys
from pathlib import Path
from scipy import ndimage
from ccl_viewer.grids import load_image
from ccl_viewer.large_images import streaming
from ccl_viewer.support.cancellation import CancelToken

left = [5]

def label_chunk(chunk):
    left[0] -= 1
    if not left[0]:
        os._exit(9)
    return ndimage.label(chunk)

source, output = map(Path, sys.argv[1:])
streaming.label_file(streaming.open_source(source), output, label_chunk, 4,
                     streaming.make_thread_runner(1, CancelToken(), lambda text: None),
                     block_pixels=1 << 10)
"""


def test_a_killed_run_leaves_nothing_and_can_be_started_again(tmp_path: Path) -> None:
    image = noise() > 128
    source, out = save_zarr(tmp_path / "in.zarr", image), tmp_path / "out.zarr"
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(source), str(out)], env=os.environ | path, check=False
    )
    assert killed.returncode == 9
    assert not out.exists()
    assert len([*tmp_path.iterdir()]) == 3  # it was in the middle
    assert run(source, out) == 0
    check(out, image)
    assert sorted(tmp_path.iterdir()) == [source, out]


def test_force_replaces_a_zarr_array_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, other = noise() > 128, noise() > 50
    source, out = save_zarr(tmp_path / "in.zarr", image), save_zarr(tmp_path / "out.zarr", other)
    assert run(source, out) == 2
    assert "name another folder, or add --force" in capsys.readouterr().err
    np.testing.assert_array_equal(labels_in(out), other)
    assert run(source, out, "--force") == 0
    check(out, image)
    assert run(source, out, "--force", "-c", 8) == 0
    check(out, image, 8)
    folder = tmp_path / "folder.zarr"
    folder.mkdir()
    (folder / "letters.txt").write_text("mine")
    assert run(source, folder, "--force") == 2
    assert "is there already and not empty: name another folder." in capsys.readouterr().err
    assert (folder / "letters.txt").read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [folder, source, out]
    link = tmp_path / "link.zarr"
    link.symlink_to(out)
    assert run(source, link, "--force") == 0
    assert link.is_symlink()
    check(out, image)
    assert run(source, source, "--force") == 0  # as it was asked for
    check(source, image)
    assert sorted(tmp_path.iterdir()) == [folder, source, link, out]


def test_force_does_not_delete_what_lies_around_the_image(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    group = zarr.open_group(str(tmp_path / "group.zarr"), mode="w")
    group.create_array("0", data=noise() > 128)
    assert run(tmp_path / "group.zarr" / "0", tmp_path / "group.zarr", "--force") == 2
    assert "contains the input" in capsys.readouterr().err
    assert "0" in zarr.open_group(str(tmp_path / "group.zarr"), mode="r")


def changing(change: Callable[[Path], object], after: str, run: streaming.Run) -> streaming.Run:
    """Return what runs tasks, and after a phase changes the folder that they have written to."""

    def run_and_change(text: str, call: Any, every: Any) -> list[Any]:
        results = run(text, call, every)
        if text == after:
            folders = [each for each in every[0] if isinstance(each, str)]
            change(Path(folders[-1]))
        return results

    return run_and_change


def test_what_a_worker_had_half_written_when_it_was_killed_goes(tmp_path: Path) -> None:
    image = noise() > 128
    source, out = save_zarr(tmp_path / "in.zarr", image), tmp_path / "out.zarr"
    run_blocks = changing(
        lambda folder: (folder / "0.1a2b.partial").touch(),
        "Numbering",
        streaming.make_thread_runner(1, CancelToken(), lambda _: None),
    )
    label(source, out, run_blocks)
    check(out, image)
    assert not [*out.glob("*.partial")]


def test_labels_that_a_worker_does_not_see_are_not_taken_for_background(tmp_path: Path) -> None:
    """A network's file system may show a new file late, and Zarr takes it for zeros."""
    source, out = save_zarr(tmp_path / "in.zarr", noise() > 128), tmp_path / "out.zarr"
    run_blocks = changing(
        lambda folder: (folder / "1.1").unlink(),
        "Labelling",
        streaming.make_thread_runner(1, CancelToken(), lambda _: None),
    )
    with pytest.raises(InputError, match="does not see what others have written"):
        label(source, out, run_blocks)
    assert [*tmp_path.iterdir()] == [source]


def test_workers_that_share_no_folder_are_told_to(tmp_path: Path) -> None:
    source, out = save_zarr(tmp_path / "in.zarr", noise() > 128), tmp_path / "out.zarr"
    threads = streaming.make_thread_runner(1, CancelToken(), lambda _: None)

    def elsewhere(text: str, call: Any, every: Any) -> list[Any]:
        def moved(part: Any) -> Any:
            return f"{part}x" if isinstance(part, str) else part

        return threads(text, call, [tuple(map(moved, each)) for each in every])

    with pytest.raises(InputError, match="have to see the folders"):
        label(source, out, elsewhere)
    assert [*tmp_path.iterdir()] == [source]


def test_a_cancelled_run_leaves_nothing(tmp_path: Path) -> None:
    source, out = save_zarr(tmp_path / "in.zarr", noise() > 128), tmp_path / "out.zarr"
    cancel = CancelToken()

    def label_chunk(chunk: Image) -> tuple[Image, int]:
        cancel.cancel()  # another thread is at its block meanwhile, and is to write it
        return ndimage.label(chunk)

    run_blocks = streaming.make_thread_runner(2, cancel, lambda _: None)
    with pytest.raises(CancelledError):
        label(source, out, run_blocks, label_chunk=label_chunk)
    assert [*tmp_path.iterdir()] == [source]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("in.png", "-o", "out.zarr"), "name one of these"),
        (("pattern:spiral", "-o", "out.zarr"), "name one of these"),
        (("nowhere.zarr", "-o", "out.zarr"), "is not there"),
        (("text.tif", "-o", "out.zarr"), "cannot be read"),
        (("folder.zarr", "-o", "out.zarr"), "cannot be read"),
        (("group.zarr", "-o", "out.zarr"), "name an array or a pyramid in it (group.zarr/0)"),
        (("stack.zarr", "-o", "out.zarr"), "5 pictures: choose one by its index, 0 to 4"),
        (("stack.zarr", "-o", "out.zarr", "--index", "5"), "no picture 5"),
        (("in.zarr", "-o", "out.zarr", "--channel", "1"), "no channel 1"),
        (("complex.zarr", "-o", "out.zarr"), "convert it"),
        (("large.zarr", "-o", "out.zarr"), "smaller chunks"),
        (("in.zarr", "-o", "in.zarr"), "not empty"),
        (("in.zarr", "-o", "out.npy", "--workers", "2"), ".zarr"),
        (("in.zarr", "-o", "out.zarr", "--scheduler", "tcp://nowhere"), "ccl-viewer[distributed]"),
        (("in.zarr", "-o", "out.zarr", "--multivalued", "--invert"), "--invert"),
    ],
)
def test_what_cannot_be_streamed_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    Path("text.tif").write_text("no picture")
    Path("folder.zarr").mkdir()
    save_zarr(Path("in.zarr"), noise())
    zarr.create_group("group.zarr").create_array("0", shape=(4, 4), dtype="u1")
    zarr.create_array("stack.zarr", shape=(5, 6, 7), dtype="u1")
    zarr.create_array("complex.zarr", shape=(4, 4), dtype="c8")
    zarr.create_array("large.zarr", shape=(2**14, 2**14), chunks=(2**14, 2**14), dtype="bool")
    before = sorted(tmp_path.iterdir())
    assert main(["label", *arguments]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_size_that_a_damaged_file_claims_is_refused_before_its_blocks_are_listed(
    tmp_path: Path,
) -> None:
    zarr.create_array(tmp_path / "endless.zarr", shape=(2**62, 48), chunks=(16, 16), dtype="bool")
    with pytest.raises(InputError, match="is too large"):
        streaming.open_source(tmp_path / "endless.zarr")


@pytest.mark.parametrize("tile", [(), (16, 16)])
def test_a_tiff_with_too_few_strips_or_tiles_is_refused_at_once(
    tmp_path: Path, tile: tuple[int, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    tags: dict[int, int | tuple[int, ...]] = {256: 16, 257: 3_000_000_000, 258: 8, 262: 1}
    tags |= {322: 16, 323: 16, 324: 8, 325: 256} if tile else {278: 1}
    path = tmp_path / "tall.tif"
    path.write_bytes(tiff_bytes(bytes(256), tags))
    command = ["components", str(path), "-o", str(tmp_path / "out.csv"), "--workers", "1"]
    assert main(command) == 2
    assert "tall.tif cannot be read (it is cut off)" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_of_many_blocks_is_stopped_between_two_of_them() -> None:
    cancel = CancelToken()
    called: list[int] = []

    def call(number: int) -> None:
        called.append(number)
        if number == 2:
            cancel.cancel()

    run_blocks = streaming.make_thread_runner(1, cancel, lambda _: None)
    with pytest.raises(CancelledError):
        run_blocks("Labelling", call, [(number,) for number in range(100_000)])
    assert called == [0, 1, 2]
