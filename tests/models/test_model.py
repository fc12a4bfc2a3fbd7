"""Signals of a model: together at the end of a transaction, to followers that still exist."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
from psygnal import Signal
from pytestqt.exceptions import capture_exceptions

from ccl_viewer.window.core.model import Model, watch


class Brush(Model):
    width_changed = Signal()
    colour_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.width = 1
        self.colour = "red"

    def choose(self, width: int, colour: str) -> None:
        with self.transaction():
            self._set(self.width_changed, width)
            self._set(self.colour_changed, colour)


class View:
    """Notes what it sees each time that it is called."""

    def __init__(self, seen: list[object], *brushes: Brush) -> None:
        self._seen, self._brushes = seen, brushes

    def refresh(self) -> None:
        self._seen.append([(brush.width, brush.colour) for brush in self._brushes])


@pytest.fixture
def brush() -> Brush:
    return Brush()


def test_followers_of_several_fields_are_called_once_when_all_have_changed(brush: Brush) -> None:
    seen: list[object] = []
    view = View(seen, brush)
    watch(view.refresh, brush.width_changed, brush.colour_changed)
    brush.choose(2, "blue")
    brush.choose(2, "green")
    brush.choose(2, "green")
    assert seen == [[(2, "blue")], [(2, "green")]]


def test_methods_are_forgotten_with_their_object(brush: Brush) -> None:
    seen: list[object] = []
    view = View(seen, brush)
    watch(view.refresh, brush.width_changed, brush.colour_changed)
    del view
    gc.collect()
    brush.choose(2, "blue")
    assert not seen


def fail() -> None:
    raise ValueError("A follower fails")


@pytest.mark.parametrize(
    "announce",
    [
        lambda brush: brush.width_changed.connect(fail),
        lambda brush: brush.changed.connect(fail),
        lambda brush: watch(fail, brush.width_changed, brush.colour_changed),
    ],
    ids=["field", "model", "watch"],
)
def test_an_error_of_a_follower_is_reported_and_stops_nobody(
    brush: Brush, announce: Callable[[Brush], object]
) -> None:
    announce(brush)
    seen: list[object] = []
    brush.width_changed.connect(lambda: seen.append(brush.width))
    brush.colour_changed.connect(lambda: seen.append(brush.colour))
    brush.changed.connect(lambda: seen.append("changed"))
    watch(lambda: seen.append("watched"), brush.width_changed, brush.colour_changed)
    for width, colour in ((2, "blue"), (3, "green")):
        with capture_exceptions() as errors:
            brush.choose(width, colour)
        assert [str(error) for _, error, _ in errors] == ["A follower fails"]
    assert seen == [2, "blue", "changed", "watched", 3, "green", "changed", "watched"]
