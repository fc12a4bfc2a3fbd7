"""The page of a recording in a real browser: what its keys do, and what it draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.browser import Browser
from support.browser_page import WRITTEN, choose, colours, middle_of, spy, text

import ccl_viewer as ccl
from ccl_viewer.export import ExportOptions, export
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import PageRun, make_page_run
from ccl_viewer.grids.specs import open_grid
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import run_totals
from ccl_viewer.render.layers import SWITCHES
from ccl_viewer.render.pace import new_caption_length, seconds_per_step
from ccl_viewer.render.palette import colour_run, label_indices
from ccl_viewer.render.themes import THEMES, canvas_colours


@pytest.fixture(scope="module")
def recording() -> Recording:
    grid = open_grid("pattern:shibata").grid
    return ccl.record(
        grid, "shibata_slow", connectivity=8, device="emulator", schedule="synchronous"
    )


@pytest.fixture(scope="module")
def page(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "run.html"
    export(recording, path)
    return path


def step_of(browser: Browser) -> int:
    return int(text(browser, "place").split("/")[0])


def expected(recording: Recording, step: int, theme: str) -> npt.NDArray[Any]:
    indices = label_indices(recording.labels(step), colour_run(recording))
    return canvas_colours(THEMES[theme]).rgb_table[indices.ravel()]


def test_the_totals_of_the_run_stand_below_the_verdict(
    browser: Browser, page: Path, recording: Recording
) -> None:
    browser.open(page)
    told = text(browser, "totals")
    assert told == "  ·  ".join(run_totals(recording))
    assert f"{recording.iterations} iterations" in told


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_step_is_drawn_in_the_colours_of_its_labels(
    browser: Browser, page: Path, recording: Recording, theme: str
) -> None:
    browser.emulate(prefers_color_scheme=theme)
    browser.open(page)
    browser.press("n", "c")
    choose(browser, "colours", "label")
    for step in range(len(recording)):
        assert step_of(browser) == step + 1
        np.testing.assert_array_equal(
            colours(browser, recording.image.shape), expected(recording, step, theme)
        )
        browser.press("Right")
    assert step_of(browser) == len(recording)
    browser.press("Left", "Left", "Left")
    back = len(recording) - 4
    np.testing.assert_array_equal(
        colours(browser, recording.image.shape), expected(recording, back, theme)
    )


def test_numbers_are_the_labels_of_the_step(
    browser: Browser, page: Path, recording: Recording
) -> None:
    browser.open(page)
    spy(browser)
    for step in range(1, len(recording)):
        browser.run("window.written = []")
        browser.press("Right")
        labels = np.full(recording.image.shape, np.iinfo(np.int32).min)
        for x, y, value in browser.run(WRITTEN):
            labels[y, x] = value
        cells = recording.image != 0
        np.testing.assert_array_equal(labels[cells], recording.labels(step)[cells])
        assert (labels[~cells] == np.iinfo(np.int32).min).all(), "background has no numbers"


def test_a_cell_without_a_label_has_no_number(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "ha4.html"
    export(ccl.record(np.ones((1, 4), np.uint8), algorithm="ha4"), path)
    browser.open(path)
    spy(browser)
    browser.press("End")
    browser.run("window.written = []")
    browser.press("Home")
    assert browser.run(WRITTEN) == [[0, 0, 0]], "only the first cell of a run has one"


def test_keys_move_through_the_run(browser: Browser, page: Path, recording: Recording) -> None:
    browser.open(page)
    count = len(recording)
    for key, place in (
        ("End", count),
        ("Right", count),
        (",", count - 1),
        ("Home", 1),
        ("Left", 1),
        (".", 2),
        ("PageDown", 3),
        ("PageDown", 4),
        ("PageUp", 3),
        ("PageUp", 2),
        ("PageUp", 1),
    ):
        browser.press(key)
        assert step_of(browser) == place, key


def test_space_plays_to_the_end_and_speeds_change(
    browser: Browser, page: Path, recording: Recording
) -> None:
    browser.open(page, "#step=7")
    speed = "return document.getElementById('speed').value"
    browser.press("]")
    assert browser.run(speed) == "2"
    browser.press("[", "[")
    assert browser.run(speed) == "0.5"
    browser.press("Backspace")
    assert browser.run(speed) == "1"
    browser.press("[", "[", "Space")
    playing = "return document.getElementById('play').classList.contains('playing')"
    assert browser.run(playing)
    browser.press("]", "]", "]", "]", "]", "]")
    last = f"{len(recording)} / {len(recording)}"
    browser.wait(f"return document.getElementById('place').textContent === '{last}'")
    browser.wait(playing.replace("return ", "return !"))


def test_a_section_is_played_backwards_too(browser: Browser, page: Path) -> None:
    browser.open(page, "#step=3")
    browser.press("]", "]", "]", "]", "Shift+A", "End", "Left", "Left", "Shift+B", "Home")
    stopped = "return !document.getElementById('play').classList.contains('playing')"
    place = "return document.getElementById('place').textContent.startsWith('{} /')"
    browser.press("Space")
    browser.wait(place.format(8))
    browser.wait(stopped)
    browser.press("Shift+R", "Space")
    browser.wait(place.format(3))
    browser.wait(stopped)
    browser.press("Shift+Backspace", "Space")
    browser.wait(place.format(1))
    browser.wait(stopped)


def test_layers_have_keys_and_buttons(browser: Browser, page: Path) -> None:
    browser.open(page, "#step=3")
    choose(browser, "colours", "label")
    pressed = "return document.querySelector(`[data-layer=${arguments[0]}]`).ariaPressed"
    keys = {layer: switch.page_key for layer, switch in SWITCHES.items() if switch.page_key}
    assert len(keys) >= 7
    for layer, key in keys.items():
        before = browser.run(pressed, layer)
        picture = browser.run("return document.getElementById('board').toDataURL()")
        browser.press(key.lower())
        assert browser.run(pressed, layer) != before
        if layer != "only":  # nothing is pinned
            after = browser.run("return document.getElementById('board').toDataURL()")
            assert after != picture, layer
        browser.run("document.querySelector(`[data-layer=${arguments[0]}]`).click()", layer)
        assert browser.run(pressed, layer) == before
    browser.press("s")
    assert "thread block" in text(browser, "legend")
    browser.press("n")
    assert browser.run("return document.getElementById('numbers').value") == ""
    browser.press("Shift+C")
    assert browser.run("return document.getElementById('colours').value") == "tree"
    assert "colour: tree" in text(browser, "legend")


def test_digits_lie_over_lines(browser: Browser, page: Path) -> None:
    """As in the window: tests/window/test_canvas_order.py."""
    browser.resize(1920, 1080)
    browser.open(page, "#step=3")
    browser.press("a", "s")
    browser.run(
        """
        window.painted = [];
        for (const name of ["drawImage", "stroke", "fill", "fillText"]) {
          const paint = CanvasRenderingContext2D.prototype[name];
          CanvasRenderingContext2D.prototype[name] = function (...what) {
            if (this.canvas.id === "board") window.painted.push(name);
            return paint.apply(this, what);
          };
        }
        """
    )
    browser.press("k")
    painted = browser.run("return window.painted.join(' ')")
    _, *pictures = painted.split("drawImage")
    assert pictures
    for picture in pictures:
        lines = picture.split()[: -picture.count("fillText")]
        assert {*lines} == {"stroke", "fill"}  # contours, structure and arrows, but no digit


def test_a_link_leads_to_its_step(browser: Browser, page: Path) -> None:
    browser.open(page, "#step=4")
    assert step_of(browser) == 4
    browser.press("Right")
    browser.wait("return location.hash === '#step=5'")
    browser.run("location.hash = '#step=2'")
    browser.wait("return document.getElementById('place').textContent.startsWith('2 /')")
    browser.run("location.hash = '#step=3'; history.replaceState(null, '', '#step=2')")
    browser.wait("return document.getElementById('place').textContent.startsWith('3 /')")
    browser.open(page, "#step=999")
    assert step_of(browser) == 10
    browser.open(page, "#step=nonsense")
    assert step_of(browser) == 1


def test_pointing_tells_of_a_cell_and_clicking_pins_it(
    browser: Browser, page: Path, recording: Recording
) -> None:
    browser.open(page, "#step=2")
    browser.point(*middle_of(browser, 5, 4))
    label = int(recording.labels(1)[4, 5])
    told = text(browser, "readout")
    assert "x = 5, y = 4" in told
    assert f"label {label}" in told
    assert "→ (" in told
    browser.point(*middle_of(browser, 5, 4), click=True)
    browser.point(5, 5)
    assert "x = 5, y = 4" in text(browser, "readout")
    browser.press("Escape")
    assert "Point at a cell" in text(browser, "readout")
    browser.press("Shift+Right")
    browser.press("Shift+Down")
    assert "x = 5, y = 6" in text(browser, "readout")


def test_the_timeline_leads_to_a_step(browser: Browser, page: Path) -> None:
    browser.open(page)
    left, top, width, height = browser.run(
        "const at = document.getElementById('timeline').getBoundingClientRect();"
        "return [at.left, at.top, at.width, at.height]"
    )
    browser.point(left + width * 0.75, top + height / 2, click=True)
    assert step_of(browser) == 8
    slider = "const one = document.getElementById('timeline');"
    assert browser.run(slider + "return one.ariaValueNow") == "8"
    words = browser.run(slider + "return one.ariaValueText")
    assert words == "Step 8 of 10: propagate, iteration 7"


@pytest.mark.parametrize("size", [(390, 844), (1000, 680), (1280, 800)])
def test_a_step_is_explained_with_its_source(
    browser: Browser, page: Path, recording: Recording, size: tuple[int, int]
) -> None:
    browser.resize(*size)
    browser.open(page, "#step=3")
    step = recording.step(2)
    assert text(browser, "caption") == step.caption
    assert "took a smaller label" in text(browser, "explanation")
    assert text(browser, "launch") == "shibata_slow<<<dim3(1, 2, 1), dim3(32, 8, 1)>>>"
    marked = browser.run(
        "return [...document.querySelectorAll('#source .here')].map((one) => one.textContent)"
    )
    assert any("shibata_slow(" in line for line in marked)
    assert marked[-1] == "}"
    shown = browser.run(
        """
        const parts = ["#source", "#source .here"].map((name) => document.querySelector(name));
        const [outer, inner] = parts.map((one) => one.getBoundingClientRect());
        return inner.top >= outer.top && inner.bottom <= outer.bottom;
        """
    )
    assert shown
    given = text(browser, "arguments")
    assert all(argument.name in given for argument in step.arguments)


def test_the_themes_are_switched(browser: Browser, page: Path) -> None:
    theme = "return document.documentElement.dataset.theme"
    browser.open(page)
    assert browser.run(theme) == "dark"
    browser.press("t")
    assert browser.run(theme) == "light"
    browser.emulate(prefers_color_scheme="light")
    browser.open(page)
    assert browser.run(theme) == "light"


@pytest.mark.parametrize("system", ["dark", "light"])
def test_theme_and_caption_are_as_asked_for(
    browser: Browser, tmp_path: Path, recording: Recording, system: str
) -> None:
    path = tmp_path / "light.html"
    export(recording, path, ExportOptions(theme="light", caption=False))
    browser.emulate(prefers_color_scheme=system)
    browser.open(path)
    assert browser.run("return document.documentElement.dataset.theme") == "light"
    hidden = "return document.getElementById(arguments[0]).hidden"
    assert browser.run(hidden, "caption")
    assert browser.run(hidden, "explanation")


def test_all_keys_are_listed(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("?")
    assert browser.run("return document.getElementById('keys').open")
    assert "Next iteration" in text(browser, "key-list")
    assert "Presenter" not in text(browser, "key-list")
    browser.press("Right")
    assert step_of(browser) == 1
    browser.press("Escape")
    assert not browser.run("return document.getElementById('keys').open")


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (820, 1180), (1280, 720), (1920, 1080)])
def test_it_fits_its_window(browser: Browser, page: Path, size: tuple[int, int]) -> None:
    browser.resize(*size)
    browser.open(page)
    width = browser.run("return document.documentElement.scrollWidth")
    assert width <= size[0]
    left, top, right, bottom = browser.run(
        "const at = document.getElementById('board').getBoundingClientRect();"
        "return [at.left, at.top, at.right, at.bottom]"
    )
    assert left >= 0
    assert right <= size[0]
    assert bottom - top >= 200
    if size[0] >= 900:  # all of it is visible
        assert browser.run("return document.documentElement.scrollHeight") <= size[1]


@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
def test_on_a_phone_the_picture_stays_in_view(
    browser: Browser, page: Path, size: tuple[int, int]
) -> None:
    browser.resize(*size)
    browser.open(page, "#step=3")
    where = """
        const [board, play, what] = ["board", "play", "caption"].map(
          (name) => document.getElementById(name).getBoundingClientRect());
        return { top: board.top, bottom: board.bottom, play: play.bottom, words: what.top };
    """
    before = browser.run(where)
    if size[0] < size[1]:
        assert before["bottom"] <= before["words"] < size[1]
    browser.run("window.scrollTo(0, document.documentElement.scrollHeight)")
    after = browser.run(where)
    assert after["words"] < before["words"]
    assert 0 <= after["top"] < after["bottom"] < after["play"] <= size[1]


def test_on_a_phone_all_can_be_hit_by_a_finger(browser: Browser, page: Path) -> None:
    browser.resize(390, 844)
    browser.open(page)
    small = browser.run(
        """
        return [...document.querySelectorAll("button, select, input, #timeline")]
          .map((one) => [one.id, one.getBoundingClientRect()])
          .filter(([, { width, height }]) => height && (width < 44 || height < 44))
          .map(([name]) => name);
        """
    )
    assert small == []


def test_each_step_is_shown_as_long_as_in_the_window(
    browser: Browser, page: Path, recording: Recording
) -> None:
    browser.open(page)
    count = len(recording)
    expected = [seconds_per_step(count, new_caption_length(recording.steps, n)) for n in range(3)]
    assert max(expected) > min(expected) >= 1.5
    browser.run("window.asked = performance.now()")
    browser.press("]", "]", "]", "Space")  # eight times as fast
    browser.wait("return document.getElementById('place').textContent.startsWith('4 /')")
    passed = browser.run("return performance.now() - window.asked") / 1000
    assert passed >= sum(expected) / 8 - 0.05


def test_every_control_has_a_name(browser: Browser, page: Path) -> None:
    browser.open(page)
    nameless = browser.run(
        """
        const named = (one) => one.ariaLabel || one.textContent.trim()
          || [...(one.labels || [])].some((label) => label.textContent.trim());
        return [...document.querySelectorAll("button, select, input, canvas")]
          .filter((one) => !named(one)).map((one) => one.outerHTML);
        """
    )
    assert nameless == []


def test_zoom_keeps_to_the_grid(browser: Browser, page: Path, recording: Recording) -> None:
    browser.open(page)
    scale = "return Number(document.getElementById('board').dataset.place.split(' ')[2])"
    before = browser.run(scale)
    browser.press("+", "+")
    assert browser.run(scale) > before
    browser.press("0", "n", "c")
    assert browser.run(scale) == before
    np.testing.assert_array_equal(
        colours(browser, recording.image.shape), expected(recording, 0, "dark")
    )


def test_nothing_that_is_said_is_run(
    browser: Browser, tmp_path: Path, recording: Recording
) -> None:
    nasty = "</script><script>document.title='run'</script><img src=x onerror=document.title='run'>"
    path = tmp_path / "nasty.html"
    page = Page(nasty, (PageRun(recording, make_page_run(recording).steps, nasty),))
    path.write_text(page_html(page), "utf-8")
    browser.open(path)
    assert text(browser, "title") == nasty
    assert text(browser, "note") == nasty
    assert browser.run("return document.title") == nasty
    assert browser.run("return document.images.length") == 0


def test_a_notebook_plays_it(browser: Browser, tmp_path: Path, recording: Recording) -> None:
    path = tmp_path / "notebook.html"
    shown = recording._repr_html_()
    path.write_text(f"<!doctype html><html data-ready='true'>{shown}</html>", "utf-8")
    browser.open(path)
    assert browser.run("return document.querySelector('img').offsetParent === null")
    browser.enter_frame(0)
    try:
        browser.wait("return document.documentElement.dataset.ready === 'true'")
        browser.run("document.getElementById('forward').click()")
        assert step_of(browser) == 2
    finally:
        browser.enter_frame(None)


def test_a_frame_may_be_out_of_sight_at_first(browser: Browser, tmp_path: Path, page: Path) -> None:
    path = tmp_path / "later.html"
    frame = f'<iframe src="{page.as_uri()}" style="width: 100%; height: 680px; display: none">'
    path.write_text(f"<!doctype html><html data-ready='true'>{frame}</iframe></html>", "utf-8")
    browser.open(path)
    browser.enter_frame(0)
    try:
        browser.wait("return document.documentElement.dataset.ready === 'true'")
        browser.enter_frame(None)
        browser.run("document.querySelector('iframe').style.display = 'block'")
        browser.enter_frame(0)
        browser.wait("return Boolean(document.getElementById('board').dataset.place)")
        assert browser.run("return document.getElementById('trouble').hidden")
        assert browser.run("return document.getElementById('timeline').width") > 300
    finally:
        browser.enter_frame(None)


def test_a_damaged_page_says_so(browser: Browser, page: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.html"
    html = page.read_text("utf-8")
    start = html.index('id="data">') + 10
    html = html[: start + 400] + html[start + 800 :]
    path.write_text(html.replace("<html ", "<html data-ready='true' "), "utf-8")
    browser.open(path)
    browser.wait("return !document.getElementById('trouble').hidden")
    assert "cannot be shown" in text(browser, "trouble")
