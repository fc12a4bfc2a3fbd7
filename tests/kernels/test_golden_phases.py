"""The papers' figures of what happens inside one launch, number by number, from the real kernels.

The documents have the figures' captions and the text, not the pictures. Where the text gives
numbers they are here; elsewhere the rules of the text are written down once more, and each phase of
the kernel must give what they give.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage
from support.expected import first_cells
from support.grids import Grid, noise

import ccl_viewer as ccl
from ccl_viewer.diagnostics.phases import (
    LaunchTrace,
    PhaseBoundary,
    PhaseView,
    WarpOperation,
    distances_from_run_start,
    distances_to_run_end,
    trace_launch,
)
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.recording import Recording

SCHEDULES = ("sequential", "synchronous", "reverse", "random:7")
Words = npt.NDArray[np.int64]


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def record(
    image: Grid, key: str, schedule: str, connectivity: int = 4, **parameters: Any
) -> Recording:
    return ccl.record(
        image, key, connectivity=connectivity, device="emulator", schedule=schedule, **parameters
    )


def views(trace: LaunchTrace, block: tuple[int, int, int]) -> list[PhaseView]:
    """The phases of a block from barrier to barrier."""
    return [PhaseView(trace, phase) for phase in trace.phases(PhaseBoundary.BARRIER, block)]


def shared(view: PhaseView, name: str) -> Words:
    (array,) = [one for one in view.shared_arrays() if one.name == name]
    return array.values.astype(np.int64)


def operation(view: PhaseView) -> WarpOperation:
    found = view.operation
    assert found is not None
    return found


# ---------------------------------------------------------------------------------------------
# Kalentev et al. 2011, Figures 2 and 3: the reduction of Row-Col Unify along one row


def unify_pairs(labels: Words, references: Words) -> tuple[Words, Words]:
    """Algorithm 3 as Figure 2 has it; elements count from 1."""
    labels, references = labels.copy(), references.copy()
    for i in range(1, len(labels) - 1, 2):
        pair = labels[i : i + 2]
        if pair.all():
            labels[i : i + 2] = pair.min()
        references[i] = i
        references[i + 1] = i if pair.all() else i + 1
    return labels, references


def unify_groups(labels: Words, references: Words, size: int) -> tuple[Words, Words]:
    """Algorithm 4: each thread joins its group of so many elements at its two central ones."""
    labels, references = labels.copy(), references.copy()
    for i in range(size // 2, len(labels) - 1, size):
        if labels[i] and labels[i + 1]:
            first = references[i]
            labels[first] = labels[i + 1] = min(labels[i], labels[i + 1])
            references[i + 1] = first
    return labels, references


def update(labels: Words, references: Words) -> tuple[Words, Words]:
    """Algorithm 5: each element takes the label and the reference of the one it refers to."""
    return labels[references], references[references]


def state(view: PhaseView, count: int) -> tuple[list[int], list[int]]:
    labels, references = (shared(view, f"shared_{name}") for name in ("labels", "references"))
    return labels[1 : count + 1].tolist(), references[1 : count + 1].tolist()


def check_row(trace: LaunchTrace, row: int, before: Words) -> int:
    """Follow a block through the reduction of its row; return how many steps it took."""
    count = len(before)
    padded = np.zeros(count + count % 2 + 1, np.int64)
    padded[1 : count + 1] = before
    seen = iter(views(trace, (row, 0, 0)))
    labels, references = padded, np.zeros_like(padded)
    assert state(next(seen), count)[0] == labels[1 : count + 1].tolist()
    labels, references = unify_pairs(labels, references)
    assert state(next(seen), count) == (
        labels[1 : count + 1].tolist(),
        references[1 : count + 1].tolist(),
    )
    size, steps = 4, 1
    while size // 2 < count:
        labels, references = unify_groups(labels, references, size)
        expected = labels[1 : count + 1].tolist(), references[1 : count + 1].tolist()
        assert state(next(seen), count) == expected
        labels, references = update(labels, references)
        expected = labels[1 : count + 1].tolist(), references[1 : count + 1].tolist()
        assert state(next(seen), count) == expected
        size, steps = size * 2, steps + 1
    return steps


@pytest.mark.parametrize(("iteration", "density"), [(1, 1.0), (1, 0.8), (2, 0.85), (3, 0.7)])
def test_kalentev_figures_2_and_3(schedule: str, iteration: int, density: float) -> None:
    """Initialisation, first step, and each step of reduction and update, element by element."""
    recording = record(noise(9, 24, density, seed=4), "row_col_unify", schedule)
    (step,) = [
        step.index
        for step in recording.steps
        if step.kernel == "row_col_unify_rows" and step.iteration == iteration
    ]
    trace = trace_launch(recording, step)
    before, after = (recording.labels(index).astype(np.int64) for index in (step - 1, step))
    rows = np.flatnonzero((before != after).any(axis=1))
    assert rows.size
    for row in rows.tolist():
        assert check_row(trace, row, before[row]) == 5  # pairs, then groups of 4, 8, 16 and 32


def test_kalentev_figure_2_references(schedule: str) -> None:
    """The larger index references the smaller one, which references itself; all labels are one."""
    recording = record(np.ones((1, 8), np.uint8), "row_col_unify", schedule)
    first_step = views(trace_launch(recording, 1), (0, 0, 0))[1]
    labels, references = state(first_step, 8)
    assert references == [1, 1, 3, 3, 5, 5, 7, 7]
    assert labels == [10, 10, 12, 12, 14, 14, 16, 16]  # the addresses begin at 9 + 1 in row 1


def test_kalentev_figure_3_three_threads_work_on_groups_of_eight(schedule: str) -> None:
    """In step 3 a thread joins 8 elements at their middle: three threads, of 24 elements."""
    recording = record(np.ones((1, 24), np.uint8), "row_col_unify", schedule)
    reduction, updating = views(trace_launch(recording, 1), (0, 0, 0))[4:6]
    writers = {
        int(event["thread"])
        for event in reduction.trace.events.events[reduction.phase.events]
        if event["kind"] == AccessKind.STORE.value
    }
    assert writers == {0, 1, 2}
    labels, references = state(reduction, 24)
    for group in (0, 8, 16):  # red in the figure: what the threads have changed
        assert references[group : group + 8] == [group + i for i in (1, 1, 1, 1, 1, 5, 5, 5)]
        assert labels[group + 3] == labels[group + 4] == 26 + group
        assert labels[group + 5 : group + 8] == [30 + group] * 3
    labels, references = state(updating, 24)
    assert references == [1] * 8 + [9] * 8 + [17] * 8
    assert labels == [26] * 8 + [34] * 8 + [42] * 8


# ---------------------------------------------------------------------------------------------
# Stava and Benes 2011, Figure 35.7: kernel 1 on a tile in shared memory


def bordered(image: Grid, tile: int, x: int, y: int) -> Grid:
    """A tile and the border of background around it."""
    found = np.zeros((tile + 2, tile + 2), np.uint8)
    part = image[y * tile : (y + 1) * tile, x * tile : (x + 1) * tile]
    found[1 : part.shape[0] + 1, 1 : part.shape[1] + 1] = part
    return found


def rounds_of_kernel_1(segments: Grid, connectivity: int) -> list[tuple[Words, Words]]:
    """Figure 35.8: labels at the begin of each round, and after its hooks (pass 1)."""
    pitch = segments.shape[1]
    steps = [-1, 1, -pitch, pitch]
    if connectivity == 8:
        steps += [-pitch - 1, -pitch + 1, pitch - 1, pitch + 1]
    flat = segments.ravel()
    cells = [y * pitch + x for y in range(1, pitch - 1) for x in range(1, pitch - 1)]
    labels = np.arange(flat.size)
    rounds = []
    while True:
        hooked = labels.copy()
        changed = False
        for cell in cells:
            beside = [labels[cell + step] for step in steps if flat[cell] and flat[cell + step]]
            lowest = min([labels[cell], *beside])
            if lowest < labels[cell]:
                hooked[labels[cell]] = min(hooked[labels[cell]], lowest)
                changed = True
        rounds.append((labels, hooked))
        if not changed:
            return rounds
        while (hooked != hooked[hooked]).any():  # pass 2: findRoot
            hooked = hooked[hooked]
        labels = hooked


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("tile", [4, 7])
def test_stava_benes_figure_35_7(schedule: str, tile: int, connectivity: int) -> None:
    """Each round within a tile: the labels, the hooks by atomicMin, the roots found again."""
    image = noise(13, 18, 0.6, seed=5)
    recording = record(image, "stava_benes", schedule, connectivity, tile=tile)
    for x, y in ((0, 0), (1, 0), (2, 1)):
        trace = trace_launch(recording, 0, (x, y, 0))
        seen = views(trace, (x, y, 0))
        rounds = rounds_of_kernel_1(bordered(image, tile, x, y), connectivity)
        assert len(seen) == 4 * len(rounds) + 1  # four barriers a round
        inside = np.zeros((tile + 2, tile + 2), np.bool_)
        inside[1:-1, 1:-1] = True
        for number, (labels, hooked) in enumerate(rounds):
            for view, expected in (
                (seen[4 * number], labels),  # sLabels is written
                (seen[4 * number + 1], labels),  # all look around
                (seen[4 * number + 2], hooked),  # trees are hooked
                (seen[4 * number + 3], hooked),  # roots are found
            ):
                found = shared(view, "equivalences")[inside.ravel()]
                np.testing.assert_array_equal(found, expected[inside.ravel()])


def test_stava_benes_figure_35_7_on_a_small_tile(schedule: str) -> None:
    """A U in a tile of 3 x 3, by hand: addresses count along a pitch of 5."""
    image = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
    trace = trace_launch(record(image, "stava_benes", schedule, 4, tile=3), 0)
    seen = views(trace, (0, 0, 0))
    inside = np.s_[1:4, 1:4]
    pictures = [shared(view, "equivalences").reshape(5, 5)[inside].tolist() for view in seen]
    assert pictures[0] == [[6, 7, 8], [11, 12, 13], [16, 17, 18]]
    assert pictures[2] == [[6, 7, 8], [6, 12, 8], [11, 16, 13]]
    assert pictures[4] == [[6, 7, 8], [6, 12, 8], [6, 6, 8]]
    assert pictures[6] == [[6, 7, 6], [6, 12, 8], [6, 6, 8]]
    assert pictures[8] == [[6, 7, 6], [6, 12, 6], [6, 6, 6]]
    assert len(seen) == 13  # a third round finds nothing to lower
    segments = [one for one in seen[0].shared_arrays() if one.name == "segments"]
    assert segments[0].columns == 5
    assert seen[-1].labels.tolist() == [[0, -1, 0], [0, -1, 0], [0, 0, 0]]


# ---------------------------------------------------------------------------------------------
# Hennequin et al. 2018, Figures 2, 3 and 4: ballots, distances, segments

MASKS = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.uint8)
"""Every bitmask of 8 bits, as a row of pixels."""


def segments_of(pixels: list[int]) -> dict[int, int]:
    """The length of each segment by its start."""
    found: dict[int, int] = {}
    start = 0
    for x, pixel in enumerate(pixels):
        if pixel and (x == 0 or not pixels[x - 1]):
            start = x
        if pixel:
            found[start] = found.get(start, 0) + 1
    return found


def warps_of_rows(trace: LaunchTrace, rows: int) -> list[tuple[int, list[PhaseView]]]:
    """Return the phases of the warp of each row of the grid."""
    found = []
    for row in range(rows):
        phases = trace.phases(PhaseBoundary.WARP, (0, row // 4, 0), row % 4)
        found.append((row, [PhaseView(trace, phase) for phase in phases]))
    return found


def test_hennequin_figure_2_start_distance() -> None:
    """Of every mask of 8 bits: the ballot's bits, and how far each set pixel's start is."""
    trace = trace_launch(record(MASKS, "ha4", "sequential"), 2)
    for mask, (ballot, shuffle, _) in warps_of_rows(trace, 256):
        pixels = MASKS[mask].tolist()
        assert operation(ballot).gets == (mask,) * 32
        assert operation(ballot).brings[:8] == tuple(pixels)
        starts = [start for start, length in segments_of(pixels).items() for _ in range(length)]
        set_pixels = [x for x in range(8) if pixels[x]]
        sources = operation(shuffle).sources
        assert [sources[x] for x in set_pixels] == starts
        # "for the start of the segment start_distance is always equal to zero"
        assert [sources[start] for start in starts] == starts
        distances = distances_from_run_start(mask)
        assert [at - (distances[at] or 0) for at in set_pixels] == starts


def test_hennequin_figure_2_end_distance() -> None:
    """ "end_distance is always equal to the number of pixels in the segment", at its start."""
    recording = record(MASKS, "ha4_features", "sequential")
    (step,) = [step.index for step in recording.steps if step.kernel == "ha4_features"]
    trace = trace_launch(recording, step)
    log = trace.events.events
    (count,) = [i for i, one in enumerate(trace.events.buffers) if one.buffer.name == "count"]
    added = log[(log["kind"] == AccessKind.ATOMIC.value) & (log["buffer"] == count)]
    rows = added["block"].astype(int) * 4 + added["thread"] // 32
    lengths = (added["value"] - added["before"]).astype(int)
    found = {
        (row, start): length
        for row, start, length in zip(
            rows.tolist(), (added["thread"] % 32).tolist(), lengths.tolist(), strict=True
        )
    }
    expected = {
        (mask, start): length
        for mask in range(256)
        for start, length in segments_of(MASKS[mask].tolist()).items()
    }
    assert found == expected
    assert all(
        distances_to_run_end(mask)[start] == length for (mask, start), length in found.items()
    )


def test_hennequin_figure_3_a_segment_reaches_back_over_blocks(schedule: str) -> None:
    """The figure's blocks are 8 wide and the width is 40; here they are 32 wide: all is fourfold.

    "The equivalence of node 56 to node 40 is detected because distance_y is not 0 and
    56 - 16 = 40": node 224 to node 160, because 224 - 64 = 160.
    """
    image = np.zeros((2, 160), np.uint8)
    image[1, :80] = 1  # the segment that begins at node 160 and reaches into the third block
    image[0, 8:24] = image[0, 70:90] = 1
    trace = trace_launch(record(image, "ha4", schedule), 0, (0, 0, 0))
    phases = trace.phases(PhaseBoundary.WARP, (0, 0, 0), 1)
    assert len(phases) == 160 // 32 + 1
    fourth = PhaseView(trace, phases[3])  # up to the ballot of the fourth block
    write = next(
        access
        for access in trace.thread_accesses((0, 0, 0), 32)
        if access.moment <= fourth.phase.events[-1]
        and access.memory == "labels"
        and access.kind is AccessKind.STORE
        and access.index == 224
    )
    assert (write.value, write.cell) == (160, (64, 1))
    before_merges = views(trace, (0, 0, 0))
    # (a): the starts have their linear addresses once each block's first barrier is passed
    starts = {8: 8, 70: 70, 160: 160, 192: 160, 224: 160}
    done = [before_merges[0], before_merges[2], before_merges[4]]
    assert done[0].labels.flat[8] == 8
    assert done[0].labels.flat[160] == 160
    assert done[1].labels.flat[192] in (160, 8)
    assert done[2].labels.flat[70] == 70
    # (b) and (c): lanes that see a start in one of the lines merge; node 160 is then below node 8
    last = before_merges[-1].labels.ravel()
    assert sorted(np.flatnonzero(last >= 0).tolist()) == sorted(starts)
    roots = {node: root_of(last, node) for node in starts}
    assert roots == dict.fromkeys(starts, 8)


def root_of(labels: npt.NDArray[np.int32], node: int) -> int:
    while labels[node] != node:
        node = int(labels[node])
    return node


FIGURE_4 = np.array(
    [
        [character == "#" for character in row]
        for row in (
            "##.#.###",
            ".#.#.#..",
            ".###.###",
            ".......#",
            "###.#..#",
            "..#.#.##",
            "#.###.#.",
            "#.....##",
        )
    ],
    np.uint8,
)
"""8 x 8 pixels in two strips of height 4."""


def test_hennequin_figure_4(schedule: str) -> None:
    """(a) starts, (b) the strips, (d) the merge of both, (f) each start hands its root on."""
    recording = record(FIGURE_4, "ha4", schedule)
    starts = np.flatnonzero(FIGURE_4 & ~np.pad(FIGURE_4, ((0, 0), (1, 0)))[:, :-1] & 1)
    labelling = trace_launch(recording, 0)
    for strip in (0, 1):
        stored = {}
        first, *_ = views(labelling, (0, strip, 0))
        for moment in first.phase.events.tolist():
            if labelling.events.events["kind"][moment] != AccessKind.STORE.value:
                continue
            access = labelling.access_at(moment)
            if access.memory == "labels":
                stored[access.index] = access.value
        mine = [int(node) for node in starts if node // 32 == strip]
        assert stored == {node: node for node in mine}  # (a)
    labels = recording.labels(0).ravel()  # (b)
    assert np.flatnonzero(labels >= 0).tolist() == starts.tolist()
    for strip in (0, 1):
        components, count = ndimage.label(FIGURE_4[strip * 4 : strip * 4 + 4])
        mine = [int(node) for node in starts if node // 32 == strip]
        roots = {node: root_of(labels, node) for node in mine}
        assert len(set(roots.values())) == count
        assert all(
            components.flat[root - strip * 32] == components.flat[node - strip * 32]
            for node, root in roots.items()
        )
    merged = recording.labels(1).ravel()  # (d)
    expected = first_cells(FIGURE_4, 4)
    assert [root_of(merged, int(node)) for node in starts] == expected.flat[starts].tolist()
    trace = trace_launch(recording, 2)  # (f)
    for row, (_, shuffle, _) in warps_of_rows(trace, 8):
        got = operation(shuffle).gets
        for x in np.flatnonzero(FIGURE_4[row]):
            assert got[x] == expected[row, x]
    np.testing.assert_array_equal(recording.labels(2), expected)
