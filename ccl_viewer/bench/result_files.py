"""The files of benchmark results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TextIO

from ccl_viewer.bench.measuring import MAX_BYTES, RESULTS
from ccl_viewer.bench.plots import draw_plots
from ccl_viewer.bench.report import BenchReport
from ccl_viewer.export.tables import write_csv_rows
from ccl_viewer.render.painters.pillow import paint_image
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.storage.files import filling_folder, read_text_file

_SUFFIXES: Final = (".svg", ".png")  # of plots


def write_results(report: BenchReport, folder: Path) -> list[Path]:
    """Write ``results.json``, ``results.csv`` and the plots as SVG and PNG into a folder.

    Plots of older results, as named in ``results.json`` there, are deleted.

    Raises
    ------
    InputError
        If a file cannot be written, or could replace a measured picture.
    """
    report.benchmark.check_no_workload_in(folder)
    plots = dict(draw_plots(report))
    names = [f"{name}{suffix}" for name in plots for suffix in _SUFFIXES]
    older = _list_plots(folder)
    # The results, which name the plots, are moved last: a killed run never promises plots that do
    # not exist.
    with filling_folder(folder, last=RESULTS) as beside:
        described = {**report.as_json(), "plots": names}
        (beside / RESULTS).write_text(json.dumps(described, indent=1) + "\n", "utf-8")
        with (beside / "results.csv").open("w", encoding="utf-8", newline="") as file:
            _write_table(report, file)
        for name, plot in plots.items():
            (beside / f"{name}.svg").write_text(paint_svg(plot, report.benchmark.title), "utf-8")
            paint_image(plot).save(beside / f"{name}.png", format="PNG")
    for name in older.difference(names):
        (folder / name).unlink(missing_ok=True)
    return [folder / name for name in (RESULTS, "results.csv", *names)]


def _write_table(report: BenchReport, file: TextIO) -> None:
    names = list(dict.fromkeys(name for m in report.measurements for name in m.figures))
    about = ("case", "workload", "connectivity", "height", "width", "device", "correct")
    where = {f"on {name}": value for name, value in report.environment.items()}
    rows = [
        [
            *(getattr(m, name) for name in about),
            *(m.figures.get(name) for name in names),
            *where.values(),
        ]
        for m in report.measurements
    ]
    write_csv_rows(file, [[*about, *names, *where], *rows])


def _list_plots(folder: Path) -> set[str]:
    """Return the names of the plots that the results in a folder list."""
    try:
        results = json.loads(read_text_file(folder / RESULTS, MAX_BYTES))
        names = {str(name) for name in results["plots"]}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return set()
    return {name for name in names if Path(name).name == name and name.endswith(_SUFFIXES)}
