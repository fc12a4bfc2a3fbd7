"""The phases inside a launch as files: one as a picture, all as an animation or a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from PIL import Image

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.render.display_list import DisplayList
from ccl_viewer.render.pace import seconds_per_step
from ccl_viewer.render.painters.pillow import paint_image
from ccl_viewer.render.painters.svg import escape, paint_svg

MAX_PHASES: Final = 500
"""Most phases in an animation or a page."""

ONE_PHASE: Final = (".svg", ".png")
ALL_PHASES: Final = (".gif", ".html")

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ margin: 1rem auto; max-width: 64rem; padding: 0 1rem; font: 16px sans-serif;
 color: #202020; background: #fff }}
nav {{ position: sticky; top: 0; display: flex; gap: .5rem; padding: .5rem 0; background: #fff }}
button {{ min-width: 44px; min-height: 44px; font-size: 1.2rem }}
input {{ flex: 1 }}
figure {{ margin: 0; display: none }}
figure.shown {{ display: block }}
figure svg {{ max-width: 100%; height: auto }}
</style>
<h1>{title}</h1>
<p>{note}</p>
<nav><button aria-label="Phase before">&#9664;</button>
<input type="range" min="0" max="{last}" value="0" aria-label="Phase">
<button aria-label="Next phase">&#9654;</button></nav>
<p aria-live="polite"></p>
{figures}
<script>
const [before, next] = document.querySelectorAll("button");
const scrubber = document.querySelector("input"), line = document.querySelector("[aria-live]");
const figures = [...document.querySelectorAll("figure")];
const show = (to) => {{
  const at = Math.max(0, Math.min(figures.length - 1, to));
  scrubber.value = at;
  figures.forEach((figure, index) => figure.classList.toggle("shown", index === at));
  line.textContent = `Phase ${{at + 1}} of ${{figures.length}}: ${{figures[at].dataset.title}}`;
}};
before.onclick = () => show(Number(scrubber.value) - 1);
next.onclick = () => show(Number(scrubber.value) + 1);
scrubber.oninput = () => show(Number(scrubber.value));
addEventListener("keydown", (event) => {{
  const by = {{ ArrowLeft: -1, ArrowRight: 1 }}[event.key];
  if (by && event.target !== scrubber) show(Number(scrubber.value) + by);
}});
show(0);
</script>
"""


def check_suffix(path: Path, *, one: bool) -> None:
    """Refuse a file of an unsuitable format.

    Raises
    ------
    InputError
        If its suffix is not one of these.
    """
    suffixes = ONE_PHASE if one else ALL_PHASES
    if path.suffix.lower() not in suffixes:
        subject = "A phase is drawn" if one else "All phases are written"
        other = "" if one else "; one phase, chosen with --phase, as .svg or .png"
        raise InputError(f"{subject} as {' or '.join(suffixes)}, not {shorten(str(path))}{other}.")


def write_phase(shown: DisplayList, title: str, path: Path, suffix: str) -> None:
    """Write the picture of a phase.

    Parameters
    ----------
    shown : DisplayList
        The picture.
    title : str
        Its title.
    path : Path
        Destination.
    suffix : str
        One of :data:`ONE_PHASE`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    if suffix == ".svg":
        path.write_text(paint_svg(shown, title), encoding="utf-8")
    else:
        paint_image(shown).save(path, format="PNG")


def write_phases(
    pictures: Sequence[Callable[[], DisplayList]],
    titles: Sequence[str],
    heading: str,
    note: str,
    path: Path,
    suffix: str,
) -> None:
    """Write all phases of a launch, as an animation or as a page with buttons.

    Parameters
    ----------
    pictures : sequence of callable
        A function for each phase that draws it.
    titles : sequence of str
        Title of each phase.
    heading, note : str
        Title and first line of a page.
    path : Path
        Destination.
    suffix : str
        One of :data:`ALL_PHASES`.

    Raises
    ------
    InputError
        If there are more than :data:`MAX_PHASES`.
    OSError
        If the file cannot be written.
    """
    if len(pictures) > MAX_PHASES:
        raise InputError(
            f"There are {len(pictures):,} phases, and a file holds at most {MAX_PHASES}: choose "
            "one block with --block, one warp with --warp, or larger phases with --by barrier."
        )
    if suffix == ".gif":
        _write_gif([paint_image(draw()) for draw in pictures], path)
        return
    named = [
        (title, paint_svg(draw(), title)) for draw, title in zip(pictures, titles, strict=True)
    ]
    figures = "\n".join(
        f'<figure data-title="{escape(title)}">{svg.partition("?>")[2]}</figure>'
        for title, svg in named
    )
    page = _PAGE.format(
        title=escape(heading), note=escape(note), last=len(pictures) - 1, figures=figures
    )
    path.write_text(page, encoding="utf-8")


def _write_gif(images: list[Image.Image], path: Path) -> None:
    size = max(image.width for image in images), max(image.height for image in images)
    frames = []
    for image in images:
        frame = Image.new("RGB", size, image.getpixel((0, 0)))
        frame.paste(image)
        frames.append(frame.quantize(128))
    milliseconds = round(100 * seconds_per_step(len(frames))) * 10
    first, *others = frames
    more: dict[str, Any] = {"save_all": True, "append_images": others, "loop": 0}
    first.save(path, format="GIF", duration=milliseconds, **more)
