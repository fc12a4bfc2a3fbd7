"""Where lessons were left, so that one can go on there another day."""

from __future__ import annotations

import json
from typing import Final

_MOST: Final = 50
"""So many lessons are remembered; the one that was left longest ago is forgotten first."""


class Bookmarks:
    """The scene at which each lesson was left."""

    def __init__(self) -> None:
        self._scenes: dict[str, int] = {}

    def of(self, name: str) -> int:
        """Return the index of the scene at which a lesson was left; 0 if it was not begun."""
        return self._scenes.get(name, 0)

    def note(self, name: str, index: int, count: int) -> None:
        """Take note that a scene, one of so many, is on display.

        The first scene changes nothing, for every lesson opens with it; the last one ends the
        lesson, which begins anew the next time.
        """
        if index == 0:
            return
        self._scenes.pop(name, None)
        if index + 1 < count:
            self._scenes[name] = index
        while len(self._scenes) > _MOST:
            del self._scenes[next(iter(self._scenes))]

    def to_text(self) -> str:
        """Return all of them as text, to be remembered."""
        return json.dumps(self._scenes)

    def take(self, text: str) -> None:
        """Put back what :meth:`to_text` returned.

        Raises
        ------
        ValueError
            If the text was damaged.
        """
        try:
            scenes = json.loads(text)
        except json.JSONDecodeError:
            scenes = None
        if not isinstance(scenes, dict) or not all(map(_is_index, scenes.values())):
            raise ValueError(f"{text!r} holds no scenes of lessons")
        self._scenes = scenes


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
