"""The page of a recording, read back without a browser: its parts, its size, and what it holds."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from support.fakes import NAIVE, FakeDevice, picture, recorded
from support.grids import noise
from support.pages import Markup, unpacked

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.export import ExportOptions, export
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_notebook import choose_steps, notebook_bundle
from ccl_viewer.export.page_runs import MAX_LABELS, PageRun, check_page_size, make_page_run
from ccl_viewer.recording import Recorder, Recording
from ccl_viewer.render.layers import Layers
from ccl_viewer.render.palette import colour_run, label_indices
from ccl_viewer.storage.resources import kernels_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import duration

GRID = picture(
    """
    ##.##
    #...#
    ###.#
    """
)
NASTY = "</script><img src=x onerror=alert(1)>&\"'"


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(GRID)


@pytest.fixture(scope="module")
def html(recording: Recording) -> str:
    return page_html(Page("A title", (make_page_run(recording),)))


def test_the_policy_allows_this_script_and_this_style_alone(html: str) -> None:
    markup = Markup(html)
    policies = [
        attributes["content"]
        for attributes in markup.found["meta"]
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (policy,) = policies
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    (style,) = markup.texts["style"]
    for name, text in (("script-src", markup.script()), ("style-src", style)):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"


def test_a_page_holds_no_file_but_those_of_kernels(tmp_path: Path) -> None:
    secret = tmp_path / "secret.cu"
    secret.write_text('// a secret\nextern "C" __global__ void naive_init(int *out) {}\n')
    run = recorded(GRID)
    up = os.path.relpath(secret, kernels_folder())
    for step, module in enumerate((str(secret.with_suffix("")), up.removesuffix(".cu"))):
        run.data.steps[step] = replace(run.step(step), module=module)
    text = json.dumps(unpacked(page_html(Page("A title", (make_page_run(run),)))).description)
    assert "There is no kernel source" in text
    assert "a secret" not in text


def test_a_page_loads_nothing(html: str) -> None:
    markup = Markup(html)
    for tag in ("link", "img", "iframe", "object", "embed", "base", "audio", "video", "source"):
        assert tag not in markup.found
    for found in markup.found.values():
        for attributes in found:
            assert not {"src", "style"} & attributes.keys()
            assert attributes.get("href", "#").startswith("#")
            assert not [name for name in attributes if name.startswith("on")]
    addresses = set(re.findall(r"https?://[^\s\"']+", html))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    (style,) = markup.texts["style"]
    assert "url(" not in style
    assert "@import" not in style


def test_labels_come_back_as_they_were(recording: Recording, html: str) -> None:
    page = unpacked(html)
    (run,) = page.description["runs"]
    arrays = page.arrays(run["labels"], len(recording))
    assert (arrays[0] == recording.layout.background).all()
    for step in range(len(recording)):
        np.testing.assert_array_equal(arrays[step + 1], recording.labels(step).ravel())


def test_colours_are_those_of_the_window(recording: Recording, html: str) -> None:
    page = unpacked(html)
    (run,) = page.description["runs"]
    colouring = colour_run(recording)
    components = page.numbers(run["components"])
    np.testing.assert_array_equal(components, colouring.components.ravel())
    colours = page.octets(run["colours"])
    labels = recording.labels(1)
    expected = label_indices(labels, colouring)
    address = np.clip(labels.ravel() - recording.layout.origin, -1, colours.size - 1)
    np.testing.assert_array_equal(colours[address] * (components != 0), expected.ravel())
    np.testing.assert_array_equal(page.octets(run["image"]), GRID.ravel())


def test_steps_say_what_they_did(recording: Recording, html: str) -> None:
    page = unpacked(html)
    (run,) = page.description["runs"]
    assert len(run["steps"]) == len(recording)
    for said, step in zip(run["steps"], recording.steps, strict=True):
        assert said["stage"] == step.stage.value
        assert (said["changed"], said["roots"]) == (step.changed, step.roots)
        assert (said["iteration"], said["kernel"]) == (step.iteration, step.kernel)
        assert (said["grid"], said["block"]) == ([*step.grid], [*step.block])
    assert run["steps"][0]["explanation"].startswith("10 cells took their first label")
    assert run["steps"][-1]["wrong"] == 0
    assert run["standing"] == "ok"
    iterations, launches, time = run["totals"].split("  ·  ")
    assert iterations == f"{recording.iterations} iterations"
    assert launches == f"{len(recording)} launches"
    assert duration(recording.milliseconds) in time
    assert run["structures"][0]["text"].startswith("thread block 32")


def test_the_kernels_source_is_there_with_its_lines() -> None:
    recording = ccl.record(GRID, algorithm="ha4", device="emulator")
    page = unpacked(page_html(Page("HA4", (make_page_run(recording),))))
    (run,) = page.description["runs"]
    files, programs = page.description["files"], page.description["programs"]
    for step in run["steps"]:
        file = files[programs[step["program"]][0]]
        assert file["name"] == "ha4.cu"
        first, last = step["lines"]
        text = "\n".join("".join(line[1::2]) for line in file["lines"][first : last + 1])
        assert step["kernel"] in text
        assert text.rstrip().endswith("}")
        kinds = {kind for line in file["lines"] for kind in line[::2]}
        assert {"k", "c", "n"} <= kinds <= {"", "k", "c", "s", "n", "f"}
    assert {file["name"] for file in files} > {"ha4.cu"}


def test_a_hundred_steps_of_64_by_64_take_less_than_a_megabyte() -> None:
    recording = ccl.record(noise(64, 64, 0.6), "shibata_naive", connectivity=8, device="emulator")
    steps = tuple(range(len(recording)))
    repeated = (steps * (100 // len(steps) + 1))[:100]
    page = page_html(Page("Noise", (PageRun(recording, repeated),)))
    assert len(page.encode()) < 1_000_000


def test_the_same_page_has_the_same_bytes(recording: Recording, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        assert export(recording, tmp_path / name) == len(recording)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_nothing_that_is_said_becomes_markup() -> None:
    row = replace(NAIVE, title=NASTY)
    recording = Recorder(GRID, row, FakeDevice(), 4, {}).run()
    run = PageRun(recording, (0, 1), NASTY)
    html = page_html(Page(NASTY, (run,)))
    assert "<img" not in html
    markup = Markup(html)
    assert markup.texts["title"] == [NASTY]
    assert len(markup.found["script"]) == 2
    page = unpacked(html)
    assert page.description["title"] == page.description["runs"][0]["note"] == NASTY


def test_some_steps_are_described_from_one_to_the_next(
    recording: Recording, tmp_path: Path
) -> None:
    path = tmp_path / "some.html"
    chosen = range(1, len(recording), 2)
    assert export(recording, path, ExportOptions(steps=chosen)) == len(chosen)
    page = unpacked(path.read_text("utf-8"))
    (run,) = page.description["runs"]
    arrays = page.arrays(run["labels"], len(chosen))
    np.testing.assert_array_equal(arrays[0], recording.labels(0).ravel())
    for place, (step, said) in enumerate(zip(chosen, run["steps"], strict=True)):
        np.testing.assert_array_equal(arrays[place + 1], recording.labels(step).ravel())
        assert said["index"] == step
        assert said["changed"] == np.count_nonzero(arrays[place + 1] != arrays[place])
    assert run["note"] == f"Of {len(recording)} steps, {len(chosen)} are shown here."


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (ExportOptions(layers=Layers(numbers="layer:sizes")), "no layer 'sizes'"),
        (ExportOptions(pin=(99, 0)), "outside the grid"),
    ],
)
def test_what_a_page_cannot_begin_with_is_refused(
    recording: Recording, tmp_path: Path, asked: ExportOptions, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        export(recording, tmp_path / "run.html", asked)


def test_recorded_layers_come_along() -> None:
    recording = ccl.record(GRID, algorithm="label_equivalence_sizes", device="emulator")
    page = unpacked(page_html(Page("Sizes", (make_page_run(recording),))))
    (run,) = page.description["runs"]
    arrays = page.arrays(run["layers"]["sizes"], len(recording))
    np.testing.assert_array_equal(arrays[-1], recording.layer("sizes", -1).ravel())


def test_a_page_of_later_steps_knows_what_arrays_held_before_them() -> None:
    recording = ccl.record(GRID, algorithm="label_equivalence_hawick", device="emulator")
    page = unpacked(page_html(Page("Later", (PageRun(recording, (2, 3)),))))
    (run,) = page.description["runs"]
    assert run["references"] == ["references"]
    arrays = page.arrays(run["layers"]["references"], 2)
    for place, step in enumerate((1, 2, 3)):
        expected = recording.layer("references", step).ravel()
        np.testing.assert_array_equal(arrays[place], expected)


def test_a_recording_that_is_too_large_is_refused(recording: Recording) -> None:
    fitting = MAX_LABELS // GRID.size
    check_page_size(PageRun(recording, (0,) * fitting))
    with pytest.raises(InputError, match="choose fewer steps"):
        check_page_size(PageRun(recording, (0,) * (fitting + 1)))
    with pytest.raises(InputError, match="no step"):
        check_page_size(PageRun(recording, ()))


@pytest.mark.parametrize("when", ["at the first step", "at the last step"])
def test_a_cancelled_page_leaves_the_old_one(
    recording: Recording, tmp_path: Path, when: str
) -> None:
    path = tmp_path / "run.html"
    path.write_text("old")
    cancel = CancelToken()

    def progress(done: int, count: int) -> None:
        if when == "at the first step" or done == count:
            cancel.cancel()

    with pytest.raises(CancelledError):
        export(recording, path, progress=progress, cancel=cancel)
    assert path.read_text() == "old"
    assert [other.name for other in tmp_path.iterdir()] == ["run.html"]


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    recording = ccl.record(GRID, device="emulator")
    shown = recording._repr_html_()
    assert shown == notebook_bundle(recording)["text/html"]
    assert recording._repr_mimebundle_(include=None, exclude=None) == notebook_bundle(recording)
    assert shown is not None
    (frame,) = Markup(shown).found["iframe"]
    assert frame["sandbox"] == "allow-scripts"
    inner = unpacked(frame["srcdoc"])
    assert len(inner.description["runs"][0]["steps"]) == len(recording)
    assert inner.description["runs"][0]["note"] == ""


def picture_in(shown: str) -> npt.NDArray[np.uint8]:
    """The picture in some HTML, as red, green and blue."""
    (image,) = Markup(shown).found["img"]
    kind, _, data = image["src"].partition(",")
    assert kind == "data:image/png;base64"
    with Image.open(io.BytesIO(b64decode(data))) as shown_picture:
        return np.asarray(shown_picture.convert("RGB"))


def distrusted(shown: str) -> str:
    """What is left of HTML in a notebook that is not trusted."""
    return re.sub(r"<(style|iframe)\b.*?</\1>", "", shown, flags=re.DOTALL)


def test_a_notebook_that_is_not_trusted_shows_a_picture(recording: Recording) -> None:
    bundle = notebook_bundle(recording)
    left = distrusted(bundle["text/html"])
    assert len(left) < len(bundle["text/html"]) / 4
    assert "trust the notebook" in left
    assert recording.sentence in left
    seen = picture_in(left)
    height, width = recording.image.shape
    scale = seen.shape[1] // width
    assert seen.shape[:2] == (scale * height, scale * width)
    middles = seen[scale // 2 :: scale, scale // 2 :: scale].astype(int).sum(axis=2)
    foreground = recording.image > 0
    assert middles[foreground].max() < middles[~foreground].min()  # on paper, cells are darker
    with Image.open(io.BytesIO(b64decode(bundle["image/png"]))) as alone:
        np.testing.assert_array_equal(np.asarray(alone.convert("RGB")), seen)


def test_a_recording_without_steps_is_text() -> None:
    broken = Recorder(GRID, ALGORITHMS["ha4"], FakeDevice(), 4).recording
    assert broken._repr_mimebundle_() == {}
    assert broken._repr_html_() is None


def test_a_recording_shows_itself_without_the_interface_of_the_package(
    tmp_path: Path,
) -> None:
    ccl.record(GRID, device="emulator").save(tmp_path / "run.cclrec")
    code = (
        "import sys; from ccl_viewer.recording import open_recording; "
        "print(open_recording(sys.argv[1])._repr_html_())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "run.cclrec")]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "<iframe" in shown


def test_a_notebook_shows_as_many_steps_as_fit() -> None:
    cells = 1200 * 1100
    assert choose_steps(100, cells) == (0, 50, 99)
    assert choose_steps(3, cells) == (0, 1, 2)
    assert choose_steps(2, 2 * cells) == ()
    run = ccl.record(
        np.tile(np.array([1, 0], np.uint8), (1200, 550)), "label_equivalence", device="emulator"
    )
    shown = notebook_bundle(run)["text/html"]
    page = unpacked(Markup(shown).found["iframe"][0]["srcdoc"]).description["runs"][0]
    assert [step["index"] for step in page["steps"]] == [*choose_steps(len(run), cells)]
    assert f"3 of {len(run)} steps are shown" in page["note"]


def test_a_run_too_large_for_a_player_is_a_small_picture_with_the_reason() -> None:
    large = np.zeros((1000, 2500), np.uint8)
    large[:, 1250:] = 1
    shown = notebook_bundle(ccl.record(large, "ha4", device="emulator"))["text/html"]
    assert shown == distrusted(shown)  # nothing hides it
    assert "do not fit into a notebook" in shown
    seen = picture_in(shown)
    assert seen.shape == (256, 640, 3)
    assert (seen[:, :318] == seen[0, 0]).all()
    assert (seen[:, 322:] != seen[0, 0]).any(axis=2).all()
