"""Draws five arguments of the papers from the emulator's counts, and writes docs/arguments.md.

    python benchmarks/paper_arguments.py [FOLDER]

Each figure says what the paper claims and what is counted: no time is measured. The schedule is the
synchronous one, in which all threads move at once, as on a GPU with room for all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ccl_viewer.algorithms import algorithm
from ccl_viewer.bench.charts import Bar, bar_chart
from ccl_viewer.devices.emulator.memcheck import AccessKind
from ccl_viewer.grids.specs import open_grid
from ccl_viewer.profiling import Profile, profile
from ccl_viewer.render.painters.svg import svg_of

SIZE = 512
GRANULARITIES = (1, 4, 16)


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
    """Name noise of density 0.5 whose pixels are blown up."""
    return f"pattern:noise?width={SIZE}&height={SIZE}&density=0.5&granularity={granularity}"


def run(key: str, spec: str, **parameters: int | None) -> Profile:
    """Count what an algorithm does with 4 neighbours."""
    return profile(open_grid(spec).grid, algorithm(key), 4, parameters, schedule="synchronous")


def banks() -> Argument:
    found = run("row_col_unify", noise(1)).by_kernel()["row_col_unify_rows"]
    degrees: dict[str, list[int]] = {}
    for launch in found.launches:
        for site in launch.sites:
            if site.memory is None:
                verb = "loads" if site.kind == AccessKind.LOAD else "stores"
                degree = site.counts.transactions / max(site.counts.requests, 1)
                name = f"{verb}, {_degree(degree)}"
                row = degrees.setdefault(name, [0, 0])
                row[0] += site.counts.fewest
                row[1] += site.counts.transactions - site.counts.fewest
    figures = found.figures()
    requests, turns = figures["shared_requests"], figures["bank_turns"]
    bars = [
        Bar(name, value, series)
        for name, (needed, extra) in sorted(degrees.items())
        for value, series in ((needed, "without conflicts"), (extra, "added by conflicts"))
    ]
    return Argument(
        "banks",
        "Row-Col Unify: bank conflicts in shared memory",
        "turns that the banks need, row kernel, all launches; by the mean degree of conflict",
        "Update reads labels and references with bank conflicts, which serialise the requests and "
        "make the whole procedure slow.",
        "Kalentev et al. 2011, section 2.1",
        tuple(bars),
        f"{requests:,} requests to shared memory need {turns:,} turns, {turns / requests:.2f} "
        "times as many as without conflicts. Each thread holds two neighbouring cells, so lanes "
        "read every second word: degree 2 at least. The claim holds on "
        "today's 32 banks too; the degree stays near 2.",
    )


def _degree(degree: float) -> str:
    return "degree 1" if degree < 1.05 else "degree up to 2" if degree <= 2.05 else "degree above 2"


def columns() -> Argument:
    found = run("row_col_unify", noise(1)).by_kernel()
    bars, shares = [], {}
    for name in ("rows", "columns"):
        figures = found[f"row_col_unify_{name}"].figures()
        shares[name] = figures["coalescing"], figures["bytes"]
        bars.append(Bar(f"{name}, moved", figures["bytes"] / 2**20, "moved"))
        asked = figures["bytes"] * figures["coalescing"] / 2**20
        bars.append(Bar(f"{name}, asked for", asked, "asked for"))
    ratio = shares["columns"][1] / shares["rows"][1]
    return Argument(
        "columns",
        "Row-Col Unify: bytes moved by rows and by columns",
        "MiB of device memory, all launches of each kernel",
        "Access is coalesced for rows, and not for columns.",
        "Kalentev et al. 2011, section 2.1",
        tuple(bars),
        f"The warps of the column kernel ask for {shares['columns'][0]:.0%} of what they move, "
        f"those of the row kernel for {shares['rows'][0]:.0%}: columns move {ratio:.1f} times as "
        "much. A column's 32 cells lie in 32 sectors of 32 bytes, of which each lane uses 4 bytes.",
    )


def atomics() -> Argument:
    keys = ("playne", "komura", "label_equivalence_hawick")
    found = {
        (granularity, key): int(run(key, noise(granularity)).figures()["atomics"])
        for granularity in GRANULARITIES
        for key in keys
    }
    return Argument(
        "atomics",
        "Playne-Hawick avoids atomics",
        "atomic operations of all threads, noise of density 0.5",
        "The neighbours' values tell which links are not needed, so that only critical cells use "
        "an atomic minimum.",
        "Playne and Hawick 2018; Hennequin et al. 2018, section II-B, on Playne: only the "
        "mandatory accesses",
        tuple(_by_granularity(found)),
        "; ".join(
            f"g = {g}: Playne-Hawick {found[g, 'playne']:,}, Komura {found[g, 'komura']:,}, "
            f"Label Equivalence with references {found[g, 'label_equivalence_hawick']:,}"
            for g in GRANULARITIES
        )
        + ". The larger the patches, the more is avoided.",
    )


def accesses() -> Argument:
    keys = ("playne", "cabaret", "ha4", "ha4_64")
    found, shares = {}, []
    for granularity in GRANULARITIES:
        for key in keys:
            figures = run(key, noise(granularity)).figures()
            found[granularity, key] = int(figures["loads"] + figures["stores"] + figures["atomics"])
            shares.append((granularity, key, int(figures["atomics"])))
    most = {g: found[g, "playne"] / found[g, "ha4"] for g in GRANULARITIES}
    held = ", ".join(f"{ratio:.1f} times at g = {g}" for g, ratio in most.items())
    made = ", ".join(f"{n:,} by {_title(k)}" for g, k, n in shares if g == 4)
    return Argument(
        "accesses",
        "HA4 saves accesses to device memory",
        "loads, stores and atomics of all threads, noise of density 0.5",
        "Only the first pixel of a segment uses memory, which limits the expensive accesses and "
        "atomic operations.",
        "Hennequin et al. 2018, sections IV-A to IV-C",
        tuple(_by_granularity(found)),
        f"Playne-Hawick makes more accesses than HA4: {held}. Of atomics HA4 makes more, not fewer "
        f"(g = 4: {made}): a union needs them wherever segments meet, which Playne-Hawick's tests "
        "mostly avoid.",
    )


def contention() -> Argument:
    bars, words = [], []
    for granularity in GRANULARITIES:
        meet, most = {}, {}
        for naive, series in ((1, "pixel by pixel"), (0, "segment by segment")):
            found = run("ha4_features", noise(granularity), naive=naive)
            kernel = "ha4_features_naive" if naive else "ha4_features"
            figures = found.by_kernel()[kernel].figures()
            meet[naive], most[naive] = figures["atomics"], figures["contention"]
            bars.append(Bar(f"g = {granularity}", float(meet[naive]), series))
        words.append(
            f"g = {granularity}: {meet[1]:,} and {meet[0]:,} atomics, at most {most[1]:,} and "
            f"{most[0]:,} of them on one address at once"
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
    return algorithm(key).title.partition(" (")[0].partition(", direct")[0]


def _by_granularity(found: dict[tuple[int, str], int]) -> Iterator[Bar]:
    for (granularity, key), value in found.items():
        yield Bar(f"{_title(key)}, g = {granularity}", value, _title(key))


ARGUMENTS: tuple[Callable[[], Argument], ...] = (banks, columns, atomics, accesses, contention)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs")
    (folder / "images").mkdir(parents=True, exist_ok=True)
    parts = [
        "# Five arguments of the papers, counted\n",
        "The papers argue with what kernels do to memory. Here the emulator counts it, on grids "
        f"of {SIZE} x {SIZE} cells with 4 neighbours: noise of density 0.5, drawn in squares of "
        "g x g cells. Counts are not times. All threads move at once (the synchronous schedule). "
        "`python benchmarks/paper_arguments.py` makes this page and its figures.\n",
    ]
    for make in ARGUMENTS:
        argument = make()
        picture = svg_of(bar_chart(argument.title, argument.unit, argument.bars), argument.title)
        (folder / "images" / f"argument_{argument.name}.svg").write_text(picture, "utf-8")
        parts += [
            f"## {argument.title}\n",
            f"**Claimed** ({argument.source}): {argument.claim}\n",
            f"![{argument.unit}](images/argument_{argument.name}.svg)\n",
            f"**Counted**: {argument.counted}\n",
        ]
    (folder / "arguments.md").write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
