"""Types of arguments: each parses a text, or reports its error."""

from __future__ import annotations

import argparse
import math
import re
from contextlib import suppress


def order_count(text: str) -> int:
    """Return a number of random orders."""
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise argparse.ArgumentTypeError(f"give a number from 0 to 9999, not {text[:40]!r}")
    return int(text)


def block(text: str) -> tuple[int, int, int]:
    """Return the block that ``X,Y`` or ``X,Y,Z`` names."""
    match = re.fullmatch(r"([0-9]{1,9}),([0-9]{1,9})(?:,([0-9]{1,9}))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"a block is written X,Y, not {text[:40]!r}")
    return int(match[1]), int(match[2]), int(match[3] or 0)


def image_size(text: str) -> tuple[int, int]:
    """Return width and height from a text such as ``1280x720``."""
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"a size is written 1280x720, not {text!r}")
    size = int(width), int(height)
    if not all(320 <= side <= 16384 for side in size):
        raise argparse.ArgumentTypeError("width and height must be from 320 to 16384")
    return size


def threshold(text: str) -> float | str:
    """Return a grey level, or ``otsu``."""
    if text == "otsu":
        return text
    if re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        return int(text)
    with suppress(ValueError):
        level = float(text)
        if math.isfinite(level):
            return level
    raise argparse.ArgumentTypeError(f"a level is a number such as 128 or 0.5, not {text[:40]!r}")


def plane_index(text: str) -> tuple[int, ...]:
    """Return the index of a picture in a file from a text such as ``0,3``."""
    if re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9}){0,7}", text):
        return tuple(int(number) for number in text.split(","))
    raise argparse.ArgumentTypeError(
        f"a picture is a number from 0, or one for each axis as in 0,3, not {text[:40]!r}"
    )


def channel_index(text: str) -> int:
    """Return the index of a channel."""
    if re.fullmatch(r"[0-9]{1,6}", text):
        return int(text)
    raise argparse.ArgumentTypeError(f"channels are counted from 0, not {text[:40]!r}")


def worker_count(text: str) -> int:
    """Return a number of workers."""
    if re.fullmatch(r"[0-9]{1,4}", text) and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"workers are counted from 1 to 9999, not {text!r}")


def whole_number(text: str) -> int:
    """Return a whole number from 0."""
    if re.fullmatch(r"[0-9]{1,18}", text):
        return int(text)
    raise argparse.ArgumentTypeError(f"give a whole number from 0, not {text[:40]!r}")


def repeat_count(text: str) -> int:
    """Return a number of runs."""
    if re.fullmatch(r"[0-9]{1,5}", text) and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"runs are counted from 1 to 99999, not {text!r}")


def seconds(text: str) -> float:
    """Return a number of seconds."""
    if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text) and float(text) > 0:
        return float(text)
    raise argparse.ArgumentTypeError(f"a limit is a number of seconds above 0, not {text!r}")


def parameter(text: str) -> tuple[str, int | str]:
    """Return name and value of ``NAME=VALUE``: a number, or the name of a choice."""
    match = re.fullmatch(r"(\w{1,60})=(?:(-?[0-9]{1,18})|([A-Za-z]\w{0,59}))", text)
    if match is None:
        raise argparse.ArgumentTypeError(
            "a parameter is written NAME=VALUE with a whole number of at most 18 digits or the "
            f"name of a choice, not {text[:40]!r}"
        )
    return match[1], int(match[2]) if match[2] else match[3]
