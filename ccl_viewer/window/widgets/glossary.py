"""The words that the window uses, explained in tooltips."""

from __future__ import annotations

import tomllib
from functools import cache

from ccl_viewer.storage.resources import assets_folder


@cache
def glossary() -> dict[str, str]:
    """Return words of the window with a sentence or two each, sorted by word."""
    with (assets_folder() / "glossary.toml").open("rb") as file:
        words: dict[str, str] = tomllib.load(file)
    return dict(sorted(words.items(), key=lambda entry: entry[0].casefold()))


def explain(word: str) -> str:
    """Return a word with its explanation, for a tooltip; empty if it is not in the glossary."""
    text = glossary().get(word, "")
    return f"{word.capitalize()}: {text}" if text else ""
