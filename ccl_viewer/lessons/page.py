"""A lesson as one self-contained HTML file: scenes as chapters, with their questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, Final

from ccl_viewer.execution.device import Progress
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import PageRun, make_page_run
from ccl_viewer.export.page_source import highlight_source
from ccl_viewer.lessons.code import SceneCode
from ccl_viewer.lessons.hidden_answers import find_hidden_information
from ccl_viewer.lessons.markup import to_html, to_plain_text
from ccl_viewer.lessons.model import Lesson
from ccl_viewer.lessons.playing import PreparedScene, prepare_scene
from ccl_viewer.render.diagram_picture import draw_diagram
from ccl_viewer.render.facts import run_names
from ccl_viewer.render.layers import COUNTED
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.render.phase_picture import draw_phase
from ccl_viewer.render.themes import LIGHT
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.cancellation import CancelToken

_PHASE_WIDTH: Final = 360  # pixels: as wide as a phone


def export_lesson(
    lesson: Lesson,
    path: Path,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    *,
    links: str = "",
) -> None:
    """Write a lesson as a page; an incomplete file never replaces an existing one.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    path : Path
        Output file; an existing file is replaced at the end.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.
    links : str
        Safe HTML with links to other pages.

    Raises
    ------
    InputError
        If a scene cannot be shown, or the file cannot be written.
    KernelBuildError, KernelFaultError
        If a run fails.
    CancelledError
        If the work was cancelled.
    """
    html = lesson_page(lesson, cancel, progress, links=links)
    with replacing(path) as beside:
        beside.write_bytes(html.encode())


def lesson_page(
    lesson: Lesson,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    *,
    links: str = "",
) -> str:
    """Return the page of a lesson as HTML.

    Parameters
    ----------
    lesson, cancel, progress, links
        As for :func:`export_lesson`.

    Raises
    ------
    InputError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`export_lesson`.
    """
    prepared: list[PreparedScene] = []
    for index in range(len(lesson.scenes)):
        if progress is not None:
            progress(f"Running scene {index + 1} of {len(lesson.scenes)}")
        prepared.append(prepare_scene(lesson, index, cancel))
    runs, numbers = _list_runs(prepared)
    passages = {"aims-text": _aims(lesson)}
    if links:
        passages["links-text"] = links
    scenes: list[dict[str, Any]] = []
    for index, shown in enumerate(prepared):
        hidden = list(map(list, find_hidden_information(lesson, index).items()))
        scenes.append({**_scene(shown, numbers[index]), "conceals": hidden})
        passages |= _passages(shown, f"scene-{index}")

    def on_each(_done: int, _count: int) -> None:
        if cancel is not None:
            cancel.check()

    page = Page(lesson.title, runs, scenes=scenes, passages=passages)
    return page_html(page, on_each)


def _list_runs(scenes: Sequence[PreparedScene]) -> tuple[list[PageRun], list[list[int]]]:
    """Return the runs of a page, and for each scene the indices of its runs.

    A recording is on the page once, with counts if a scene shows them; once more if another scene
    shows the counts of all steps so far instead of each step's.
    """
    shown = [
        (number, recording, _total(scene))
        for number, scene in enumerate(scenes)
        for recording in scene.recordings
    ]
    totals = {id(recording): total for _, recording, total in shown if total is not None}
    runs: dict[tuple[int, bool | None], PageRun] = {}
    indices: list[list[int]] = [[] for _ in scenes]
    for number, recording, total in shown:
        key = id(recording), totals.get(id(recording)) if total is None else total
        run = replace(make_page_run(recording), total=key[1], timed=False)
        runs.setdefault(key, run)
        indices[number].append([*runs].index(key))
    return [*runs.values()], indices


def _total(shown: PreparedScene) -> bool | None:
    """Return whether a scene shows the counts of all steps so far; None without counts."""
    layers = shown.scene.layers
    return layers.total if layers.colours in COUNTED else None


def _aims(lesson: Lesson) -> str:
    return to_html("\n".join(f"- {aim}" for aim in lesson.aims))


def _scene(shown: PreparedScene, runs: Sequence[int]) -> dict[str, Any]:
    scene = shown.scene
    steps = [
        recording.step(min(shown.step, len(recording) - 1)).index for recording in shown.recordings
    ]
    if scene.step == -1:
        steps = [len(recording) - 1 for recording in shown.recordings]
    names = run_names(shown.recordings) if scene.compare else ("",)
    return {
        "title": scene.title,
        "runs": [
            {"name": name, "run": run, "step": step}
            for name, run, step in zip(names, runs, steps, strict=True)
        ],
        "show": dict(scene.show),
        "highlight": scene.highlight,
        "follow": scene.follow,
        "pin": scene.pin,
        "more": bool(shown.more),
        "notes": bool(shown.notes),
        "trees": scene.picture_shows_trees,
        "phase": shown.phase is not None,
        "diagram": shown.diagram is not None,
        "code": shown.code is not None,
        "table": shown.table is not None,
        "question": _question(shown),
    }


def _question(shown: PreparedScene) -> dict[str, Any] | None:
    question, right = shown.scene.question, shown.answer
    if question is None or right is None:
        return None
    return {
        "kind": question.kind.value,
        "wantsCells": question.kind.wants_cells,
        "cell": question.cell,
        "right": right.cells,
        "number": right.number,
        "why": to_plain_text(right.why),
        "hint": right.hint,
        "choices": [to_plain_text(choice) for choice in shown.choices],
        "reasons": [to_plain_text(reason) for reason in right.reasons],
    }


def _passages(shown: PreparedScene, scene: str) -> dict[str, str]:
    texts = {
        "caption": shown.caption,
        "more": shown.more,
        "notes": shown.notes,
        "prompt": shown.prompt,
    }
    html = {f"{scene}-{name}": to_html(text) for name, text in texts.items() if text}
    if shown.code is not None:
        html[f"{scene}-code"] = _code(shown.code)
    if shown.table is not None:
        html[f"{scene}-table"] = shown.table.html
        question = shown.scene.question
        early = None if question is None else shown.table.without_answer(question)
        if early is not None:
            html[f"{scene}-early-table"] = early.html
    if shown.phase is not None:
        picture = draw_phase(shown.phase, None, None, _PHASE_WIDTH, LIGHT).display
        svg = paint_svg(picture, shown.phase.phase.title)
        html[f"{scene}-phase"] = svg.partition("\n")[2]  # without XML's first line
    if shown.diagram is not None:
        drawn = draw_diagram(shown.diagram, _PHASE_WIDTH, LIGHT).display
        html[f"{scene}-diagram"] = paint_svg(drawn, shown.diagram.title).partition("\n")[2]
    return html


def _code(code: SceneCode) -> str:
    """Return lines of source as coloured HTML; the named ones are marked."""
    lines = highlight_source(code.text)
    rows = []
    for number, _, marked in code.lines:
        line = lines[number - 1] if number <= len(lines) else ()
        parts = list(line[1::2])
        space = parts[0][: len(parts[0]) - len(parts[0].lstrip())] if parts else ""
        parts[:1] = [part.lstrip() for part in parts[:1]]
        # Without the leading space, so that a wrapped line continues below its beginning.
        pairs = zip(line[::2], parts, strict=True)
        text = "".join(f'<span class="{kind}">{escape(part)}</span>' for kind, part in pairs)
        row = "mark" if marked else "div"
        rows.append(f"<{row}><i>{number}</i><s>{space}</s><b>{text}</b></{row}>")
    return f"<figcaption>{escape(code.file)}</figcaption><pre>{''.join(rows)}</pre>"
