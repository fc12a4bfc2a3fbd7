"""A lesson on paper: one HTML file with the picture of every scene, for the printer."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Final

from ccl_viewer.execution.device import Progress
from ccl_viewer.export.frames import FrameRenderer, FrameStyle
from ccl_viewer.export.page import policy_digest
from ccl_viewer.lessons.code import SceneCode
from ccl_viewer.lessons.markup import to_html, to_plain_text
from ccl_viewer.lessons.model import Lesson
from ccl_viewer.lessons.playing import PreparedScene, prepare_scene
from ccl_viewer.render.diagram_picture import draw_diagram
from ccl_viewer.render.facts import run_names
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.render.phase_picture import draw_phase
from ccl_viewer.render.themes import LIGHT
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.cancellation import CancelToken

_PHASE_WIDTH: Final = 640
_WIDEST: Final = 660  # pixels
_HIGHEST: Final = 400
_LARGEST_CELL: Final = 34
_STYLE: Final = """
body { font: 11pt/1.4 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; max-width: 46rem;
  margin: 0 auto; padding: 1rem; color: #111; background: #fff; }
section { break-inside: avoid; margin: 0 0 1.6rem; }
h2 { font-size: 1.1rem; margin: 0 0 .3rem; }
p, ul { margin: .3rem 0; }
figure { margin: .5rem .8rem .5rem 0; display: inline-block; vertical-align: top; max-width: 100%; }
figure svg { max-width: 100%; height: auto; border: 1px solid #999; }
figcaption { font-size: .85rem; color: #444; }
pre { font: 9pt/1.35 "DejaVu Sans Mono", monospace; white-space: pre-wrap; margin: .4rem 0;
  border-left: 3px solid #999; padding-left: .6rem; }
pre b { background: #ececec; font-weight: 600; }
table { border-collapse: collapse; font-size: .9rem; margin: .4rem 0; }
td, th { border: 1px solid #999; padding: .1rem .5rem; text-align: right; }
.more { font-size: .95rem; color: #333; }
.question { border: 1px solid #666; padding: .4rem .7rem; margin: .5rem 0; }
.question ol { margin: .2rem 0; }
.answers { break-before: page; }
"""


def export_handout(
    lesson: Lesson,
    path: Path,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a lesson for the printer; its answers are on a separate page.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    path : Path
        Output file; an existing file is replaced at the end.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.

    Raises
    ------
    InputError
        If a scene cannot be shown, or the file cannot be written.
    KernelBuildError, KernelFaultError
        If a run fails.
    CancelledError
        If the work was cancelled.
    """
    scenes, answers = [], []
    for index in range(len(lesson.scenes)):
        if progress is not None:
            progress(f"Running scene {index + 1} of {len(lesson.scenes)}")
        shown = prepare_scene(lesson, index, cancel)
        scenes.append(_scene(index, shown))
        if shown.answer is not None:
            answers.append(f"<li value={index + 1}>{_answer(shown)}</li>")
    html = _page(lesson, "".join(scenes), "".join(answers))
    with replacing(path) as beside:
        beside.write_bytes(html.encode())


def _page(lesson: Lesson, scenes: str, answers: str) -> str:
    policy = f"default-src 'none'; style-src {policy_digest(_STYLE)}; base-uri 'none'"
    title, aims = escape(lesson.title), to_html("\n".join(f"- {aim}" for aim in lesson.aims))
    solved = f'<div class="answers"><h2>Answers</h2><ul>{answers}</ul></div>' if answers else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>After this lesson you can:</p>{aims}
{scenes}{solved}
</body>
</html>
"""


def _scene(index: int, shown: PreparedScene) -> str:
    parts = [f"<h2>{index + 1}. {escape(shown.scene.title)}</h2>", *_pictures(shown)]
    parts.append(to_html(shown.caption))
    if shown.more:
        parts.append(f'<div class="more">{to_html(shown.more)}</div>')
    if shown.code is not None:
        parts.append(_code(shown.code))
    question, table = shown.scene.question, shown.table
    if table is not None and question is not None:
        table = table.without_answer(question)
    if table is not None:
        parts.append(table.html)
    if shown.phase is not None:
        picture = draw_phase(shown.phase, None, None, _PHASE_WIDTH, LIGHT).display
        parts.append(f"<figure>{_svg(paint_svg(picture, shown.phase.phase.title))}</figure>")
    if shown.diagram is not None:
        drawn = draw_diagram(shown.diagram, _PHASE_WIDTH, LIGHT).display
        parts.append(f"<figure>{_svg(paint_svg(drawn, shown.diagram.title))}</figure>")
    if shown.answer is not None:
        choices = "".join(f"<li>{escape(to_plain_text(choice))}</li>" for choice in shown.choices)
        listed = f"<ol>{choices}</ol>" if choices else ""
        parts.append(f'<div class="question">{to_html(shown.prompt)}{listed}</div>')
    return f"<section>{''.join(parts)}</section>\n"


def _pictures(shown: PreparedScene) -> list[str]:
    """Draw the cells of a scene; in a comparison, of each run."""
    scene, recordings = shown.scene, shown.recordings
    names = run_names(recordings) if scene.compare else ("",)
    pictures = []
    for name, recording in zip(names, recordings, strict=True):
        step = min(shown.step, len(recording) - 1) if scene.step != -1 else len(recording) - 1
        height, width = recording.image.shape
        fits = min(_WIDEST // (width * len(recordings)), _HIGHEST // height)
        style = FrameStyle(
            scale=max(1, min(_LARGEST_CELL, fits)),
            theme="light",
            caption=False,
            layers=scene.layers,
            pin=scene.pin,
            follow=scene.follow,
            highlight=scene.highlight,
        )
        renderer = FrameRenderer([recording], [[step]], style)
        title = name or scene.title
        caption = f"<figcaption>{escape(name)}</figcaption>" if name else ""
        svg = _svg(paint_svg(renderer.display_list(0), title))
        pictures.append(f"<figure>{svg}{caption}</figure>")
    return pictures


def _svg(text: str) -> str:
    return text.partition("\n")[2]  # without XML's first line


def _code(code: SceneCode) -> str:
    rows = []
    for number, text, marked in code.lines:
        line = f"{number:5}  {escape(text)}"
        rows.append(f"<b>{line}</b>" if marked else line)
    return f"<figcaption>{escape(code.file)}</figcaption><pre>" + "\n".join(rows) + "</pre>"


def _answer(shown: PreparedScene) -> str:
    right = shown.answer
    if right is None:
        return ""
    if right.number is None:
        text = "; ".join(f"x = {x}, y = {y}" for x, y in right.cells)
    elif shown.choices:
        text = to_plain_text(shown.choices[right.number - 1]).rstrip(".")
    else:
        text = f"{right.number:,}"
    return escape(f"{text}. {to_plain_text(right.why)}")
