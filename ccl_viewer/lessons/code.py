"""Lines of a kernel's source, shown beside a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.devices.source import find_kernel_lines, read_source
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.lessons.model import SceneLines
from ccl_viewer.recording import Recording, Step

MIN_LINES: Final = 12
"""Fewest lines to show: the named ones, and lines around them."""


@dataclass(frozen=True)
class SceneCode:
    """Lines of a source file, with some of them marked.

    Parameters
    ----------
    file : str
        Name of the file.
    text : str
        The whole file.
    first, last : int
        First and last marked line, from 0.
    """

    file: str
    text: str
    first: int
    last: int

    @property
    def line_range(self) -> range:
        """The lines to show, from 0: at least :data:`MIN_LINES`, if the file is that long."""
        texts = self.text.split("\n")
        count = len(texts) - self.text.endswith("\n")
        around = max(2, (MIN_LINES - (self.last - self.first + 1) + 1) // 2)
        start = max(0, min(self.first - around, count - MIN_LINES))
        while 0 < start < self.first and _is_comment(texts[start - 1], texts[start]):
            start += 1  # half a comment would not be readable
        return range(start, min(count, max(self.last + 1 + around, start + MIN_LINES)))

    @property
    def lines(self) -> tuple[tuple[int, str, bool], ...]:
        """Number from 1, text, and whether it is marked, of each line to show."""
        texts = self.text.split("\n")
        return tuple(
            (index + 1, texts[index], self.first <= index <= self.last) for index in self.line_range
        )


def _is_comment(*lines: str) -> bool:
    return all(line.lstrip().startswith("//") for line in lines)


def find_code(lines: SceneLines, recording: Recording, step: int) -> SceneCode:
    """Find the lines of a scene in the source of its run.

    Parameters
    ----------
    lines : SceneLines
        Parts of their text.
    recording : Recording
        The run.
    step : int
        The step on display.

    Raises
    ------
    InputError
        If no line or several have the text.
    KernelBuildError
        If the source cannot be read.
    """
    launch = _find_step(lines.kernel, recording, step)
    for name, text in read_source(source_path(launch.module), launch.macros).files:
        rows = text.split("\n")
        begin, stop = 0, len(rows)
        if lines.kernel:
            line_range = find_kernel_lines(text, lines.kernel)
            if line_range is None:
                continue
            begin, stop = line_range[0], line_range[1] + 1
        first = [index for index in range(begin, stop) if lines.start in rows[index]]
        if len(first) > 1:
            numbers = ", ".join(str(index + 1) for index in first[:4])
            raise InputError(
                f"from stands in {len(first)} lines of {name} ({numbers}): write more of the line."
            )
        if first:
            last = _last(lines.end, rows, first[0], stop)
            return SceneCode(name, text, first[0], last)
    where = (
        f"the function {shorten(lines.kernel)}"
        if lines.kernel
        else f"the source of {launch.kernel}"
    )
    raise InputError(f"No line of {where} has {shorten(lines.start)!r}: copy a part of the line.")


def _find_step(kernel: str, recording: Recording, step: int) -> Step:
    """Return a launch of a kernel; the step shown, if the run has no kernel of this name."""
    shown = recording.step(step)
    return next((one for one in (shown, *recording.steps) if one.kernel == kernel), shown)


def _last(end: str, rows: list[str], first: int, stop: int) -> int:
    if not end:
        return first
    for index in range(first, stop):
        if end in rows[index]:
            return index
    raise InputError(
        f"No line from there on has {shorten(end)!r}: copy a part of the last line as to."
    )
