"""A cache with a limit in bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from ccl_viewer.devices.sized_cache import SizedCache


@dataclass(frozen=True)
class Item:
    name: str
    nbytes: int = 10


def maker(name: str) -> Callable[[], Item]:
    return lambda: Item(name)


def test_the_least_recently_used_go_first() -> None:
    kept: SizedCache[Item] = SizedCache(30)
    for name in "abc":
        kept.get_or_make(name, maker(name))
    assert kept.get("a") == Item("a")
    kept.get_or_make("d", maker("d"))
    assert kept.nbytes == 30
    assert kept.get("b") is None
    assert all(kept.get(name) for name in "acd")


def test_a_large_item_takes_the_room_of_several() -> None:
    kept: SizedCache[Item] = SizedCache(30)
    for name in "abc":
        kept.get_or_make(name, maker(name))
    kept.get_or_make("large", lambda: Item("large", 25))
    assert kept.nbytes == 25
    assert kept.get("c") is None


def test_an_item_beyond_the_bound_is_made_and_not_kept() -> None:
    kept: SizedCache[Item] = SizedCache(30)
    kept.get_or_make("a", maker("a"))
    assert kept.get_or_make("huge", lambda: Item("huge", 31)).nbytes == 31
    assert kept.get("huge") is None
    assert kept.get("a") == Item("a")


def test_nothing_is_left_after_clearing() -> None:
    kept: SizedCache[Item] = SizedCache(30)
    kept.get_or_make("a", maker("a"))
    kept.clear()
    assert kept.nbytes == 0
    assert kept.get("a") is None


def test_threads_that_ask_for_the_same_item_get_one() -> None:
    kept: SizedCache[Item] = SizedCache(30)
    made: list[Item] = []
    found: list[Item] = []
    all_there = threading.Barrier(4)

    def make() -> Item:
        made.append(Item("a"))
        return made[-1]

    def ask() -> None:
        all_there.wait()
        found.append(kept.get_or_make("a", make))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 4
