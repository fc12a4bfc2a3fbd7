"""``ccl-viewer list``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from textwrap import fill

from ccl_viewer.units import counted


def show(arguments: argparse.Namespace) -> int:
    """Print what there is to choose from."""
    print("\n".join(_LISTS[arguments.what]()))
    return 0


def _algorithms() -> Iterator[str]:
    from ccl_viewer.algorithms import ALGORITHMS, copied_algorithms

    for row in (*ALGORITHMS.values(), *copied_algorithms()):
        neighbours = ", ".join(str(c) for c in row.connectivities)
        values = "; multi-valued" if row.multivalued else ""
        yield f"{row.key}  ({row.title}; connectivity {neighbours}{values})"
        yield _paragraph(row.summary)
        yield _paragraph(row.citation)
        for parameter in row.parameters:
            default = "none" if parameter.default is None else parameter.default
            yield _paragraph(f"{parameter.name} (default {default}): {parameter.help}")


def _patterns() -> Iterator[str]:
    from ccl_viewer.grids.patterns import PATTERNS

    for pattern in PATTERNS.values():
        values = "; multi-valued" if pattern.multivalued else ""
        yield f"pattern:{pattern.key}  ({pattern.title}{values})"
        yield _paragraph(pattern.summary)
        for parameter in pattern.parameters:
            yield _paragraph(f"{parameter.name} (default {parameter.default}): {parameter.help}")


def _devices() -> Iterator[str]:
    from ccl_viewer.devices.registry import device_reports

    for report in device_reports():
        state = "ready" if report.available else "not available"
        yield f"{report.key}  ({report.title}; {state})"
        yield _paragraph(report.detail)


def _formats() -> Iterator[str]:
    from ccl_viewer.export import EXPORT_FORMATS, lacking

    for row in EXPORT_FORMATS:
        needed = lacking(row)
        yield f"{row.name:8} {row.title}{f'; needs {needed}' if needed else ''}"


def _lessons() -> Iterator[str]:
    from ccl_viewer.lessons import lesson, names

    for name in names():
        found = lesson(name)
        yield f"{name}  ({found.title}; {counted(len(found.scenes), 'scene')})"
        for aim in found.aims:
            yield _paragraph(aim)


def _paragraph(text: str) -> str:
    return fill(text, width=96, initial_indent="    ", subsequent_indent="    ")


_LISTS: dict[str, Callable[[], Iterator[str]]] = {
    "algorithms": _algorithms,
    "patterns": _patterns,
    "devices": _devices,
    "formats": _formats,
    "lessons": _lessons,
}
