"""Unpacks pages in Python, as their script does."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np
import numpy.typing as npt


class Markup(HTMLParser):
    """The parts of a page that tests check.

    ``texts`` has the text directly in elements of a name; ``found`` the attributes of each.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, list[str]] = {}
        self.found: dict[str, list[dict[str, str]]] = {}
        self._inside: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.setdefault(tag, []).append({name: value or "" for name, value in attrs})
        self.texts.setdefault(tag, []).append("")
        self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside[-1]][-1] += data

    def script(self) -> str:
        """The text of the only script that is run."""
        running = [
            text
            for text, attributes in zip(self.texts["script"], self.found["script"], strict=True)
            if "type" not in attributes
        ]
        (script,) = running
        return script


@dataclass
class Unpacked:
    """The data in a page."""

    description: dict[str, Any]
    data: bytes
    frames: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict)

    def octets(self, span: list[int]) -> npt.NDArray[np.uint8]:
        start, length = span
        return np.frombuffer(self.data, np.uint8, length, start)

    def numbers(self, span: list[int]) -> npt.NDArray[np.int32]:
        return np.cumsum(self._words(span, 1)[0], dtype=np.uint32).view(np.int32)

    def arrays(self, span: list[int], steps: int) -> npt.NDArray[np.int32]:
        """Return the array before the first step, and after each step."""
        return np.cumsum(self._words(span, steps + 1), axis=0, dtype=np.uint32).view(np.int32)

    def _words(self, span: list[int], frames: int) -> npt.NDArray[np.uint32]:
        planes = self.octets(span).reshape(frames, 4, -1).astype(np.uint32)
        shifts = np.array([0, 8, 16, 24], np.uint32)[None, :, None]
        words: npt.NDArray[np.uint32] = (planes << shifts).sum(axis=1, dtype=np.uint32)
        return words


def unpacked(html: str) -> Unpacked:
    """Return the data in a page."""
    match = re.search(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', html)
    assert match is not None
    data = zlib.decompress(b64decode(match[1]))
    length = int.from_bytes(data[-4:], "little")
    return Unpacked(json.loads(data[-4 - length : -4]), data)
