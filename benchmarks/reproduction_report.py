"""Writes docs/reproduction.md: the papers' claims, what was measured, and a verdict for each.

    python benchmarks/reproduction_report.py [FOLDER] [--counts FOLDER]

FOLDER holds the results of all presets on a GPU, each as ``ccl-viewer bench PRESET`` writes it with
``-o FOLDER/PRESET``; without it the page's own data are read, so that the page follows changed
claims. ``--counts`` is a folder of results from the emulator: it judges claims about counts, which
a GPU run cannot. The page, its plots and the data are written into docs/.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ccl_viewer.bench.claims import Claim, Judgement, Verdict
from ccl_viewer.bench.presets import PRESETS, preset
from ccl_viewer.bench.running import Benchmark, Report
from ccl_viewer.render.painters.svg import svg_of

DOCS = Path(__file__).parents[1] / "docs"
DATA = "reproduction"
COUNTS = f"{DATA}/counts"
IMAGES = "images/reproduction"
LARGEST = 500_000
"""A file of data that exceeds so many bytes goes without the figures of single kernels."""


@dataclass(frozen=True)
class Section:
    """What the page says of one preset."""

    key: str
    benchmark: Benchmark
    timed: Report | None
    counted: Report | None

    def judgements(self) -> Iterator[tuple[Claim, Judgement, str]]:
        """Yield each claim with its verdict and where it was measured."""
        timed = dict(self.timed.judgements()) if self.timed else {}
        counted = dict(self.counted.judgements()) if self.counted else {}
        missing = Judgement(Verdict.NOT_MEASURED, "No results.")
        for claim in self.benchmark.claims:
            found, other = timed.get(claim, missing), counted.get(claim, missing)
            if found.verdict is Verdict.NOT_MEASURED and other.verdict is not found.verdict:
                yield claim, other, "counted on the emulator"
            else:
                yield claim, found, ""

    def plots(self) -> Iterator[tuple[str, str, str]]:
        """Yield name, caption and text of each plot; counts only where no GPU gives the figure."""
        drawn = set()
        for report, where in ((self.timed, "GPU"), (self.counted, "emulator")):
            for name, plot in report.plots() if report else ():
                if name not in drawn:
                    drawn.add(name)
                    title = f"{self.benchmark.title}: {name.replace('-', ', ')} ({where})"
                    yield f"{self.key}-{name}", title, svg_of(plot, title)


def main() -> None:
    """Write the page, its plots and its data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS / DATA)
    parser.add_argument("--counts", type=Path, default=DOCS / COUNTS)
    arguments = parser.parse_args()
    if not write(arguments.folder, arguments.counts, DOCS):
        parser.error(f"{arguments.folder} holds no results of a preset")


def write(folder: Path, counts: Path, docs: Path) -> bool:
    """Write all of it into a folder of documents; return whether there were results."""
    sections = [
        Section(key, row, read(key, folder), read(key, counts)) for key, row in PRESETS.items()
    ]
    if not any(section.timed or section.counted for section in sections):
        return False
    images = docs / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    for old in images.glob("*.svg"):
        old.unlink()
    for section in sections:
        keep(section.timed, docs / DATA / f"{section.key}.json")
        keep(section.counted, docs / COUNTS / f"{section.key}.json")
    (docs / "reproduction.md").write_text("\n".join(page(sections, images)) + "\n", "utf-8")
    return True


def read(key: str, folder: Path) -> Report | None:
    """Return the results of a preset, of full or reduced size, if a folder has them."""
    for path in (folder / key / "results.json", folder / f"{key}.json"):
        if path.exists():
            report = Report.read(preset(key), path)
            names = {workload.name for workload in report.benchmark.workloads}
            if names.isdisjoint(m.workload for m in report.measurements):
                return replace(report, benchmark=preset(key, reduced=True))
            return report
    return None


def keep(report: Report | None, path: Path) -> None:
    """Write a report's data on few bytes."""
    if report is None:
        return
    found = short(report.described())
    text = compact(found)
    if len(text) > LARGEST:
        for measurement in found["measurements"]:
            measurement["kernels"] = {}
        text = compact(found)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def compact(found: dict[str, Any]) -> str:
    """Return JSON with a line a measurement."""
    rows = [json.dumps(row, separators=(",", ":")) for row in found["measurements"]]
    rest = json.dumps({**found, "measurements": []}, indent=1)
    return (
        rest.replace('"measurements": []', '"measurements": [\n' + ",\n".join(rows) + "\n]") + "\n"
    )


def short(value: Any) -> Any:
    """Return a value with five digits in each number."""
    match value:
        case float():
            return float(f"{value:.5g}")
        case dict():
            return {name: short(each) for name, each in value.items()}
        case list():
            return [short(each) for each in value]
        case _:
            return value


NOT_JUDGED = (
    "Absolute times, as GPUs and CPUs are others.",
    "Stava and Benes, Figure 35.11 (a): the slices of a wooden log are not public.",
    "Stava and Benes, Figure 35.11 (d): Hawick's row repeats that of (c). The speedups printed "
    "below it stand for it.",
    "Kalentev et al.: Label Equivalence needs fewer instructions than Row-Col Unify. No figure "
    "here counts them.",
    "Kalentev et al.: walks to roots become shorter while other threads write theirs. That depends "
    "on the order of threads, which is the schedule's on the emulator.",
    "Shibata, Tables 7 and 8: there is no implementation with AVX2 here. His picture of dry earth "
    "is not here either; noise in blobs stands for it.",
    "Playne and Hawick 2018: the claims are those that Hennequin et al. tell of it.",
)
"""What the papers say and no preset measures."""


def page(sections: list[Section], images: Path) -> Iterator[str]:
    """Yield the lines of the page, and write its plots."""
    yield from introduction(sections)
    yield from summary(sections)
    for section in sections:
        yield from ("", f"## {section.key}: {section.benchmark.title}", "")
        taken = f" Times of {section.timed.environment['date']}." if section.timed else ""
        yield f"{section.benchmark.source}. {section.benchmark.connectivity} neighbours.{taken}"
        yield from ("", "| claim | published | measured | verdict |", "| --- | --- | --- | --- |")
        for claim, found, where in section.judgements():
            measured = f"{found.measured} ({where})" if where else found.measured
            verdict = f"**{found.verdict.value}**" + (f". {found.reason}" if found.reason else "")
            yield f"| {claim.text} | {claim.published} | {measured} | {verdict} |"
        for name, caption, text in section.plots():
            (images / f"{name}.svg").write_text(text, encoding="utf-8")
            yield from ("", f"![{caption}]({IMAGES}/{name}.svg)")
    yield from ("", "## Not judged", "")
    yield from (f"- {text}" for text in NOT_JUDGED)


def introduction(sections: list[Section]) -> Iterator[str]:
    """Yield what was measured, where and when."""
    yield from ("# The papers' claims, measured", "")
    yield "Each table and figure of the papers is a preset of `ccl-viewer bench`, and each claim"
    yield 'about it has a verdict. "Shape only" means that the order or the trend is as published,'
    yield 'and the numbers are not; "contradicted here", that not even these are. Absolute times'
    yield "are not compared, as the papers' GPUs were of their time. Some verdicts stand near a"
    yield "bound: in a run on another H200 an hour before, five differed, on the size of blobs,"
    yield "sparse discs, the speedup on them, Playne-Hawick beside Cabaret and Komura, and features"
    yield "pixel by pixel."
    yield ""
    for name, reports in (
        ("Times", [s.timed for s in sections if s.timed]),
        ("Counts", [s.counted for s in sections if s.counted]),
    ):
        if reports:
            found = max((each.environment for each in reports), key=lambda each: each["date"])
            others = ", ".join(
                f"{key} {value}" for key, value in found.items() if key not in {"date", "device"}
            )
            yield f"- {name}: {found['device']}, {found['date'][:10]}; {others}."
    yield ""
    yield "The results are in [reproduction/](reproduction), and"
    yield "`python benchmarks/reproduction_report.py` makes this page from them; with"
    yield "`FOLDER --counts FOLDER` it makes it from new ones."


def summary(sections: list[Section]) -> Iterator[str]:
    """Yield how many claims have which verdict."""
    counts = [Counter(found.verdict for _, found, _ in s.judgements()) for s in sections]
    yield from ("", "## Summary", "")
    yield "| preset | " + " | ".join(verdict.value for verdict in Verdict) + " |"
    yield "| --- |" + " ---: |" * len(Verdict)
    for section, each in zip(sections, counts, strict=True):
        key = section.key
        anchor = f"{key}: {section.benchmark.title}".lower()
        link = "".join(c for c in anchor if c.isalnum() or c in " -").replace(" ", "-")
        yield f"| [{key}](#{link}) | " + " | ".join(str(each[v] or "") for v in Verdict) + " |"
    total = sum(counts, Counter[Verdict]())
    yield "| all | " + " | ".join(str(total[verdict]) for verdict in Verdict) + " |"


if __name__ == "__main__":
    main()
