"""``ccl-viewer list``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import fill
from typing import Any, TypeAlias

from ccl_viewer.cli.reporting import print_text
from ccl_viewer.support.units import counted

Row: TypeAlias = dict[str, Any]


def print_list(arguments: argparse.Namespace) -> int:
    """Print one of the lists, for people or as JSON."""
    rows, lines = _LISTS[arguments.what]
    if arguments.json:
        print(json.dumps([*rows()], indent=1))
    else:
        print_text("\n".join(line for row in rows() for line in lines(row)))
    return 0


def _algorithms() -> Iterator[Row]:
    from ccl_viewer.algorithms import ALGORITHMS, copied_algorithms, own_algorithms
    from ccl_viewer.cli.reporting import print_error
    from ccl_viewer.user_kernels.own import add_installed

    for failure in add_installed():
        print_error(failure)
    for algorithm in (*ALGORITHMS.values(), *copied_algorithms(), *own_algorithms()):
        yield {
            "key": algorithm.key,
            "title": algorithm.title,
            "connectivities": [*algorithm.connectivities],
            "multivalued": algorithm.multivalued,
            "summary": algorithm.summary,
            "citation": algorithm.citation,
            "parameters": [
                {
                    "name": parameter.name,
                    "default": parameter.default,
                    "choices": [choice.name for choice in parameter.choices],
                    "help": parameter.help,
                }
                for parameter in algorithm.parameters
            ],
        }


def _algorithm_lines(row: Row) -> Iterator[str]:
    neighbours = ", ".join(map(str, row["connectivities"]))
    values = "; multi-valued" if row["multivalued"] else ""
    yield f"{row['key']}  ({row['title']}; connectivity {neighbours}{values})"
    yield _paragraph(row["summary"])
    yield _paragraph(row["citation"])
    yield from _parameter_lines(row["parameters"])


def _own() -> Iterator[Row]:
    from ccl_viewer.algorithms.own import allowed_algorithms

    for allowed in allowed_algorithms().values():
        yield {
            "key": allowed.folder.key,
            "title": allowed.algorithm.title,
            "state": allowed.state,
            "folder": str(allowed.folder.path),
            "module": allowed.folder.module or None,
        }


def _own_lines(row: Row) -> Iterator[str]:
    yield f"{row['key']}  ({row['title']}; {row['state']})"
    yield _paragraph(row["folder"])


def _patterns() -> Iterator[Row]:
    from ccl_viewer.grids.pattern_table import PATTERNS

    for pattern in PATTERNS.values():
        yield {
            "key": pattern.key,
            "title": pattern.title,
            "multivalued": pattern.multivalued,
            "summary": pattern.summary,
            "parameters": [
                {"name": each.name, "default": each.default, "help": each.help}
                for each in pattern.parameters
            ],
        }


def _pattern_lines(row: Row) -> Iterator[str]:
    values = "; multi-valued" if row["multivalued"] else ""
    yield f"pattern:{row['key']}  ({row['title']}{values})"
    yield _paragraph(row["summary"])
    yield from _parameter_lines(row["parameters"])


def _devices() -> Iterator[Row]:
    from ccl_viewer.devices.registry import report_devices

    for report in report_devices():
        yield {
            "key": report.key,
            "title": report.title,
            "available": report.available,
            "detail": report.detail,
        }


def _device_lines(row: Row) -> Iterator[str]:
    state = "ready" if row["available"] else "not available"
    yield f"{row['key']}  ({row['title']}; {state})"
    yield _paragraph(row["detail"])


def _formats() -> Iterator[Row]:
    from ccl_viewer.export import EXPORT_FORMATS, missing_requirement

    for row in EXPORT_FORMATS:
        yield {
            "name": row.name,
            "title": row.title,
            "kind": row.kind.value,
            "needs": missing_requirement(row) or None,
        }


def _format_lines(row: Row) -> Iterator[str]:
    needed = f"; needs {row['needs']}" if row["needs"] else ""
    yield f"{row['name']:8} {row['title']}{needed}"


def _lessons() -> Iterator[Row]:
    from ccl_viewer.lessons import lesson_names, read_lesson

    for name in lesson_names():
        lesson = read_lesson(name)
        yield {
            "name": name,
            "title": lesson.title,
            "scenes": len(lesson.scenes),
            "minutes": lesson.minutes or None,
            "aims": [*lesson.aims],
        }


def _lesson_lines(row: Row) -> Iterator[str]:
    parts = [row["title"], counted(row["scenes"], "scene")]
    if row["minutes"]:
        parts.append(counted(row["minutes"], "minute"))
    yield f"{row['name']}  ({'; '.join(parts)})"
    for aim in row["aims"]:
        yield _paragraph(aim)


def _parameter_lines(parameters: Iterable[Row]) -> Iterator[str]:
    for each in parameters:
        default = "none" if each["default"] is None else each["default"]
        yield _paragraph(f"{each['name']} (default {default}): {each['help']}")


def _paragraph(text: str) -> str:
    return fill(text, width=96, initial_indent="    ", subsequent_indent="    ")


_LISTS: Mapping[str, tuple[Callable[[], Iterator[Row]], Callable[[Row], Iterator[str]]]] = {
    "algorithms": (_algorithms, _algorithm_lines),
    "own": (_own, _own_lines),
    "patterns": (_patterns, _pattern_lines),
    "devices": (_devices, _device_lines),
    "formats": (_formats, _format_lines),
    "lessons": (_lessons, _lesson_lines),
}
