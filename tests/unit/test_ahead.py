"""Frames decoded ahead are never waited for longer than decoding them takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from ccl_viewer.session.showing import ahead as module
from ccl_viewer.session.showing.ahead import Ahead, Known, Values

PATIENCE = 10.0
"""Seconds after which a thread that should go on is held to be stuck."""


@pytest.fixture
def ahead() -> Iterator[Ahead]:
    found = Ahead(limit=4)
    yield found
    found.close()


def test_a_thread_that_has_no_processor_is_not_waited_for(ahead: Ahead) -> None:
    here, began, go_on = threading.get_ident(), threading.Event(), threading.Event()

    def decode(index: int, _known: Known) -> Values:
        if threading.get_ident() != here:
            began.set()
            assert go_on.wait(PATIENCE)
            return np.full(3, -1)
        return np.full(3, index)

    ahead.at(0, decode, 2)
    assert began.wait(PATIENCE)
    assert ahead.get(1, decode).tolist() == [1, 1, 1]
    go_on.set()
    assert ahead.get(1, decode).tolist() == [1, 1, 1]


def test_what_was_decoded_ahead_is_taken(ahead: Ahead, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", PATIENCE)
    decoded: list[int] = []
    done = threading.Event()

    def decode(index: int, _known: Known) -> Values:
        decoded.append(index)
        if index == 1:
            done.set()
        return np.full(3, index)

    ahead.at(0, decode, 2)
    assert done.wait(PATIENCE)
    assert ahead.get(1, decode).tolist() == [1, 1, 1]
    assert decoded == [0, 1]
