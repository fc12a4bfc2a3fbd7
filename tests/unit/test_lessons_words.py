"""Texts of lessons: figures are filled in, and the little Markdown stays harmless."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer import lessons
from ccl_viewer.errors import InputError
from ccl_viewer.lessons import Scene
from ccl_viewer.lessons.figures import CELL_FIGURES, RUN_FIGURES, STEP_FIGURES
from ccl_viewer.lessons.markup import find_markup_faults, to_html, to_plain_text
from ccl_viewer.lessons.templates import RunStep
from ccl_viewer.storage.resources import assets_folder

SPIRAL = Scene("", "", "pattern:spiral?size=31", "label_equivalence")
SIZES = Scene("", "", "##.\n.#.\n..#", "label_equivalence_sizes")


def told(text: str, scene: Scene = SPIRAL, step: int = -1) -> str:
    return lessons.fill(text, (lessons.record_scene(scene), step), elsewhere)


def elsewhere(number: str) -> RunStep:
    return lessons.record_scene((SPIRAL, SIZES)[int(number) - 1]), -1


@pytest.mark.parametrize(
    ("text", "step", "filled"),
    [
        ("{cells} of {width} x {height}", -1, "511 of 31 x 31"),
        ("{iterations}, {steps}, {components}, {found}", 0, "3, 7, 1, 1"),
        ("step {step}: {stage} {kernel}", 1, "step 2: scan label_equivalence_scanning"),
        ("{changed} {roots} {merged} {iteration}", 1, "502 9 502 1"),
        ("{depth}, {depth@0}, {depth@-1}", 1, "60, 0, 1"),
        ("{wrong}, {wrong_labels}, {wrong@0}", -1, "0, 0, 510"),
        ("{label:0,0} {label:30,0} {root:30,1}", 2, "34 34 34"),
        ("{links:30,1} {links:0, 0} {area:0,0}", 2, "1 0 511"),
        ("{blocks} of {threads}", 0, "4 of 256"),
        ("{changes}", 0, "1,956"),
        ("{2.sizes:0,0} {2.sizes:0,0@0} {1.roots}", 0, "3 1 1"),
        ("{{roots}} }}{{", 0, "{roots} }{"),
    ],
)
def test_figures_are_those_of_the_recording(text: str, step: int, filled: str) -> None:
    assert told(text, step=step) == filled


def test_layers_are_figures_too() -> None:
    assert told("{sizes:0,0} {sizes:2,2}", SIZES) == "3 1"


def test_levels_are_told_where_there_are_levels() -> None:
    tiles = Scene("", "", "pattern:full?width=9&height=9", "stava_benes", parameters={"tile": 4})
    assert told("{level}", tiles, 1) == "1"


def test_another_scene_cannot_be_seen_from_nowhere() -> None:
    with pytest.raises(InputError, match="cannot be seen"):
        lessons.fill("{1.roots}", (lessons.record_scene(SPIRAL), 0))


def test_every_figure_is_in_the_guide() -> None:
    guide = (assets_folder().parent / "docs" / "lessons.md").read_text("utf-8")
    for name in (*RUN_FIGURES, *STEP_FIGURES):
        assert f"`{{{name}}}`" in guide, name
    for name in CELL_FIGURES:
        assert f"`{{{name}:X,Y}}`" in guide, name


MARKED = "Two **bold** words, *one* and `a*b`.\n\n- first *item*\n- second\n\nEnd: 1 < 2 & 3."


def test_what_is_allowed_is_shown() -> None:
    assert list(find_markup_faults(MARKED)) == []
    assert to_html(MARKED) == (
        "<p>Two <b>bold</b> words, <i>one</i> and <code>a*b</code>.</p>"
        "<ul><li>first <i>item</i></li><li>second</li></ul>"
        "<p>End: 1 &lt; 2 &amp; 3.</p>"
    )
    assert to_plain_text(MARKED).startswith(
        "Two bold words, one and a*b.\n\n- first item\n- second"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<script>alert(1)</script>", "HTML"),
        ("<!-- x -->", "HTML"),
        ("[a](b)", "Links"),
        ("![a](b)", "pictures"),
        ("[a][b]", "Links"),
        ("javascript:alert(1)", "Addresses"),
        ("HTTP://x.org", "Addresses"),
        ("## a", "Headings"),
        ("```\nx\n```", "Blocks of code"),
        ("1. a", "Lists"),
        ("* a\n* b", "Lists"),
        ("| a | b |", "Tables"),
        ("> a", "Quotations"),
        ("a * b", "no partner"),
        ("`a", "no partner"),
    ],
)
def test_what_is_not_allowed_is_named(text: str, words: str) -> None:
    assert any(words in fault for fault in find_markup_faults(text))


@pytest.mark.parametrize("text", ["**a*b**c*", "*a**b*c**", "***a***", "**a *b* c**", "*`a*`*"])
def test_marks_that_cross_are_still_well_formed(text: str) -> None:
    element = ET.fromstring(f"<div>{to_html(text)}</div>")  # noqa: S314 - our own text
    assert "".join(element.itertext()) == to_plain_text(text)


@given(st.text("ab*`<>&[]()-\n \"'", max_size=40))
def test_any_text_becomes_harmless_html(text: str) -> None:
    """For any text, it is well-formed and contains only the few allowed elements."""
    html = to_html(text)
    tags = set(re.findall(r"</?(\w+)>", html))
    assert tags <= {"p", "ul", "li", "b", "i", "code"}
    root = ET.fromstring(f"<div>{html}</div>")  # noqa: S314 - our own text
    assert "".join(root.itertext()) is not None
