"""What is drawn of a timeline, and where: read from pictures, and from texts with their places."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication

from ccl_viewer.plan import Stage
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.session.facts.course import Course
from ccl_viewer.session.playback.transport import Group, Section
from ccl_viewer.views.looks.theme import DARK, text_on
from ccl_viewer.views.timeline.painting import (
    Look,
    names_fit,
    paint_flags,
    paint_ground,
    paint_position,
    paint_section,
    paint_values,
)

Picture = npt.NDArray[np.uint32]
Said = list[tuple[str, QRectF]]

STAGES = (Stage.INIT, Stage.SCAN, Stage.ANALYSIS)
pytestmark = pytest.mark.usefixtures("qapp")


def course(steps: int) -> Course:
    """A course without groups, milestones or curves."""
    codes = np.arange(steps, dtype=np.int64) % 3
    unknown = np.full(steps, math.nan)
    return Course(stages=STAGES, codes=codes, roots=unknown, wrong=unknown)


def rounds(shown: Course) -> Course:
    """The same, with an iteration for every two steps."""
    groups = tuple(Group(2 * i, 2 * i + 1, i + 1, None) for i in range(len(shown) // 2))
    return replace(shown, groups=groups)


def look(width: int = 700, height: int = 120, *, named: bool = True) -> Look:
    return Look(DARK, QFont(QApplication.font()), width, height, named)


def drawn(ground: Look, paint: Callable[[QPainter], object]) -> Picture:
    """A picture, as 0xRRGGBB in rows."""
    image = QImage(ground.width, ground.height, QImage.Format.Format_RGB32)
    image.fill(QColor(DARK.surface))
    painter = QPainter(image)
    paint(painter)
    painter.end()
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(ground.height, -1)
    return rows[:, : ground.width] & np.uint32(0xFFFFFF)


def on_ground(shown: Course, ground: Look) -> Picture:
    return drawn(ground, lambda painter: paint_ground(painter, shown, ground))


def shade(name: str) -> int:
    return QColor(name).rgb() & 0xFFFFFF


def part(picture: Picture, box: QRectF) -> Picture:
    return picture[round(box.top()) : round(box.bottom()), round(box.left()) : round(box.right())]


def extent(hit: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """The first and last column in which there is something."""
    columns = np.flatnonzero(hit.any(axis=0))
    return int(columns[0]), int(columns[-1])


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    """All texts that are drawn, with the places that they are given."""
    texts: Said = []

    def note(_painter: QPainter, place: QRectF, _flags: object, text: str) -> None:
        texts.append((text, QRectF(place)))

    monkeypatch.setattr(QPainter, "drawText", note)
    return texts


# Where the parts are


def test_names_of_stages_go_first_where_the_timeline_is_low() -> None:
    low, high = look(height=60).rows(), look(height=120).rows()
    assert low.legend.isEmpty()
    assert not high.legend.isEmpty()
    assert high.legend.bottom() <= 120
    assert low.marks.bottom() <= 60
    assert high.marks.bottom() < high.legend.top()


def test_a_ruler_without_names_gives_its_room_to_the_curves() -> None:
    named, bare = look().rows(), look(named=False).rows()
    assert bare.ruler.height() < named.ruler.height()
    assert bare.curves.height() - named.curves.height() == pytest.approx(
        named.ruler.height() - bare.ruler.height()
    )


@pytest.mark.parametrize("width", range(400, 900, 20))
def test_a_stage_is_named_only_where_its_mark_has_room(width: int, said: Said) -> None:
    shown, ground = course(9), look(width, 60)
    on_ground(shown, ground)
    assert bool(said) is names_fit(shown, ground)
    pitch = ground.track(9).pitch
    widest = QFontMetricsF(ground.font).horizontalAdvance
    for step, (text, place) in enumerate(said):
        assert text == str(shown.stage(step))
        assert ground.track(9).left_of(step) < place.left()
        assert place.left() + widest(text) < ground.track(9).left_of(step) + pitch


# Steps


@pytest.mark.parametrize("steps", [9, 40, 300])
def test_every_step_has_its_own_colour_and_wide_ones_are_apart(steps: int) -> None:
    shown, ground = course(steps), look()
    row = on_ground(shown, ground)[round(ground.rows().marks.top()) + 2]
    track = ground.track(steps)
    for step in range(steps):
        found = row[math.floor(track.centre_of(step))]
        assert found == shade(STAGE_COLORS[shown.stage(step)])
    gaps = int(np.count_nonzero(row[9:691] == shade(DARK.surface)))
    assert (gaps >= steps - 1) is (track.pitch >= 4)


def test_pooled_steps_lie_where_they_are() -> None:
    codes = np.repeat(np.array([1, 2], np.int64), 1000)
    shown, ground = replace(course(2000), codes=codes), look()
    row = on_ground(shown, ground)[round(ground.rows().marks.top()) + 2]
    first, second = (row == shade(STAGE_COLORS[stage]) for stage in STAGES[1:])
    assert extent(first[None]) == (8, 349)
    assert extent(second[None]) == (350, 691)


def test_wide_marks_have_the_shape_of_their_stage() -> None:
    shown, ground = course(30), look()
    picture, track, marks = on_ground(shown, ground), ground.track(30), ground.rows().marks
    assert not names_fit(shown, ground)
    for step in range(30):
        mark = QRectF(track.left_of(step) + 1, marks.top(), track.pitch - 1, marks.height())
        inked = part(picture, mark) == shade(text_on(STAGE_COLORS[shown.stage(step)]))
        assert inked.any()
    narrow = on_ground(course(100), ground)
    colours = {shade(STAGE_COLORS[stage]) for stage in STAGES} | {shade(DARK.surface)}
    assert {*part(narrow, marks).ravel().tolist()} <= colours, "no shape has room"


# The ruler


def test_groups_are_parted_by_lines_unless_they_are_narrow() -> None:
    for steps, lines in ((20, True), (300, False)):
        shown, ground = rounds(course(steps)), look()
        track, row = ground.track(steps), round(ground.rows().curves.center().y())
        parted = on_ground(shown, ground)[row] == shade(DARK.border)
        found = {round(track.left_of(group.start)) for group in shown.groups[1:]}
        assert {*np.flatnonzero(parted).tolist()} == (found if lines else set())


def test_iterations_are_named_over_their_steps(said: Said) -> None:
    shown, ground = rounds(course(10)), look(height=60)
    on_ground(shown, ground)
    names = [(text, place) for text, place in said if text.startswith("iteration")]
    assert [text for text, _place in names] == [f"iteration {n}" for n in range(1, 6)]
    for group, (_text, place) in zip(shown.groups, names, strict=True):
        left, right = ground.track(10).extent(Section(group.start, group.end))
        assert (place.left(), place.right()) == pytest.approx((left, right))
        assert place.bottom() <= ground.rows().ruler.bottom()


def test_no_number_is_cut_at_the_end_of_the_ruler(said: Said) -> None:
    shown, ground = rounds(course(2000)), look(height=60)
    on_ground(shown, ground)
    texts = [text for text, _place in said]
    assert len(texts) > 3
    assert "1,000" not in texts, "it would reach over the edge"
    assert all(place.right() <= ground.rows().ruler.right() + 1 for _text, place in said)


# Curves


def test_the_curve_of_wrong_cells_is_a_line_over_a_field() -> None:
    ground, plain = look(), course(40)
    wrong = np.full(40, 50.0)
    wrong[0] = 100.0
    curves = ground.rows().curves
    before, after = on_ground(plain, ground), on_ground(replace(plain, wrong=wrong), ground)
    column = (before != after)[:, 400]
    top = int(np.flatnonzero(column)[0])
    middle = (curves.top() + 5 + curves.bottom() - 2) / 2
    assert abs(top - middle) <= 2
    assert column[top : int(curves.bottom()) - 2].all()
    strong, field = int(after[top + 1, 400]), int(after[round(curves.bottom()) - 4, 400])
    assert strong >> 16 > field >> 16, "the line is seen over its field"


def test_the_curve_of_roots_is_dashed_and_has_no_field() -> None:
    ground, plain = look(), course(40)
    before = on_ground(plain, ground)
    after = on_ground(replace(plain, roots=np.full(40, 7.0)), ground)
    changed = before != after
    rows = np.flatnonzero(changed.any(axis=1))
    assert rows[-1] - rows[0] <= 4
    along = changed.any(axis=0)[50:650]
    assert along.any()
    assert not along.all()


def test_curves_that_would_be_a_line_are_not_drawn() -> None:
    shown = replace(course(40), roots=np.linspace(9, 1, 40), wrong=np.linspace(9, 0, 40))
    low = look(height=40)
    assert low.rows().curves.height() < 12
    np.testing.assert_array_equal(on_ground(shown, low), on_ground(course(40), low))


# What stands below


@pytest.mark.parametrize("width", [260, 500, 700, 1400])
def test_names_of_stages_never_meet_the_values(width: int, said: Said) -> None:
    shown = replace(course(300), roots=np.full(300, 123_456.0), wrong=np.full(300, 12_345.0))
    ground = look(width)
    on_ground(shown, ground)
    advance = QFontMetricsF(ground.font).horizontalAdvance
    names = [(place.left(), place.left() + advance(text)) for text, place in said]
    assert [text for text, _place in said] == [str(stage) for stage in STAGES[: len(said)]]
    assert len(said) == (3 if width >= 700 else len(said))
    assert all(one[1] < other[0] - ground.shape for one, other in pairwise(names))
    said.clear()
    drawn(ground, lambda painter: paint_values(painter, 4, shown, ground))
    assert [text for text, _place in said] == ["roots 123,456", "wrong root 12,345"]
    roots, wrong = (place.left() for _text, place in said)
    assert roots + advance("roots 123,456") <= ground.rows().legend.right() + 1
    assert wrong + advance("wrong root 12,345") < roots
    assert not names or names[-1][1] < wrong


def test_each_stage_has_a_sample_beside_its_name(said: Said) -> None:
    ground = look()
    picture = on_ground(course(300), ground)
    legend = part(picture, ground.rows().legend)
    for stage, (_text, place) in zip(STAGES, said, strict=True):
        first, last = extent(legend == shade(STAGE_COLORS[stage]))
        assert place.left() - ground.rows().legend.left() - ground.shape - 6 <= first
        assert last < place.left() - ground.rows().legend.left()


def test_values_that_are_not_known_are_not_made_up(said: Said) -> None:
    ground, roots = look(), np.array([math.nan, 4.0, 3.0])
    shown = replace(course(3), roots=roots)
    drawn(ground, lambda painter: paint_values(painter, 0, shown, ground))
    drawn(ground, lambda painter: paint_values(painter, 1, shown, ground))
    assert [text for text, _place in said] == ["roots ?", "roots 4"]


# Milestones, section and position


def test_milestones_are_lines_where_their_steps_begin() -> None:
    ground, plain = look(), course(20)
    for step in (0, 7):
        left = round(ground.track(20).left_of(step))
        for shown, color in (
            (replace(plain, settled=step), DARK.ok),
            (replace(plain, converged=step), DARK.ok),
            (replace(plain, first_wrong=step), DARK.error),
        ):
            row = on_ground(shown, ground)[round(ground.rows().curves.center().y())]
            assert np.flatnonzero(row == shade(color)).tolist() == [left, left + 1]


def test_flags_name_milestones_up_to_a_step(said: Said) -> None:
    ground = look()
    shown = replace(course(20), settled=5, converged=12, first_wrong=0)
    for until, names in (
        (None, ["first wrong", "roots right", "converged"]),
        (12, ["first wrong", "roots right", "converged"]),
        (11, ["first wrong", "roots right"]),
        (4, ["first wrong"]),
    ):
        said.clear()
        drawn(ground, partial(paint_flags, course=shown, look=ground, until=until))
        assert [text for text, _place in said] == names
    fields = drawn(ground, lambda painter: paint_flags(painter, shown, ground))
    for color, step in ((DARK.error, 0), (DARK.ok, 5), (DARK.ok, 12)):
        corner = round(ground.track(20).left_of(step)) + 2
        assert (fields[:, corner] == shade(color)).any()


def test_a_section_has_a_bar_and_two_ends() -> None:
    ground, shown, section = look(), course(20), Section(5, 9)
    accent = shade(DARK.accent)
    picture = drawn(ground, lambda painter: paint_section(painter, section, shown, ground))
    left, right = ground.track(20).extent(section)
    bar = picture[round(ground.rows().ruler.bottom()) - 1] == accent
    first, last = extent(bar[None])
    assert (first, last + 1) == pytest.approx((left, right), abs=1)
    assert bar[first : last + 1].all()
    below = np.flatnonzero(picture[round(ground.rows().curves.center().y())] == accent)
    assert {*below.tolist()} <= {*range(round(left) - 1, round(left) + 3)} | {
        *range(round(right) - 3, round(right) + 2)
    }
    assert below[0] < left + 3
    assert below[-1] >= right - 3


def at_step(shown: Course, ground: Look, step: int, hovered: int | None = None) -> Picture:
    return drawn(ground, lambda painter: paint_position(painter, step, shown, ground, hovered))


def test_the_position_is_a_line_with_a_knob_in_the_middle_of_its_step() -> None:
    ground, text = look(), shade(DARK.text)
    rows = ground.rows()
    for steps, framed in ((20, True), (300, False)):
        picture, track = at_step(course(steps), ground, 6), ground.track(steps)
        middle = track.centre_of(6)
        first, last = extent(picture[None, round(rows.curves.center().y())] != shade(DARK.surface))
        assert first <= middle <= last + 1
        assert last - first <= 2
        knob = extent(picture[None, round(rows.curves.top()) - 2] == text)
        assert knob[0] <= middle - 2
        assert knob[1] + 1 >= middle + 2
        marks = extent(picture[None, round(rows.marks.center().y())] != shade(DARK.surface))
        if framed:
            left, right = track.left_of(6), track.left_of(7)
            assert marks == pytest.approx((left, right), abs=2.5)
        else:
            assert marks == pytest.approx((middle, middle), abs=2.5), "the line goes to its end"


def test_the_line_of_the_position_goes_behind_the_names_of_milestones() -> None:
    ground, plain = look(), course(20)
    shown = replace(plain, settled=6)
    column = round(ground.track(20).centre_of(6))
    field = drawn(ground, lambda painter: paint_flags(painter, shown, ground))[:, column]
    hidden = field != shade(DARK.surface)
    assert hidden.any()
    before, behind = (at_step(one, ground, 6)[:, column] for one in (plain, shown))
    below_knob = np.arange(ground.height) > ground.rows().curves.top() + 6
    covered = hidden & below_knob
    assert covered.any()
    assert (before[covered] != shade(DARK.surface)).all()
    inside = np.flatnonzero(covered)[2:-2]
    assert inside.size
    assert (behind[inside] == shade(DARK.surface)).all()


def test_the_step_under_the_mouse_glows_unless_it_is_on_display() -> None:
    ground, shown = look(), course(20)
    plain, glowing = at_step(shown, ground, 6), at_step(shown, ground, 6, hovered=12)
    first, last = extent(plain != glowing)
    track = ground.track(20)
    assert (first, last + 1) == pytest.approx((track.left_of(12), track.left_of(13)), abs=1)
    np.testing.assert_array_equal(at_step(shown, ground, 6, hovered=6), plain)
