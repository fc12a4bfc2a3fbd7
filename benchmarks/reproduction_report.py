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
from paper_claims import Claim, ClaimJudgement, ClaimVerdict, judge_report
from paper_results import Results
from paper_tables import BenchTable
from papers import EXPERIMENTS
from papers.experiment import Experiment

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.bench.measuring import Case
from ccl_viewer.bench.plots import draw_plots
from ccl_viewer.bench.report import BenchReport
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.storage.files import replacing

DOCS = Path(__file__).parents[1] / "docs"
RESULTS = "reproduction/results.json"
IMAGES = "images/reproduction"
TIMES = Path(__file__).parents[1] / "assets" / "gpu-times.toml"


@dataclass(frozen=True)
class Section:
    """What the page says of one preset."""

    experiment: Experiment
    timed: BenchReport | None
    counted: BenchReport | None

    def judgements(
        self, timed: Mapping[str, BenchReport], counted: Mapping[str, BenchReport]
    ) -> Iterator[tuple[Claim, ClaimJudgement, str]]:
        """Yield each claim with its verdict and where it was measured."""
        claims = self.experiment.claims
        times = dict(judge_report(claims, self.timed, timed)) if self.timed else {}
        counts = dict(judge_report(claims, self.counted, counted)) if self.counted else {}
        missing = ClaimJudgement(ClaimVerdict.NOT_MEASURED, "No results.")
        for claim in claims:
            judgement, other = times.get(claim, missing), counts.get(claim, missing)
            if (
                judgement.verdict is ClaimVerdict.NOT_MEASURED
                and other.verdict is not judgement.verdict
            ):
                yield claim, other, "counted on the emulator"
            else:
                yield claim, judgement, ""

    def plots(self) -> Iterator[tuple[str, str, str]]:
        """Yield name, caption and text of each plot; counts only where no GPU gives the figure."""
        drawn = set()
        for report, where in ((self.timed, "GPU"), (self.counted, "emulator")):
            for name, plot in draw_plots(report) if report else ():
                if name not in drawn:
                    drawn.add(name)
                    title = f"{self.experiment.preset.title}: {name.replace('-', ', ')} ({where})"
                    yield f"{self.experiment.key}-{name}", title, paint_svg(plot, title)

    def tables(self) -> Iterator[BenchTable]:
        """Yield the paper's tables with what was measured."""
        if self.timed is not None:
            for make in self.experiment.tables:
                yield make(Results(self.timed.measurements))

    def conditions(self) -> str:
        """Return which forms were measured, on which grids, and how, in a line."""
        parts = [f"Forms: {forms(self.experiment.preset.cases)}."]
        if self.timed is not None:
            rounds = max((len(m.rounds) for m in self.timed.measurements), default=0)
            parts.append(f"Times: {grids(self.timed)}, {rounds} rounds in which all take turns.")
        if self.counted is not None:
            orders = " and ".join(sorted({m.schedule for m in self.counted.measurements}))
            parts.append(f"Counts: {grids(self.counted)}, {orders} schedule.")
        return " ".join(parts)


@dataclass(frozen=True)
class Origin:
    """Where the paper's form of some algorithms comes from, and where it differs from the text."""

    keys: tuple[str, ...]
    kind: str
    source: str
    corrections: str = ""
    differences: str = ""


PRINTED, CORRECTED, REBUILT = "as printed", "printed, corrected", "reconstructed"

ORIGINS = (
    Origin(
        ("label_equivalence", "label_equivalence_sizes"),
        PRINTED,
        "Kalentev et al. 2011, Listings 1 to 4",
        differences="Listing 1: the image is an array of its own, of one byte a cell; the paper "
        "has it in the label array. Listing 3: the pitch of a row, printed as SIZEX + 2, is a "
        "variable. Listing 4: the first kernel sets the sizes, not the host.",
    ),
    Origin(
        ("row_col_unify",),
        CORRECTED,
        "Kalentev et al. 2011, Algorithms 1 to 5",
        "Algorithm 3: the second cell of a pair refers to the first only if both are occupied. "
        "Algorithm 4 sets ContinueInd, too. Algorithm 2: a barrier after the first step, which the "
        "printed form has here, too.",
        "A thread sets ContinueInd once, at the end of its line. Lines of over 1,024 cells are "
        "taken in segments; none of these grids has any.",
    ),
    Origin(
        ("stava_benes",),
        CORRECTED,
        "Stava and Benes 2011, Figures 35.3 to 35.10",
        "Figure 35.8: the loop ends if sChanged is 0, not 1. The printed form cannot be run: a "
        "tile in which nothing changes never leaves its loop. Figure 35.4: Union has the atomic "
        "minimum that section 35.3.4 adds.",
        "Kernel 2: a warp works along a border, where the chapter's z counts along it and x and y "
        "the tiles. The borders of the last tiles of a block are left to the next level.",
    ),
    Origin(
        ("ha4", "ha4_64", "ha4_features"),
        CORRECTED,
        "Hennequin et al. 2018, Algorithms 1 to 7",
        "Algorithm 3: a second barrier before masks are overwritten. Algorithms 1 and 7: no shift "
        "by the width of a word. The printed form, with one barrier, is in hennequin-5.",
        "Background is -1, not 0. The text does not say how two pixels per thread merge. The "
        "kernel pixel by pixel follows a sentence of section II-C.",
    ),
    Origin(
        ("shibata_naive", "shibata_slow", "shibata_fast"),
        PRINTED,
        "Shibata, Algorithms 1 to 4; the look-ups of Algorithm 4 are four, or six as in section 7",
        differences="Background is -1 and pixels at the edge are labelled, as in section 7. A flag "
        "tells the host when to stop, unless the passes are counted off as in Tables 1 to 6.",
    ),
    Origin(
        ("label_equivalence_hawick",),
        REBUILT,
        "Kalentev et al. 2011, section 2.2, and Stava and Benes 2011, section 35.2.1, on Hawick et "
        "al. 2010, whose kernels are not at hand",
    ),
    Origin(
        ("playne", "playne_block"),
        REBUILT,
        "Hennequin et al. 2018, section II-B, and the public program of Playne and Hawick 2018",
    ),
    Origin(
        ("komura",),
        REBUILT,
        "Hennequin et al. 2018, sections II-B and IV-A, on Komura 2015, whose code is not at hand",
    ),
    Origin(
        ("cabaret",),
        REBUILT,
        "Hennequin et al. 2018, section II-B, and the public program in YACCLAB, on Cabaret et al. "
        "2017, whose code is not at hand",
    ),
)
"""Of all algorithms that presets measure; headers of kernels have every difference."""


OTHER_FORMS = {
    "project": "this project's",
    "printed": PRINTED,
    "atomic": "with an atomic minimum",
    "consecutive": "with updates side by side",
    "shared": "with labels in shared memory first",
}
"""By the variant that is chosen; of others an origin says what they are."""


def forms(cases: Sequence[Case]) -> str:
    """Return the form of each algorithm that is measured."""
    names_by_form: dict[str, list[str]] = {}
    for case in cases:
        if case.is_library:
            continue
        algorithm = find_algorithm(case.key)
        chosen = algorithm.complete(dict(case.parameters)).get("variant", "paper")
        (origin,) = (each for each in ORIGINS if case.key in each.keys)
        form = OTHER_FORMS.get(str(chosen), origin.kind)
        names = names_by_form.setdefault(form, [])
        if algorithm.title not in names:
            names.append(algorithm.title)
    return ", ".join(f"{form} ({'; '.join(names)})" for form, names in names_by_form.items())


def origins() -> Iterator[str]:
    """Yield where the forms come from."""
    yield from ("", "## Forms", "")
    yield "| algorithm | form | source | corrections | other differences |"
    yield "| --- | --- | --- | --- | --- |"
    for each in ORIGINS:
        names = "; ".join(find_algorithm(key).title for key in each.keys)
        cells = (names, each.kind, each.source, each.corrections, each.differences)
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield from fill(
        "Three more forms differ from the paper's in one thing each, to measure what it costs: "
        "Listing 3 of Label Equivalence with an atomic minimum, Row-Col Unify with updates of "
        "cells side by side, which have few bank conflicts, and HA4 with the labels of a strip in "
        "shared memory first."
    )


def grids(report: BenchReport) -> str:
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
    reports = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {kind: dict(reports.get(kind, {})) for kind in ("times", "counts")}


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
    timed = {
        key: BenchReport.from_json(EXPERIMENTS[key].preset, report)
        for key, report in results["times"].items()
    }
    counted = {
        key: BenchReport.from_json(EXPERIMENTS[key].counting, report)
        for key, report in results["counts"].items()
    }
    sections = [
        Section(experiment, timed.get(key), counted.get(key))
        for key, experiment in EXPERIMENTS.items()
    ]
    images = docs / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    for old in images.glob("*.svg"):
        old.unlink()
    verdicts = {each.experiment.key: list(each.judgements(timed, counted)) for each in sections}
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
        case = (entry[4], workload, entry[2]) if entry is not None else None
        if heading is not None:
            workload = heading[1].replace("discs", "(b)")
        if entry is not None and case in times:
            lines.append(f"{entry[1]}{times[case]:.4g}{entry[3]}")
        elif line.startswith("date = ") and dates:
            lines.append(f"date = {max(dates)[:10]}")
        else:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def compact(report: dict[str, Any]) -> str:
    """Return JSON of a report with a line for each measurement."""
    rows = [json.dumps(row, separators=(",", ":")) for row in report["measurements"]]
    fields = {k: v for k, v in report.items() if k != "measurements"}
    rest = json.dumps({**fields, "measurements": []}, indent=1)
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
    "Absolute times, as GPUs and CPUs are others. The 200 images per second of Hennequin et al. "
    "are the exception.",
    "Stava and Benes, Figure 35.11 (a): the slices of a wooden log are not public.",
    "Stava and Benes, Figure 35.11 (d): Hawick's row repeats that of (c). The speedups printed "
    "below it stand for it.",
    "Kalentev et al. do not compare their times with those of Hawick's kernels. Here the plot of "
    "kalentev-1 shows both.",
    "Kalentev et al., section 4: Label Equivalence needs fewer instructions than Row-Col Unify. No "
    "figure here counts them.",
    "Kalentev et al., section 2.2: walks to roots become shorter while other threads write theirs. "
    "That depends on the order of threads, which is the schedule's on the emulator.",
    "Kalentev et al., section 2.1: an element in front of the arrays spares conditions in Row-Col "
    "Unify's update. The paper does not say which ones.",
    "Kalentev et al., abstract: shared memory makes Row-Col Unify efficient. No form without it is "
    "here.",
    "Hennequin et al., section II-C: features can be efficient only during the closure. Another "
    "efficient way is not here.",
    "Hennequin et al., section IV-A: a loop over the strip saves the creation of threads.",
    "Shibata, Tables 7 and 8: there is no implementation with AVX2 here.",
    "Playne and Hawick 2018, Komura 2015, Cabaret et al. 2017 and Hawick et al. 2010: only what "
    "the papers at hand say of them.",
)
"""What the papers say and no preset measures."""


COLUMNS = ("section", "claim", "published", "measured", "reproduced if; shape only if", "verdict")


def page(
    sections: Sequence[Section],
    verdicts: Mapping[str, Sequence[tuple[Claim, ClaimJudgement, str]]],
    images: Path,
) -> Iterator[str]:
    """Yield the lines of the page, and write its plots."""
    yield from introduction(sections)
    yield from origins()
    yield from summary(sections, verdicts)
    for section in sections:
        experiment, preset = section.experiment, section.experiment.preset
        yield from ("", f"## {experiment.key}: {preset.title}", "")
        date = f" Times of {section.timed.environment['date']}." if section.timed else ""
        yield f"{preset.source}. {preset.connectivity} neighbours.{date}"
        if experiment.scenes:
            yield from ("", experiment.scenes)
        yield from ("", section.conditions(), "", f"| {' | '.join(COLUMNS)} |")
        yield "|" + " --- |" * len(COLUMNS)
        for claim, judgement, where in verdicts[experiment.key]:
            measured = f"{judgement.measured} ({where})" if where else judgement.measured
            verdict = f"**{judgement.verdict_text}**" + (
                f". {judgement.reason}" if judgement.reason else ""
            )
            cells = (claim.section, claim.text, claim.published, measured, claim.bounds, verdict)
            yield f"| {' | '.join(cells)} |"
        for table in section.tables():
            title = table.title.rstrip(".")
            yield from ("", f"{title}:", "", f"| {' | '.join(table.header)} |")
            yield "| --- |" + " ---: |" * (len(table.header) - 1)
            yield from (f"| {' | '.join(row)} |" for row in table.rows)
        for name, caption, text in section.plots():
            (images / f"{name}.svg").write_text(text, encoding="utf-8")
            yield from ("", f"![{caption}]({IMAGES}/{name}.svg)")
    yield from ("", "## Not judged", "")
    yield from (f"- {text}" for text in NOT_JUDGED)


def introduction(sections: Sequence[Section]) -> Iterator[str]:
    """Yield what was measured, where and when."""
    yield from ("# The papers' claims, measured", "")
    yield from fill(
        "Each table or figure of the papers with measurements, except those under "
        "[Not judged](#not-judged), is a preset of `ccl-viewer bench`. Each claim has a verdict. "
        '"Shape only": the order or the trend is as published, the numbers are not. "Contradicted '
        'here": not even the order or the trend is as published. "Near the bound": the verdict '
        "would change if one round alone, or times 1% off, were used. The bounds between verdicts "
        "are ours, and stand beside each claim. Where the section is a table or a figure, the "
        "claim is read off it. Absolute times are not compared, as the papers' GPUs were of their "
        "time."
    )
    yield ""
    yield from fill(
        "We measure the papers' form of each kernel. Where a paper prints its code, that is the "
        "code. Where the printed kernel labels wrongly, we time it with the smallest correction. "
        "Where no code is at hand, the form is reconstructed from descriptions and public "
        "programs: what is said of Hawick's Label Equivalence, Playne-Hawick, Komura and Cabaret "
        "is said of these forms. [Forms](#forms) lists all of this."
    )
    yield ""
    yield from fill(
        "A time is the sum of a run's kernel times: the median over the rounds, ± half the range. "
        "In each round all cases and grids take turns."
    )
    yield ""
    for name, reports in (
        ("Times", [s.timed for s in sections if s.timed]),
        ("Counts", [s.counted for s in sections if s.counted]),
    ):
        if reports:
            environment = max((each.environment for each in reports), key=lambda each: each["date"])
            others = ", ".join(
                f"{key} {value}"
                for key, value in environment.items()
                if key not in {"date", "device"}
            )
            yield f"- {name}: {environment['device']}, {environment['date'][:10]}; {others}."
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
    verdicts: Mapping[str, Sequence[tuple[Claim, ClaimJudgement, str]]],
) -> Iterator[str]:
    """Yield how many claims have which verdict."""
    kinds = [*ClaimVerdict]
    yield from ("", "## Summary", "")
    yield "| preset | " + " | ".join(kind.value for kind in kinds) + " | near the bound |"
    yield "| --- |" + " ---: |" * (len(kinds) + 1)
    total: Counter[object] = Counter()
    for section in sections:
        judgements = [judgement for _, judgement, _ in verdicts[section.experiment.key]]
        counts: Counter[object] = Counter(each.verdict for each in judgements)
        counts["near"] = sum(each.near for each in judgements)
        total += counts
        key = section.experiment.key
        anchor = f"{key}: {section.experiment.preset.title}".lower()
        link = "".join(c for c in anchor if c.isalnum() or c in " -").replace(" ", "-")
        cells = " | ".join(str(counts[kind] or "") for kind in (*kinds, "near"))
        yield f"| [{key}](#{link}) | {cells} |"
    yield "| all | " + " | ".join(str(total[kind]) for kind in (*kinds, "near")) + " |"


if __name__ == "__main__":
    main()
