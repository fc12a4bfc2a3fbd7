"""Deeds that wait until what floats is placed, and all lanes have runs of the grid with it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QObject
from pytestqt.qtbot import QtBot
from support.sessions import HeldRunner

from ccl_viewer.session import MessageKind, RunSettings, Session
from ccl_viewer.views.actions.settled import settled
from ccl_viewer.views.host import Host

TITLE = "Exporting"


@pytest.fixture
def done(labelled: Session, runner: HeldRunner, qapp: QObject) -> list[bool]:
    """What is noted when a deed is done, which waits for a lane that is being recorded."""
    noted = list[bool]()
    labelled.comparison.remember([RunSettings("ha4")])
    labelled.comparison.show(on=True)
    runner.work_all()
    labelled.edits.paste(np.ones((2, 2), np.uint8), (0, 0))
    host = cast(Host, SimpleNamespace(session=labelled, canvas=qapp))
    settled(TITLE, lambda _host: noted.append(labelled.comparison.working))(host)
    runner.work(runner.jobs[0])
    assert labelled.comparison.working
    assert not labelled.busy
    return noted


def test_a_deed_waits_for_the_lanes(done: list[bool], runner: HeldRunner, qtbot: QtBot) -> None:
    assert done == []
    runner.work_all()
    qtbot.waitUntil(lambda: done == [False])


@pytest.mark.parametrize(
    ("meanwhile", "kind", "why"),
    [
        (Session.run, MessageKind.WARNING, "stopped, because other work began."),
        (lambda session: session.comparison.cancel(), MessageKind.INFO, "stopped."),
        (lambda session: session.comparison.show(on=False), MessageKind.INFO, "stopped."),
    ],
)
def test_a_deed_that_comes_to_nothing_is_told_of(
    done: list[bool],
    labelled: Session,
    runner: HeldRunner,
    meanwhile: Callable[[Session], object],
    kind: MessageKind,
    why: str,
) -> None:
    meanwhile(labelled)
    runner.work_all()
    message = labelled.message
    assert message is not None
    assert (message.kind, message.text) == (kind, f"{TITLE}: {why}")
    QCoreApplication.processEvents()
    assert done == []
