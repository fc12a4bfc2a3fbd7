"""Writes the pages about the papers from one file of results: a verdict for each of their claims.

    python benchmarks/reproduction_report.py [FILE ...]

Without a FILE the pages follow from docs/reproduction/results.json, so that they follow changed
claims. Each FILE, as ``benchmarks/run_presets.py`` writes it, replaces what that file holds of the
presets in it. docs/reproduction.md, docs/arguments.md, their plots and assets/gpu-times.toml are
written. Results that are not complete, or hold an outlier, are refused.
"""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paper_arguments

from ccl_viewer.algorithms import algorithm
from ccl_viewer.bench.claims import Claim, Judgement, Results, Verdict
from ccl_viewer.bench.measuring import Case
from ccl_viewer.bench.presets import PRESETS, preset
from ccl_viewer.bench.running import Benchmark, Report
from ccl_viewer.bench.tables import Table
from ccl_viewer.files import replacing
from ccl_viewer.render.painters.svg import svg_of

DOCS = Path(__file__).parents[1] / "docs"
RESULTS = "reproduction/results.json"
IMAGES = "images/reproduction"
TIMES = Path(__file__).parents[1] / "assets" / "gpu-times.toml"


@dataclass(frozen=True)
class Section:
    """What the page says of one preset."""

    key: str
    benchmark: Benchmark
    timed: Report | None
    counted: Report | None

    def judgements(
        self, timed: Mapping[str, Report], counted: Mapping[str, Report]
    ) -> Iterator[tuple[Claim, Judgement, str]]:
        """Yield each claim with its verdict and where it was measured."""
        times = dict(self.timed.judgements(timed)) if self.timed else {}
        counts = dict(self.counted.judgements(counted)) if self.counted else {}
        missing = Judgement(Verdict.NOT_MEASURED, "No results.")
        for claim in self.benchmark.claims:
            found, other = times.get(claim, missing), counts.get(claim, missing)
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

    def tables(self) -> Iterator[Table]:
        """Yield the paper's tables with what was measured."""
        if self.timed is not None:
            for make in self.benchmark.tables:
                yield make(Results(self.timed.measurements))

    def conditions(self) -> str:
        """Return which forms were measured, on which grids, and how, in a line."""
        parts = [f"Forms: {forms(self.benchmark.cases)}."]
        if self.timed is not None:
            rounds = max((len(m.rounds) for m in self.timed.measurements), default=0)
            parts.append(f"Times: {grids(self.timed)}, {rounds} rounds in which all take turns.")
        if self.counted is not None:
            orders = " and ".join(sorted({m.schedule for m in self.counted.measurements}))
            parts.append(f"Counts: {grids(self.counted)}, {orders} schedule.")
        return " ".join(parts)


def forms(cases: Sequence[Case]) -> str:
    """Return the form of each algorithm that is measured."""
    found: dict[str, list[str]] = {}
    for case in cases:
        if case.is_library:
            continue
        row = algorithm(case.key)
        chosen = row.complete(dict(case.parameters)).get("variant")
        words = {
            "paper": "paper",
            "project": "this project",
            "printed": "as printed",
            None: "one form",
        }
        form = words[chosen if isinstance(chosen, str) else None]
        if chosen == "paper" and any(
            choice.name == "printed" for parameter in row.parameters for choice in parameter.choices
        ):
            form = "paper, with the smallest correction"
        names = found.setdefault(form, [])
        if row.title not in names:
            names.append(row.title)
    return "; ".join(f"{form}: {', '.join(names)}" for form, names in found.items())


def grids(report: Report) -> str:
    """Return the grids of a report; of many, how many and their size."""
    names = list(dict.fromkeys(m.workload for m in report.measurements))
    if len(names) <= 12:
        return ", ".join(names)
    sizes = sorted({f"{m.width} x {m.height}" for m in report.measurements})
    return f"{len(names)} grids of {' and '.join(sizes)}"


def main() -> None:
    """Write the pages, their plots and the file of results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    results = read_results(DOCS / RESULTS)
    for path in arguments.files:
        for kind, reports in read_results(path).items():
            results[kind].update(reports)
    wrong = incomplete(results)
    if wrong:
        parser.error(f"not complete: {', '.join(wrong)}; measure these presets again")
    write(results, DOCS)
    update_times(results, TIMES)


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    """Return the reports of a file by kind and preset; empty ones if there is no file."""
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {kind: dict(found.get(kind, {})) for kind in ("times", "counts")}


def write_results(results: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Write reports on few bytes, a line for each measurement."""
    parts = []
    for kind, reports in results.items():
        each = ",\n".join(
            f"{json.dumps(key)}: {compact(short(report))}" for key, report in reports.items()
        )
        parts.append(f"{json.dumps(kind)}: {{\n{each}\n}}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as beside:
        beside.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def incomplete(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the presets whose results are not complete."""
    return [
        f"{key} ({kind})"
        for kind, reports in results.items()
        for key, report in reports.items()
        if not report["complete"]
    ]


def write(results: Mapping[str, Mapping[str, Any]], docs: Path) -> None:
    """Write the results, the pages and their plots into a folder of documents."""
    write_results(results, docs / RESULTS)
    results = read_results(docs / RESULTS)
    timed = {key: Report.from_json(preset(key), found) for key, found in results["times"].items()}
    counted = {
        key: Report.from_json(preset(key, size="counts"), found)
        for key, found in results["counts"].items()
    }
    sections = [Section(key, row, timed.get(key), counted.get(key)) for key, row in PRESETS.items()]
    images = docs / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    for old in images.glob("*.svg"):
        old.unlink()
    verdicts = {each.key: list(each.judgements(timed, counted)) for each in sections}
    lines = page(sections, verdicts, images)
    (docs / "reproduction.md").write_text("\n".join(lines) + "\n", "utf-8")
    paper_arguments.write(counted, docs)


def update_times(results: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Write what was measured into the times that lessons show."""
    times = {
        (key, m["workload"], m["case"]): m["figures"]["milliseconds"]
        for key, report in results["times"].items()
        for m in report["measurements"]
    }
    dates = [report["environment"]["date"] for report in results["times"].values()]
    lines, workload = [], ""
    for line in path.read_text("utf-8").splitlines():
        heading = re.fullmatch(r'\["?(.+?)"?\]', line)
        entry = re.fullmatch(r'(.*run = "(.+?)", ms = )[\d.]+(, from = "(.+?)".*)', line)
        place = (entry[4], workload, entry[2]) if entry is not None else None
        if heading is not None:
            workload = heading[1].replace("discs", "(b)")
        if entry is not None and place in times:
            lines.append(f"{entry[1]}{times[place]:.4g}{entry[3]}")
        elif line.startswith("date = ") and dates:
            lines.append(f"date = {max(dates)[:10]}")
        else:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def compact(found: dict[str, Any]) -> str:
    """Return JSON of a report with a line for each measurement; claims follow from them."""
    rows = [json.dumps(row, separators=(",", ":")) for row in found["measurements"]]
    kept = {k: v for k, v in found.items() if k not in {"measurements", "claims"}}
    rest = json.dumps({**kept, "measurements": []}, indent=1)
    return rest.replace('"measurements": []', '"measurements": [\n' + ",\n".join(rows) + "\n]")


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
    "Stava and Benes do not say how far the spheres of (c) overlap, nor how large they are. Here "
    "2500 discs at random places cover 84%, and so most of them touch.",
    "Kalentev et al.: Label Equivalence needs fewer instructions than Row-Col Unify. No figure "
    "here counts them.",
    "Kalentev et al.: walks to roots become shorter while other threads write theirs. That depends "
    "on the order of threads, which is the schedule's on the emulator.",
    "Shibata, Tables 7 and 8: there is no implementation with AVX2 here. His picture of dry earth "
    "is not here either; noise in blobs stands for it.",
    "Playne and Hawick 2018: the claims are those that Hennequin et al. tell of it.",
)
"""What the papers say and no preset measures."""


def page(
    sections: Sequence[Section],
    verdicts: Mapping[str, Sequence[tuple[Claim, Judgement, str]]],
    images: Path,
) -> Iterator[str]:
    """Yield the lines of the page, and write its plots."""
    yield from introduction(sections)
    yield from summary(sections, verdicts)
    for section in sections:
        yield from ("", f"## {section.key}: {section.benchmark.title}", "")
        taken = f" Times of {section.timed.environment['date']}." if section.timed else ""
        yield f"{section.benchmark.source}. {section.benchmark.connectivity} neighbours.{taken}"
        yield from ("", "| claim | published | measured | verdict |", "| --- | --- | --- | --- |")
        for claim, found, where in verdicts[section.key]:
            measured = f"{found.measured} ({where})" if where else found.measured
            verdict = f"**{found.title}**" + (f". {found.reason}" if found.reason else "")
            yield f"| {claim.text} | {claim.published} | {measured} | {verdict} |"
        yield from ("", section.conditions())
        for table in section.tables():
            title = table.title.rstrip(".")
            yield from ("", f"{title}:", "", f"| {' | '.join(table.header)} |")
            yield "| --- |" + " ---: |" * (len(table.header) - 1)
            yield from (f"| {' | '.join(row)} |" for row in table.rows)
            yield from ("", section.conditions())
        for name, caption, text in section.plots():
            (images / f"{name}.svg").write_text(text, encoding="utf-8")
            yield from ("", f"![{caption}]({IMAGES}/{name}.svg)")
    yield from ("", "## Not judged", "")
    yield from (f"- {text}" for text in NOT_JUDGED)


def introduction(sections: Sequence[Section]) -> Iterator[str]:
    """Yield what was measured, where and when."""
    yield from ("# The papers' claims, measured", "")
    yield from fill(
        "Each table and figure of the papers is a preset of `ccl-viewer bench`, and each claim "
        'about it has a verdict. "Shape only" means that the order or the trend is as published, '
        'and the numbers are not; "contradicted here", that not even these are. "Near the bound" '
        "means that one of the rounds, or times that differ by 1%, would give another verdict. "
        "Absolute times are not compared, as the papers' GPUs were of their time."
    )
    yield ""
    yield from fill(
        "What is measured is the papers' form of each kernel, statement by statement. Where the "
        "printed text gives wrong labels, that is the smallest correction, and a row beside it "
        "shows the printed form. Times are medians of what the kernels of a run take on the GPU, "
        "without gaps between launches, with half the distance between the slowest and the "
        "fastest round. In each round all cases and grids take turns."
    )
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
    yield from fill(
        f"The results are in [{RESULTS}]({RESULTS}), from which `python "
        "benchmarks/reproduction_report.py` makes this page and [arguments.md](arguments.md). "
        "`python benchmarks/run_presets.py FILE` measures all presets on a GPU, and with "
        "`--counts` counts them on the emulator; `reproduction_report.py FILE` takes new results."
    )


def fill(text: str) -> list[str]:
    """Return the lines of a paragraph."""
    return textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)


def summary(
    sections: Sequence[Section],
    verdicts: Mapping[str, Sequence[tuple[Claim, Judgement, str]]],
) -> Iterator[str]:
    """Yield how many claims have which verdict."""
    kinds = [verdict for verdict in Verdict if verdict is not Verdict.REDUCED]
    yield from ("", "## Summary", "")
    yield "| preset | " + " | ".join(kind.value for kind in kinds) + " | near the bound |"
    yield "| --- |" + " ---: |" * (len(kinds) + 1)
    total: Counter[object] = Counter()
    for section in sections:
        found = [judgement for _, judgement, _ in verdicts[section.key]]
        counts: Counter[object] = Counter(each.verdict for each in found)
        counts["near"] = sum(each.near for each in found)
        total += counts
        key = section.key
        anchor = f"{key}: {section.benchmark.title}".lower()
        link = "".join(c for c in anchor if c.isalnum() or c in " -").replace(" ", "-")
        cells = " | ".join(str(counts[kind] or "") for kind in (*kinds, "near"))
        yield f"| [{key}](#{link}) | {cells} |"
    yield "| all | " + " | ".join(str(total[kind]) for kind in (*kinds, "near")) + " |"


if __name__ == "__main__":
    main()
