"""Each form of a paper does what the paper, or its authors' public program, says in numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import Grid, noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.diagnostics.profile import Profile, profile_algorithm
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.grids.specs import open_grid

Figure = Callable[[Mapping[str, Profile]], float]


def figure(kernel: str, name: str) -> Figure:
    """What a kernel did in all its launches."""
    return lambda kernels: kernels[kernel].figures()[name]


def launches(kernels: Mapping[str, Profile]) -> int:
    return sum(len(kernel.launches) for kernel in kernels.values())


def accesses(kernel: str, memory: str, kind: AccessKind) -> Figure:
    """How often threads of a kernel read or wrote an array."""
    return lambda kernels: sum(
        site.counts.accesses
        for launch in kernels[kernel].launches
        for site in launch.sites
        if site.memory == memory and site.kind is kind
    )


def starts(image: Grid, columns: int) -> int:
    """Return the number of runs, if they are cut where a warp's columns begin."""
    left = np.zeros_like(image)
    left[:, 1:] = image[:, :-1]
    left[:, ::columns] = 0
    return int(np.count_nonzero(image & ~left & 1))


@dataclass(frozen=True)
class Statement:
    """A number that follows from a source, for one grid."""

    source: str
    key: str
    connectivity: int
    image: Grid
    found: Figure
    expected: float
    parameters: Mapping[str, int | str] = field(default_factory=lambda: {"variant": "paper"})
    schedule: str = "sequential"


KERNELS = Path(__file__).parents[2] / "kernels"
ONES = np.ones((32, 32), np.uint8)
NOISE = noise(12, 192, 0.6)
CELLS = int(NOISE.sum())
LOADS, STORES = AccessKind.LOAD, AccessKind.STORE
FIGURE_2 = open_grid("pattern:shibata").grid
LARGE = open_grid("pattern:noise?width=512&height=512&density=0.5").grid


def per_launch(found: Figure, kernel: str) -> Figure:
    """A figure, divided by the launches of a kernel."""
    return lambda kernels: found(kernels) / len(kernels[kernel].launches)


def difference(one: Figure, other: Figure) -> Figure:
    return lambda kernels: one(kernels) - other(kernels)


STATEMENTS = {
    "bke: init, compression, merge, compression, final labelling": Statement(
        "Allegretti et al. 2020, and the public program: five kernels, whatever the picture",
        "bke", 8, NOISE, launches, 5,
    ),
    "bke: nothing is united where the first links make one tree": Statement(
        "Allegretti et al. 2020: initialisation links each block with one before it",
        "bke", 8, np.ones((32, 2), np.uint8), figure("bke_merge", "atomics"), 0,
    ),
    "stava_benes: three unions for each cell of a border": Statement(
        "Stava and Benes 2011, Figure 35.10: the cell opposite and both beside it, at an end one; "
        "two borders of 32 cells, two passes, two values a union",
        "stava_benes", 8, ONES, accesses("stava_benes_merge", "image", LOADS),
        2 * 2 * 2 * (32 + 31 + 31),
    ),
    "stava_benes: kernels 1, 2, 3, 2 and 4": Statement(
        "Stava and Benes 2011, Figure 35.6: kernel 3 between two levels of kernel 2",
        "stava_benes", 8, noise(64, 64, 0.5), launches, 5,
        {"variant": "paper", "tile": 4, "factor": 4},
    ),
    "playne_block: borders of one direction, then of the other": Statement(
        "Playne and Hawick 2018, the authors' program: blocks, two border kernels, resolve",
        "playne_block", 4, NOISE, launches, 4,
    ),
    "label_equivalence: analysis stores the root in every cell": Statement(
        "Kalentev et al. 2011, Listing 2: 130,778 cells in six iterations",
        "label_equivalence", 4, LARGE, accesses("label_equivalence_analysis", "labels", STORES),
        784_668, schedule="synchronous",
    ),
    "label_equivalence: the project's form stores changes alone": Statement(
        "The distance to Listing 2, with 65,536 threads at a time; 154,487 with 16,384",
        "label_equivalence", 4, LARGE, accesses("label_equivalence_analysis", "labels", STORES),
        155_059, {"variant": "project"}, "synchronous",
    ),
    "label_equivalence: the flag is stored whenever a label is": Statement(
        "Kalentev et al. 2011, Listing 3, the last two lines",
        "label_equivalence", 4, NOISE, difference(
            accesses("label_equivalence_scanning", "labels", STORES),
            accesses("label_equivalence_scanning", "is_not_done", STORES),
        ), 0,
    ),
    "label_equivalence: the flag is not looked at": Statement(
        "Kalentev et al. 2011, Listing 3",
        "label_equivalence", 4, NOISE, accesses("label_equivalence_scanning", "is_not_done", LOADS),
        0,
    ),
    "label_equivalence_sizes: the size of every cell is looked at": Statement(
        "Kalentev et al. 2011, Listing 4, the first line",
        "label_equivalence_sizes", 4, NOISE, per_launch(
            accesses("label_equivalence_analysis_sizes", "sizes", LOADS),
            "label_equivalence_analysis_sizes",
        ), CELLS,
    ),
    "label_equivalence_hawick: an atomic whenever the flag is raised": Statement(
        "Hawick et al. 2010, the scanning kernel",
        "label_equivalence_hawick", 4, NOISE, difference(
            figure("label_equivalence_hawick_scanning", "atomics"),
            accesses("label_equivalence_hawick_scanning", "changed", STORES),
        ), 0,
    ),
    "label_equivalence_hawick: labelling stores every cell": Statement(
        "Hawick et al. 2010, the labelling kernel",
        "label_equivalence_hawick", 4, NOISE, per_launch(
            accesses("label_equivalence_hawick_labelling", "labels", STORES),
            "label_equivalence_hawick_labelling",
        ), CELLS,
    ),
    "label_equivalence: an atomic minimum in place of each load and store": Statement(
        "Kalentev et al. 2011, Listing 3, with what section 2.2 leaves out; the labels that are "
        "lowered in the only iteration that lowers any",
        "label_equivalence", 4, np.ones((1, 64), np.uint8),
        figure("label_equivalence_scanning", "atomics"), 63, {"variant": "atomic"}, "synchronous",
    ),
    "row_col_unify: each label is loaded once": Statement(
        "Kalentev et al. 2011, Algorithm 2, the first line",
        "row_col_unify", 4, NOISE, per_launch(
            accesses("row_col_unify_rows", "labels", LOADS), "row_col_unify_rows"
        ), NOISE.size,
    ),
    "row_col_unify: each label is stored once": Statement(
        "Kalentev et al. 2011, Algorithm 2, the last line",
        "row_col_unify", 4, NOISE, per_launch(
            accesses("row_col_unify_columns", "labels", STORES), "row_col_unify_columns"
        ), NOISE.size,
    ),
    "row_col_unify: all threads update after each step": Statement(
        "Kalentev et al. 2011, Algorithms 2 to 5, on an empty row of 256 with 4 warps: loads of "
        "labels; the first step's loads and references; seven steps whose 2, 1, 1, 1, 1, 1 and 1 "
        "warps load a reference and a label, which is background; whose update is five accesses to "
        "each of two elements; stores of labels; the front element",
        "row_col_unify", 4, np.zeros((1, 256), np.uint8), figure(
            "row_col_unify_rows", "shared_requests"
        ), 8 + 4 * (2 + 2) + 8 * 2 + 7 * 4 * 10 + 8 + 2,
    ),
    "row_col_unify: the project's form leaves an empty row alone": Statement(
        "The distance to Algorithm 2",
        "row_col_unify", 4, np.zeros((1, 256), np.uint8), figure(
            "row_col_unify_rows", "shared_requests"
        ), 0, {"variant": "project"},
    ),
    "shibata_naive: every foreground pixel is stored in every pass": Statement(
        "Shibata, Algorithm 2: 32 pixels of Figure 2",
        "shibata_naive", 8, FIGURE_2, per_launch(
            accesses("shibata_naive", "fb", STORES), "shibata_naive"
        ), 32,
    ),
    "shibata_slow: every foreground pixel is stored in every pass": Statement(
        "Shibata, Algorithm 3: 32 pixels of Figure 2",
        "shibata_slow", 8, FIGURE_2, per_launch(
            accesses("shibata_slow", "fb", STORES), "shibata_slow"
        ), 32,
    ),
    "shibata_fast: two atomic operations for every foreground pixel": Statement(
        "Shibata, Algorithm 4: 32 pixels of Figure 2",
        "shibata_fast", 8, FIGURE_2, per_launch(figure("shibata_fast", "atomics"), "shibata_fast"),
        64, schedule="synchronous",
    ),
    "shibata_fast: passes that are fixed raise no flag but the last": Statement(
        "Shibata, Algorithm 4 has no flag; the fourth pass lowers labels, the last but one",
        "shibata_fast", 8, FIGURE_2, accesses("shibata_fast", "changed", STORES), 0,
        {"variant": "paper", "passes": 6}, "synchronous",
    ),
    "komura: analysis stores the root of every cell": Statement(
        "Komura 2015: each site takes its cluster's number",
        "komura", 4, NOISE, figure("komura_analysis", "stores"), 2 * CELLS,
    ),
    "playne: resolve stores the root of every cell": Statement(
        "Playne and Hawick 2018, the authors' program",
        "playne", 4, NOISE, figure("playne_resolve", "stores"), 2 * CELLS,
    ),
    "stava_benes: kernel 4 stores the root of every cell": Statement(
        "Stava and Benes 2011, Figure 35.3, pass 2",
        "stava_benes", 8, NOISE, figure("stava_benes_final", "stores"), CELLS,
    ),
    "ha4: one barrier a turn as printed": Statement(
        "Hennequin et al. 2018, Algorithm 3, line 12: three strips, six turns of 32 columns",
        "ha4", 4, NOISE, figure("ha4_strip_labeling", "barriers"), 3 * 6, {"variant": "printed"},
    ),
    "ha4: the smallest correction is a second barrier": Statement(
        "Hennequin et al. 2018, Algorithm 3: masks are read before they are overwritten",
        "ha4", 4, NOISE, figure("ha4_strip_labeling", "barriers"), 2 * 3 * 6,
    ),
    "ha4: only the starts of segments are stored": Statement(
        "Hennequin et al. 2018, Algorithm 3, line 10",
        "ha4", 4, NOISE, accesses("ha4_strip_labeling", "labels", STORES), starts(NOISE, 32),
    ),
    "ha4_64: one barrier a turn of 64 columns as printed": Statement(
        "Hennequin et al. 2018, Algorithm 3 and section IV.E: three strips, three turns",
        "ha4_64", 4, NOISE, figure("ha4_64_strip_labeling", "barriers"), 3 * 3,
        {"variant": "printed"},
    ),
    "ha4_64: only the starts of segments are stored": Statement(
        "Hennequin et al. 2018, Algorithm 3 and section IV.E",
        "ha4_64", 4, NOISE, accesses("ha4_64_strip_labeling", "labels", STORES), starts(NOISE, 64),
    ),
    "ha4_features: seven atomic operations a segment": Statement(
        "Hennequin et al. 2018, Algorithm 6, lines 12 to 15",
        "ha4_features", 4, NOISE, figure("ha4_features", "atomics"), 7 * starts(NOISE, 32), {},
    ),
    "ha4_64_features: seven atomic operations a segment of up to 64": Statement(
        "Hennequin et al. 2018, Algorithm 6 with the operators of Algorithm 7",
        "ha4_features", 4, NOISE, figure("ha4_64_features", "atomics"), 7 * starts(NOISE, 64),
        {"pixels": 2},
    ),
    "cabaret: a tile's four phases and two borders need no loop": Statement(
        "Cabaret et al. 2017, YACCLAB's program: tile, southern borders, eastern ones, relabelling",
        "cabaret", 8, NOISE, launches, 4, {},
    ),
    "cabaret: two unions for each window across a border": Statement(
        "Cabaret et al. 2017, YACCLAB's program: 15 windows, in each the two labels below are not "
        "the smallest",
        "cabaret", 8, np.ones((32, 16), np.uint8), figure("cabaret_merge_horizontal", "atomics"),
        15 * 2, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_papers_form_does_what_its_source_says(name: str) -> None:
    one = STATEMENTS[name]
    row = ALGORITHMS[one.key]
    found = profile_algorithm(
        one.image, row, one.connectivity, dict(one.parameters), schedule=one.schedule
    ).by_kernel()
    assert one.found(found) == one.expected, one.source


def test_each_variant_of_a_paper_is_held_to_a_statement() -> None:
    held = {one.key for one in STATEMENTS.values()}
    assert {
        row.key
        for row in ALGORITHMS.values()
        if any(parameter.name == "variant" for parameter in row.parameters)
    } <= held


# Row-Col Unify --------------------------------------------------------------------------------

Words = npt.NDArray[np.int64]


def unify_line(line: Words) -> tuple[Words, bool]:
    """Kalentev et al. 2011, Algorithms 2 to 5, word for word; element 0 is the one in front."""
    labels = np.concatenate([[0], line])
    references = np.arange(labels.size)
    again = False
    for i in range(1, labels.size, 2):  # UnifyRowI
        if labels[i] and labels[i + 1] and labels[i] != labels[i + 1]:
            labels[i] = labels[i + 1] = min(labels[i], labels[i + 1])
            again = True
        references[i] = references[i + 1] = i
    group = 2
    while group < line.size:
        for i in range(group, line.size, 2 * group):  # UnifyRowL
            first = references[i]
            if labels[i] and labels[i + 1]:
                labels[first] = min(labels[i], labels[i + 1])
                references[i + 1] = first
                labels[i + 1] = labels[first]
        labels, references = labels[references], references[references]  # Update
        group *= 2
    return labels[1:], again


def as_printed(image: Grid) -> tuple[Words, int]:
    """Algorithm 1: the labels and how many iterations it took."""
    height, width = image.shape
    addresses = np.arange((height + 1) * (width + 1)).reshape(height + 1, width + 1)[1:, 1:]
    labels = np.where(image, addresses, 0)
    iterations, again = 0, True
    while again:
        iterations += 1
        again = False
        for lines in (labels, labels.T):
            for i, line in enumerate(lines):
                lines[i], changed = unify_line(line)
                again |= changed
    return labels, iterations


@pytest.mark.parametrize("density", [0.3, 0.6, 1.0])
def test_row_col_unify_as_printed_is_the_printed_algorithm(density: float) -> None:
    image = noise(16, 32, density)
    recording = ccl.record(
        image,
        "row_col_unify",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
        variant="printed",
    )
    labels, iterations = as_printed(image)
    np.testing.assert_array_equal(recording.labels(-1), labels)
    assert recording.iterations == iterations


@cache
def row_col_unify(variant: str) -> Mapping[str, Profile]:
    row = ALGORITHMS["row_col_unify"]
    return profile_algorithm(LARGE[:64, :64], row, 4, {"variant": variant}).by_kernel()


def test_updates_of_cells_side_by_side_have_few_bank_conflicts() -> None:
    conflict_free = figure("row_col_unify_rows", "conflict_free")
    free = [conflict_free(row_col_unify(each)) for each in ("paper", "consecutive")]
    assert free[0] < 0.6
    assert free[1] > 0.7


def test_reads_through_a_reference_have_bank_conflicts() -> None:
    """Kalentev et al. 2011, section 2.1; the pages about the papers say two cycles a read."""
    source = (KERNELS / "row_col_unify.cu").read_text("utf-8").splitlines()
    reads = {n for n, line in enumerate(source, 1) if "[reference];" in line}
    assert len(reads) == 2
    counts = [
        site.counts
        for kernel in ("row_col_unify_rows", "row_col_unify_columns")
        for launch in row_col_unify("paper")[kernel].launches
        for site in launch.sites
        if site.file == "row_col_unify.cu" and site.line in reads and site.kind is LOADS
    ]
    requests, cycles = (
        sum(getattr(each, name) for each in counts) for name in ("requests", "transactions")
    )
    assert cycles / requests == pytest.approx(2, abs=0.02)


@pytest.mark.parametrize("anticlockwise", [0, 1])
def test_row_col_unify_as_printed_stops_after_two_iterations_on_a_spiral(
    anticlockwise: int,
) -> None:
    image = open_grid(f"pattern:spiral?size=32&anticlockwise={anticlockwise}").grid
    printed, paper = (
        ccl.record(
            image,
            "row_col_unify",
            connectivity=4,
            device="emulator",
            schedule="synchronous",
            variant=each,
        )
        for each in ("printed", "paper")
    )
    assert printed.iterations == 2
    assert printed.verdict is not None
    assert not printed.verdict.correct
    assert paper.iterations == 32 // 2 + 1 + anticlockwise
    assert paper.verdict is not None
    assert paper.verdict.correct
