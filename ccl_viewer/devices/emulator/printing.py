"""The output of kernels' ``printf``, formatted on the host; the native side is ``print.h``."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Iterator
from typing import Final

from ccl_viewer.devices.emulator.library import PrintRecord
from ccl_viewer.errors import sanitise_message
from ccl_viewer.execution.plan import Launch, unravel_index

_CAPACITY: Final = 4096  # words
_SIGNED, _UNSIGNED, _FLOATING, _TEXT = range(4)
_MOST_WIDTH: Final = 100
_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<digits>\d*))?(?:hh|h|ll|l|z|j|t)?"
    r"(?P<letter>[diouxXcsfFeEgGp%])"
)


class PrintBuffer:
    """Memory for the output of one launch at a time."""

    def __init__(self) -> None:
        self._words = (ctypes.c_uint64 * _CAPACITY)()
        self._record = PrintRecord(ctypes.addressof(self._words), _CAPACITY)
        self.address = ctypes.addressof(self._record)

    def collect_lines(self, launch: Launch) -> tuple[str, ...]:
        """Return the lines that a launch has printed, with their threads, and clear the memory.

        Parameters
        ----------
        launch : Launch
            The launch.
        """
        record = self._record
        if record.used == 0:
            return ()
        lines = tuple(self._lines(launch))
        if record.lost:
            lines += (
                f"{launch.kernel.name}: the output of {record.lost:,} more calls did not fit",
            )
        record.used = record.lost = 0
        ctypes.memset(self._words, 0, ctypes.sizeof(self._words))
        return lines

    def _lines(self, launch: Launch) -> Iterator[str]:
        at = 0
        while at < _CAPACITY and self._words[at]:
            length, block, thread, text = self._words[at : at + 4]
            template = ctypes.string_at(text).decode(errors="replace")
            printed = _format(template, self._arguments(at + 4, at + length))
            place = unravel_index(thread, launch.block), unravel_index(block, launch.grid)
            for line in printed.rstrip("\n").split("\n"):
                prefix = f"{launch.kernel.name}: thread {place[0]} of block {place[1]}: "
                yield prefix + sanitise_message(line)
            at += length

    def _arguments(self, at: int, end: int) -> list[int | float | str]:
        arguments: list[int | float | str] = []
        while at < end:
            kind, nbytes = self._words[at] & 0xFFFFFFFF, self._words[at] >> 32
            raw = struct.pack("<Q", self._words[at + 1])
            if kind == _TEXT:
                text = ctypes.string_at(ctypes.addressof(self._words) + 8 * (at + 1))
                arguments.append(text.decode(errors="replace"))
                at += 1 + nbytes // 8
                continue
            if kind == _FLOATING:
                arguments.append(struct.unpack("<d", raw)[0])
            else:
                arguments.append(int.from_bytes(raw[:nbytes], "little", signed=kind == _SIGNED))
            at += 2
        return arguments


def _format(template: str, arguments: list[int | float | str]) -> str:
    """Return a text formatted as by C's printf; what does not fit its conversion shows as it is."""
    rest = iter(arguments)

    def convert(match: re.Match[str]) -> str:
        letter = match["letter"]
        if letter == "%":
            return "%"
        value = next(rest, None)
        if value is None:
            return match[0]
        width = min(int(match["width"] or 0), _MOST_WIDTH)
        digits = "" if match["digits"] is None else f".{min(int(match['digits'] or 0), 60)}"
        if isinstance(value, int) and letter in "ouxXp":
            value &= (1 << (64 if not -(1 << 31) <= value < 1 << 32 else 32)) - 1
        if isinstance(value, int) and letter in "di" and (1 << 31) <= value < 1 << 32:
            value -= 1 << 32
        if letter == "c":
            value, letter = chr(int(value) & 255) if isinstance(value, int) else value, "s"
        if letter == "p":
            value, letter = f"{value:#x}", "s"
        letter = "d" if letter == "u" else letter
        try:
            return f"%{match['flags']}{width or ''}{digits}{letter}" % (value,)
        except (TypeError, ValueError):
            return str(value)

    return _CONVERSION.sub(convert, template)
