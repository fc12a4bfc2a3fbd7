"""All lessons as pages, with a page that lists them, ready for a web site."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from ccl_viewer.execution.device import Progress
from ccl_viewer.export.page import policy_digest
from ccl_viewer.lessons.markup import to_html
from ccl_viewer.lessons.model import Lesson
from ccl_viewer.lessons.page import export_lesson
from ccl_viewer.storage.files import filling_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 17px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; max-width: 44rem;
  margin: 0 auto; padding: 1rem; }
ol { padding: 0; list-style-position: inside; }
li.lesson { border: 1px solid #8886; border-radius: 10px; padding: .6rem 1rem; margin: 0 0 .8rem; }
li.lesson > a { display: inline-block; min-height: 44px; line-height: 44px; font-weight: 600;
  font-size: 1.1rem; }
li.lesson p, li.lesson ul { margin: .2rem 0; }
"""
_INTRODUCTION: Final = (
    "How GPUs label connected components, scene by scene. Each lesson is one page that plays "
    "recorded runs of the published algorithms, with questions. It loads nothing from elsewhere. "
    "The pages cannot label a grid of your own: CCL Viewer can."
)


def export_gallery(
    lessons: Sequence[Lesson],
    folder: Path,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a page for each lesson, and ``index.html`` with their titles and aims.

    Parameters
    ----------
    lessons : sequence of Lesson
        In the order of the list; their keys name the pages.
    folder : Path
        Output folder; files with the same names are replaced once all pages are written.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.

    Raises
    ------
    InputError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`~ccl_viewer.lessons.page.export_lesson`.
    """
    with filling_folder(folder, last="index.html") as beside:
        for number, lesson in enumerate(lessons, 1):
            if progress is not None:
                progress(f"Writing lesson {number} of {len(lessons)}, {lesson.title}")
            following = lessons[number] if number < len(lessons) else None
            links = _links(following)
            export_lesson(lesson, beside / f"{lesson.key}.html", cancel, links=links)
        (beside / "index.html").write_bytes(_index(lessons).encode())


def _index(lessons: Sequence[Lesson]) -> str:
    policy = f"default-src 'none'; style-src {policy_digest(_STYLE)}; base-uri 'none'"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Lessons of CCL Viewer</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Lessons of CCL Viewer</h1>
<p>{_INTRODUCTION}</p>
<ol>
{"".join(map(_entry, lessons))}</ol>
</body>
</html>
"""


def _links(following: Lesson | None) -> str:
    """Return links to the page that lists all lessons, and to the next lesson."""
    links = ['<a href="index.html">All lessons</a>']
    if following is not None:
        title = escape(following.title)
        links.append(f'<a href="{escape(following.key)}.html">Next lesson: {title}</a>')
    return " ".join(links)


def _entry(lesson: Lesson) -> str:
    aims = to_html("\n".join(f"- {aim}" for aim in lesson.aims))
    questions = sum(scene.question is not None for scene in lesson.scenes)
    parts = [counted(len(lesson.scenes), "scene"), counted(questions, "question")]
    if lesson.minutes:
        parts.append(counted(lesson.minutes, "minute"))
    size = ", ".join(parts)
    title = escape(lesson.title)
    link = f'<a href="{escape(lesson.key)}.html">{title}</a>'
    return f'<li class="lesson">{link}<p>{size}. Afterwards you can:</p>{aims}</li>\n'
