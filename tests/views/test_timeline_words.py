"""What the timeline says in words, and the line that it leaves to others where it has no words."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from support.sessions import HeldRunner
from support.windows import MakeWindow, settled, wait_idle

from ccl_viewer.plan import Stage
from ccl_viewer.session import Session
from ccl_viewer.session.facts.course import Course
from ccl_viewer.session.playback.transport import Group
from ccl_viewer.views.looks.theme import DARK
from ccl_viewer.views.timeline.geometry import Track, curve, curves_in_words
from ccl_viewer.views.timeline.painting import Look, paint_flags, paint_values
from ccl_viewer.views.timeline.timeline import Timeline

FEW, MANY = np.array([5.0, 3.0, 2.0]), np.array([900.0, 3.0, 2.0])
UNKNOWN = np.full(3, np.nan)


def course(roots: np.ndarray[Any, Any] = FEW, wrong: np.ndarray[Any, Any] = FEW) -> Course:
    return Course(
        stages=(Stage.TILE,),
        codes=np.zeros(3, np.int64),
        groups=(Group(0, 2, None, None),),
        converged=1,
        settled=1,
        roots=roots,
        wrong=wrong,
    )


class Noted:
    """Notes the texts that are drawn, and where."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, QRectF]] = []

    def __getattr__(self, name: str) -> Any:
        return self._note if name == "drawText" else lambda *_: None

    def _note(self, place: QRectF, _how: object, text: str) -> None:
        self.texts.append((text, place))


@pytest.mark.usefixtures("qapp")
def test_roots_are_right_before_a_run_has_converged() -> None:
    painter = Noted()
    look = Look(DARK, QFont(QApplication.font()), 700, 120, named=False)
    paint_flags(cast(QPainter, painter), course(), look)
    (first, upper), (second, lower) = painter.texts
    assert (first, second) == ("roots right", "converged")
    assert upper.bottom() < lower.top()


@pytest.mark.parametrize(("roots", "log"), [(FEW, False), (MANY, True)])
@pytest.mark.usefixtures("qapp")
def test_a_scale_that_is_not_even_is_named_and_explained(
    roots: np.ndarray[Any, Any], *, log: bool
) -> None:
    painter = Noted()
    shown = course(roots)
    paint_values(
        cast(QPainter, painter), 1, shown, Look(DARK, QFont(QApplication.font()), 700, 120)
    )
    assert painter.texts[0][0] == ("roots 3, log scale" if log else "roots 3")
    assert ("Log scale: ten times" in curves_in_words(shown)) == log


def test_curves_that_are_not_known_are_not_explained() -> None:
    assert "wrong root" in curves_in_words(course())
    assert "wrong root" not in curves_in_words(course(wrong=UNKNOWN))


def test_a_ruler_without_names_leaves_its_line_to_the_explanation(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:noise?width=24&height=16&density=0.6")
    window.appearance.set_text_size(200)
    lines = {}
    for key in ("label_equivalence", "ha4", "label_equivalence"):
        window.session.configure(algorithm_key=key, parameters={})
        wait_idle(qtbot, window)
        settled(window, 1280, 720)
        explanation = window.step_panel.explanation
        lines[key] = explanation.height() // explanation.fontMetrics().lineSpacing()
        assert window.step_panel.timeline.bare == (key == "ha4")
    assert lines == {"label_equivalence": 2, "ha4": 3}


def test_a_run_that_was_watched_leaves_the_line_of_the_ruler_too(
    labelled: Session, runner: HeldRunner, qtbot: QtBot
) -> None:
    timeline, holder, grown = Timeline(labelled), QWidget(), list[bool]()
    qtbot.addWidget(holder)
    layout = QVBoxLayout(holder)
    layout.addWidget(timeline)
    layout.addStretch(1)
    timeline.set_low(True)
    holder.show()

    def watch() -> None:
        labelled.poll()
        QApplication.processEvents()
        grown.append(timeline.height() == named)

    QApplication.processEvents()
    named = timeline.height()
    labelled.configure(algorithm_key="ha4", parameters={})
    labelled.run()
    runner.jobs[-1].wake = watch
    runner.work_all()
    QApplication.processEvents()
    assert grown[0], "what follows may be named, as long as it is not known"
    assert timeline.height() == timeline.sizeHint().height() < named


def test_the_curve_of_a_long_run_has_a_point_for_each_pixel_of_the_track() -> None:
    counts = np.zeros(1000)
    counts[500] = 4.0
    track = Track(20.0, 100.0, 1000)
    points = curve(counts, track, 10.0, 30.0)
    assert [x for x, _ in points] == [20.5 + column for column in range(100)]
    assert [(x, y) for x, y in points if y != 30.0] == [(70.5, 10.0)]
