"""Draws five arguments of the papers from the emulator's counts, and writes docs/arguments.md.

``python benchmarks/reproduction_report.py`` calls it, with the counts of the presets: so this page
and docs/reproduction.md read the same results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from paper_results import Results

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.bench.charts import Bar, draw_bar_chart
from ccl_viewer.bench.report import BenchReport
from ccl_viewer.render.painters.svg import paint_svg

_RC = "row_col_unify"


@dataclass(frozen=True)
class Argument:
    """One argument: the paper's words in ours, the chart, and what it shows."""

    name: str
    title: str
    unit: str
    claim: str
    source: str
    bars: tuple[Bar, ...]
    counted: str


def noise(granularity: int) -> str:
    """Name the noise of density 0.5 whose pixels are blown up, as presets do."""
    return "noise 512 d0.5" + (f" g{granularity}" if granularity > 1 else "")


def banks(results: Results) -> Argument:
    """Count the turns of shared memory's banks."""
    bars, words = [], []
    for kernel in ("rows", "columns"):
        requests, turns = (
            results.value(_RC, "noise 256 d0.5", figure, f"{_RC}_{kernel}")
            for figure in ("shared_requests", "bank_turns")
        )
        bars += [
            Bar(kernel, requests, "without conflicts"),
            Bar(kernel, turns - requests, "added by conflicts"),
        ]
        words.append(
            f"{kernel}: {requests:,.0f} requests need {turns:,.0f} turns, {turns / requests:.2f} "
            "times as many as without conflicts"
        )
    return Argument(
        "banks",
        "Row-Col Unify: bank conflicts in shared memory",
        "turns that the banks need, all launches, noise of density 0.5 in 256 x 256 cells",
        "Update has bank conflicts, which serialise the requests for the value that it needs, and "
        "make the whole procedure slow.",
        "Kalentev et al. 2011, section 2.1",
        tuple(bars),
        f"{'; '.join(words)}. Each thread holds two neighbouring cells, so lanes read every second "
        "word. The reads that Update makes through a reference need two turns each. Conflicts are "
        "there on the 32 banks of today, too. reproduction.md has what they cost.",
    )


def columns(results: Results) -> Argument:
    """Count the bytes moved by rows and by columns."""
    bars, shares = [], {}
    for name in ("rows", "columns"):
        coalescing, nbytes = (
            results.value(_RC, "noise 256 d0.5", figure, f"{_RC}_{name}")
            for figure in ("coalescing", "bytes")
        )
        shares[name] = coalescing, nbytes
        bars.append(Bar(f"{name}, moved", nbytes / 2**20, "moved"))
        bars.append(Bar(f"{name}, asked for", nbytes * coalescing / 2**20, "asked for"))
    ratio = shares["columns"][1] / shares["rows"][1]
    return Argument(
        "columns",
        "Row-Col Unify: bytes moved by rows and by columns",
        "MiB of device memory, all launches of each kernel, noise in 256 x 256 cells",
        "Access is coalesced for rows, and not for columns.",
        "Kalentev et al. 2011, section 2.1",
        tuple(bars),
        f"The warps of the column kernel ask for {shares['columns'][0]:.0%} of what they move, "
        f"those of the row kernel for {shares['rows'][0]:.0%}: columns move {ratio:.1f} times as "
        "much. A column's 32 cells lie in 32 sectors of 32 bytes, of which each lane uses 4 bytes.",
    )


def atomics(results: Results) -> Argument:
    """Count atomic operations beside Playne-Hawick's."""
    keys = ("playne", "komura", "label_equivalence_hawick")
    counts = {
        (granularity, key): int(results.value(key, noise(granularity), "atomics"))
        for granularity in (1, 2, 4, 8, 16)
        for key in keys
    }
    shown = {case: n for case, n in counts.items() if case[0] in {1, 4, 16}}
    ratios = [counts[g, "komura"] / counts[g, "playne"] for g in (1, 2, 4, 8, 16)]
    return Argument(
        "atomics",
        "Playne-Hawick avoids atomics",
        "atomic operations of all threads, noise of density 0.5",
        "Direct algorithms add extra tests to avoid memory accesses and the serialisation that "
        "atomic instructions cause; by such tests Playne does only the mandatory accesses.",
        "Hennequin et al. 2018, abstract and section II-B, on Playne and Hawick 2018",
        tuple(_by_granularity(shown)),
        "; ".join(
            f"g = {g}: Playne-Hawick {counts[g, 'playne']:,}, Komura {counts[g, 'komura']:,}, "
            f"Label Equivalence with references {counts[g, 'label_equivalence_hawick']:,}"
            for g in (1, 4, 16)
        )
        + f". Komura makes {ratios[0]:.1f} to {ratios[-1]:.1f} times as many as Playne-Hawick. The "
        "larger the patches, the more is avoided. The kernels are reconstructed: no code of the "
        "three papers is at hand.",
    )


def accesses(results: Results) -> Argument:
    """Count all accesses to device memory beside HA4's."""
    counts, shares = {}, {}
    for granularity in (1, 4, 16):
        for key in ("playne", "cabaret", "ha4", "ha4_64"):
            parts = (
                results.value(key, noise(granularity), figure)
                for figure in ("loads", "stores", "atomics")
            )
            counts[granularity, key] = int(sum(parts))
            shares[granularity, key] = int(results.value(key, noise(granularity), "atomics"))
    most = {g: counts[g, "playne"] / counts[g, "ha4"] for g in (1, 4, 16)}
    ratios = ", ".join(f"{ratio:.1f} times at g = {g}" for g, ratio in most.items())
    beside = ", ".join(
        f"{shares[g, 'ha4'] / shares[g, 'cabaret']:.2f} times as many at g = {g}"
        for g in (1, 4, 16)
    )
    atomic_counts = ", ".join(f"{n:,} by {_title(k)}" for (g, k), n in shares.items() if g == 4)
    return Argument(
        "accesses",
        "HA4 saves accesses to device memory",
        "loads, stores and atomics of all threads, noise of density 0.5",
        "Only the first pixel of a segment uses memory for equivalences or features, which limits "
        "the expensive accesses and atomic operations.",
        "Hennequin et al. 2018, sections IV, IV-B and IV-C",
        tuple(_by_granularity(counts)),
        f"Playne-Hawick makes more accesses than HA4: {ratios}. Of atomics HA4 makes more than "
        f"Playne-Hawick (g = 4: {atomic_counts}): a union needs them wherever segments meet, which "
        f"Playne-Hawick's tests mostly avoid. Beside Cabaret's it makes {beside}. Cabaret's tiles "
        "make theirs in shared memory, which is not counted.",
    )


def contention(results: Results) -> Argument:
    """Count atomics of the features, pixel by pixel and segment by segment."""
    bars, words = [], []
    for granularity in (1, 4, 16):
        cases = (
            ("ha4_features:naive=1", "ha4_features_naive", "pixel by pixel"),
            ("ha4_features", "ha4_features", "segment by segment"),
        )
        totals, most = [], []
        for case, kernel, series in cases:
            totals.append(results.value(case, noise(granularity), "atomics", kernel))
            most.append(results.value(case, noise(granularity), "contention", kernel))
            bars.append(Bar(f"g = {granularity}", totals[-1], series))
        words.append(
            f"g = {granularity}: {totals[0]:,.0f} and {totals[1]:,.0f} atomics, at most "
            f"{most[0]:,.0f} and {most[1]:,.0f} of them on one address at once"
        )
    return Argument(
        "contention",
        "HA4's features: one update a segment, not one a pixel",
        "atomic operations of the features kernel, noise of density 0.5",
        "If each pixel updates the features of its component, all wait for one address. The naive "
        "kernel took 6.4 times as long on a Jetson TX2.",
        "Hennequin et al. 2018, sections II-C, IV-D and V",
        tuple(bars),
        "Pixel by pixel and segment by segment: " + "; ".join(words) + ". Counts give no time: "
        "docs/reproduction.md has what a GPU takes.",
    )


def _title(key: str) -> str:
    return find_algorithm(key).title.partition(" (")[0].partition(", direct")[0]


def _by_granularity(counts: Mapping[tuple[int, str], int]) -> Iterator[Bar]:
    for (granularity, key), value in counts.items():
        yield Bar(f"{_title(key)}, g = {granularity}", value, _title(key))


_ARGUMENTS = (
    (banks, "kalentev-1"),
    (columns, "kalentev-1"),
    (atomics, "playne-atomics"),
    (accesses, "playne-atomics"),
    (contention, "hennequin-features"),
)


def write(reports: Mapping[str, BenchReport], docs: Path) -> None:
    """Write the page and its figures, if all its counts are there.

    Parameters
    ----------
    reports : mapping
        The counts of presets by key.
    docs : Path
        The folder of documents.
    """
    if any(key not in reports for _, key in _ARGUMENTS):
        return
    (docs / "images").mkdir(parents=True, exist_ok=True)
    parts = [
        "# Five arguments of the papers, counted\n",
        "The papers argue with what kernels do to memory. Here the emulator counts it, on grids "
        "of 512 x 512 cells with 4 neighbours, unless 256 x 256 is stated: noise of density 0.5, "
        "drawn in squares of g x g cells. Kernels have the papers' forms, as reproduction.md "
        "lists them. Counts are not times. Threads move at once, all that fit into 65,536 (the "
        "synchronous schedule); of larger grids one such part after the other. "
        "The counts are those of [reproduction.md](reproduction.md); `python "
        "benchmarks/reproduction_report.py` makes both pages.\n",
    ]
    for make, key in _ARGUMENTS:
        argument = make(Results(reports[key].measurements))
        picture = paint_svg(
            draw_bar_chart(argument.title, argument.unit, argument.bars), argument.title
        )
        (docs / "images" / f"argument_{argument.name}.svg").write_text(picture, "utf-8")
        parts += [
            f"## {argument.title}\n",
            f"**Claimed** ({argument.source}): {argument.claim}\n",
            f"![{argument.unit}](images/argument_{argument.name}.svg)\n",
            f"**Counted**: {argument.counted}\n",
        ]
    (docs / "arguments.md").write_text("\n".join(parts), "utf-8")
