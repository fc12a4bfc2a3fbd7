"""Pages that come from the code: one for each algorithm, and the command line's help."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.cli import main
from ccl_viewer.cli.parser import command_names
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import Stage
from ccl_viewer.grids.specs import open_grid

GRID = "pattern:noise?width=24&height=12&density=0.6&seed=4"
"""Large enough for several tiles, small enough for numbers."""

_ABOUT = """
The first connectivity is the published one, and the algorithm's own. Each kernel's header says
where and why it differs from its paper. Playne, Komura, Cabaret and BKE are written from
descriptions of their papers, not from the papers' text. Numbering the components uses the prefix
sum of Stava and Benes, section 35.4.2. HA8 and Tiled Runs are this project's: HA8 extends HA4 to
eight neighbours, Tiled Runs is what `ccl_viewer.label` takes on a GPU, and Two-Pass in strips is
what it takes without one.
"""


def write(folder: Path) -> None:
    """Write the pages into the folder of the site's sources."""
    algorithms = folder / "algorithms"
    algorithms.mkdir(exist_ok=True)
    for row in ALGORITHMS.values():
        _write(algorithms / f"{row.key}.md", "\n".join(_page(row, algorithms)))
    _write(algorithms / "index.md", "\n".join(_index()))
    _write(folder / "reference" / "command_line.md", "\n".join(_help()))


def _write(path: Path, text: str) -> None:
    """Write a page only if it changed, so that it is not built again."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _index() -> Iterator[str]:
    yield "# Algorithms\n"
    yield "| algorithm | connectivity | |"
    yield "| --- | --- | --- |"
    for row in ALGORITHMS.values():
        neighbours = ", ".join(map(str, row.connectivities))
        yield f"| [{row.title}]({row.key}.md) | {neighbours} | {row.tagline} |"
    yield _ABOUT
    yield "\n```{toctree}\n:hidden:\n"
    yield from ALGORITHMS
    yield "```\n"


def _page(row: Algorithm, folder: Path) -> Iterator[str]:
    recording = ccl.record(
        open_grid(GRID).grid, algorithm=row.key, connectivity=row.connectivities[0],
        device="emulator", schedule="synchronous", ledger=True,
    )  # fmt: skip
    pictures = folder / row.key
    pictures.mkdir(exist_ok=True)
    run = pictures / "run.cclrec"
    recording.save(run)
    player = folder.parent / "_players" / "players" / f"{row.key}.html"
    player.parent.mkdir(parents=True, exist_ok=True)
    _export(run, player)
    yield f"# {row.title}\n"
    yield f"{row.summary}\n"
    yield f"{row.citation}\n"
    yield f"Key: `{row.key}`. Connectivity: {', '.join(map(str, row.connectivities))}.\n"
    yield "## A run\n"
    yield recording.sentence + "\n"
    yield "```{raw} html"
    yield f'<iframe class="player" src="../players/{row.key}.html" title="{row.title}"></iframe>'
    yield "```\n"
    yield "| step | stage | kernel | labels changed | roots | loads | stores | atomics |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for step in recording.steps:
        counts = ["", "", ""]
        if step.ledger is not None:
            counts = [f"{step.ledger.counts(kind).accesses:,}" for kind in AccessKind]
        yield (
            f"| {step.index + 1} | {step.stage} | `{step.kernel}` | {step.changed:,} | "
            f"{step.roots:,} | {' | '.join(counts)} |"
        )
    yield "\n## Stages\n"
    seen: set[tuple[Stage, int | None]] = set()
    for step in recording.steps:
        if (step.stage, step.level) in seen or len(seen) == 6:
            continue
        seen.add((step.stage, step.level))
        name = f"step{step.index + 1}.svg"
        _export(run, pictures / name, "--steps", f"{step.index}:{step.index + 1}")
        yield f"### Step {step.index + 1}: {step.stage}\n"
        yield f"{step.caption}\n"
        yield f"![Labels after step {step.index + 1}]({row.key}/{name})\n"
    if row.parameters:
        yield "## Parameters\n"
        yield "| name | default | |"
        yield "| --- | --- | --- |"
        for parameter in row.parameters:
            yield f"| `{parameter.name}` | {parameter.default} | {parameter.help} |"


def _export(run: Path, to: Path, *options: str) -> None:
    if to.exists() and to.stat().st_mtime >= run.stat().st_mtime:
        return
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(["export", str(run), "-o", str(to), "--force", "-q", *options])
    if code:
        raise RuntimeError(f"{to.name} cannot be exported")


def _help() -> Iterator[str]:
    yield "# Command line\n"
    for name in ("", *command_names()):
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
            main([*([name] if name else []), "--help"])
        yield f"## ccl-viewer {name}".rstrip() + "\n"
        yield f"```text\n{text.getvalue().rstrip()}\n```\n"
