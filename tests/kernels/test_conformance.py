"""What CUDA promises of threads, blocks and warps, on every device and schedule."""

from __future__ import annotations

import numpy as np
import pytest
from support.kernel_runner import MakeRunner, Values, image_of, out

from ccl_viewer.execution.device import Device

ALL = 0xFFFFFFFF
BLOCKS = (1, 2, 31, 32, 33, 64, 100, 256, 1024)


def popcount(word: int) -> int:
    return word.bit_count()


def existing_lanes(thread: int, block: int) -> int:
    """The lanes of a thread's warp that the block has, as a mask."""
    lanes = min(32, block - thread // 32 * 32)
    return ALL >> (32 - lanes)


# Built-in variables and parameters ----------------------------------------------------------


def test_indices_and_dimensions(make_runner: MakeRunner) -> None:
    grid, block = (3, 2, 2), (5, 3, 2)
    written, sizes = out(12 * 30, np.uint32), out(6, np.uint32)
    (values,) = make_runner("indices").run("indices_write", grid, block, written)
    (dimensions,) = make_runner("indices").run("indices_dimensions", grid, block, sizes)
    expected = [
        ((bx * 10 + by) * 10 + bz) * 1_000_000 + ((tx * 10 + ty) * 10 + tz) * 100 + 32
        for bz in range(2)
        for by in range(2)
        for bx in range(3)
        for tz in range(2)
        for ty in range(3)
        for tx in range(5)
    ]
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(dimensions, [*grid, *block])


def test_threads_may_wait_after_others_of_their_block_have_ended(make_runner: MakeRunner) -> None:
    """The emulator runs threads in a loop until one waits; the others must keep their state."""
    blocks, block = 3, (8, 4, 4)
    (values,) = make_runner("indices").run(
        "indices_late", blocks, block, out(blocks * 128, np.uint32)
    )
    threads = np.arange(128)
    met = np.where(threads >= 96, 0xAAAAAAAA, 0)
    expected = [met ^ (number * 1000 + threads) for number in range(blocks)]
    np.testing.assert_array_equal(values, np.concatenate(expected))


def test_parameters_of_every_size(make_runner: MakeRunner) -> None:
    (values,) = make_runner("indices").run(
        "indices_parameters",
        1,
        1,
        np.int32(-7),
        np.uint32(0xFFFFFFFE),
        np.int64(-(2**40)),
        np.uint64(2**41),
        out(4, np.int64),
    )
    np.testing.assert_array_equal(values, [-7, 0xFFFFFFFE, -(2**40), 2**41])


# Barriers and shared memory -----------------------------------------------------------------


@pytest.mark.parametrize("block", BLOCKS)
def test_barriers_order_shared_memory(make_runner: MakeRunner, block: int) -> None:
    rounds = 3
    (values,) = make_runner("barriers").run(
        "barriers_mirror", 5, block, out(5 * block), np.int32(rounds)
    )
    mirrored = np.arange(5 * block).reshape(5, block)[:, ::-1] + rounds
    np.testing.assert_array_equal(values, mirrored.ravel())


@pytest.mark.parametrize("block", [1, 33, 300])
def test_dynamic_shared_memory(make_runner: MakeRunner, block: int) -> None:
    (values,) = make_runner("barriers").run(
        "barriers_dynamic", 4, block, out(4 * block), shared_bytes=4 * block
    )
    expected = 1000 * np.arange(4)[:, None] + (np.arange(block) + 1) % block
    np.testing.assert_array_equal(values, expected.ravel())


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("bound", [0, 1, 40, 2000])
def test_votes_of_a_block(make_runner: MakeRunner, block: int, bound: int) -> None:
    (values,) = make_runner("barriers").run(
        "barriers_votes", 2, block, out(6 * block), np.int32(bound)
    )
    expected = [min(bound, block), bound > 0, bound >= block]
    np.testing.assert_array_equal(values.reshape(-1, 3), np.tile(expected, (2 * block, 1)))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_barrier_in_a_loop(make_runner: MakeRunner, block: int) -> None:
    (values,) = make_runner("barriers").run("barriers_sum", 3, block, out(3))
    np.testing.assert_array_equal(values, [block * (block + 1) // 2] * 3)


def test_shared_memory_of_a_device_function(make_runner: MakeRunner) -> None:
    (values,) = make_runner("barriers").run("barriers_in_function", 9, 64, out(9 * 64))
    np.testing.assert_array_equal(values, np.repeat(np.arange(9) + 7, 64))


# Warps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 31, 32, 50, 128])
@pytest.mark.parametrize("wanted", [0, 1, 0x80000000, 0x0F0F1234, ALL])
def test_votes_of_a_warp(make_runner: MakeRunner, block: int, wanted: int) -> None:
    (values,) = make_runner("warps").run(
        "warps_votes", 2, block, out(6 * block, np.uint32), np.uint32(wanted)
    )
    masks = [existing_lanes(thread, block) for thread in range(block)]
    expected = [[wanted & mask, wanted & mask != 0, wanted & mask == mask] for mask in masks]
    np.testing.assert_array_equal(values.reshape(2, block, 3), [expected, expected])


@pytest.mark.parametrize("mask", [1, 0x0000FFFF, 0x55555555, 0xFFFFFFFE])
def test_each_side_of_a_branch_votes_for_itself(make_runner: MakeRunner, mask: int) -> None:
    (values,) = make_runner("warps").run(
        "warps_divergent", 3, 64, out(192, np.uint32), np.uint32(mask)
    )
    even = sum(1 << lane for lane in range(0, 32, 2)) & mask
    third = sum(1 << lane for lane in range(0, 32, 3)) & ~mask & ALL
    expected = [even if mask >> lane & 1 else third for lane in range(32)]
    np.testing.assert_array_equal(values, expected * 6)


def test_lanes_that_leave_a_loop_are_not_named(make_runner: MakeRunner) -> None:
    (values,) = make_runner("warps").run("warps_shrinking", 2, 64, out(128, np.uint32))
    odd = 0xAAAAAAAA
    votes = [popcount(odd & (ALL << i) & ALL) for i in range(32)]
    np.testing.assert_array_equal(values, list(np.cumsum(votes)) * 4)


def shuffled(lane: int, distance: int, width: int) -> list[int]:
    """The lanes that the four shuffles read, as the CUDA guide defines them."""
    first = lane // width * width
    last = first + width - 1
    up, down, across = lane - distance, lane + distance, lane ^ distance
    return [
        first + (lane + distance) % width,
        up if up >= first else lane,
        down if down <= last else lane,
        across if across <= last else lane,
    ]


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("distance", [0, 1, 3, 16, 31])
def test_shuffles(make_runner: MakeRunner, distance: int, width: int) -> None:
    (values,) = make_runner("warps").run(
        "warps_shuffles", 1, 64, out(256), np.int32(distance), np.int32(width)
    )
    expected = 100 + np.array([shuffled(lane, distance, width) for lane in range(32)])
    np.testing.assert_array_equal(values.reshape(2, 32, 4), [expected, expected])


def test_shuffles_of_every_type(make_runner: MakeRunner) -> None:
    (values,) = make_runner("warps").run("warps_types", 1, 64, out(64))
    np.testing.assert_array_equal(values, [9] * 64)


def test_matches(make_runner: MakeRunner) -> None:
    (values,) = make_runner("warps").run("warps_match", 2, 32, out(128, np.uint32))
    expected = [
        [
            sum(1 << other for other in range(32) if other // 5 == lane // 5),
            sum(1 << other for other in range(32) if other % 3 == lane % 3),
        ]
        for lane in range(32)
    ]
    np.testing.assert_array_equal(values.reshape(2, 32, 2), [expected, expected])


@pytest.mark.parametrize("mask", [0x00FF00FF, 0x80000001])
def test_a_match_among_some_lanes(make_runner: MakeRunner, mask: int) -> None:
    (values,) = make_runner("warps").run(
        "warps_match_part", 1, 32, out(32, np.uint32), np.uint32(mask)
    )
    fourth = [sum(1 << other for other in range(rest, 32, 4)) & mask for rest in range(4)]
    expected = [fourth[lane % 4] if mask >> lane & 1 else 0 for lane in range(32)]
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("bound", [1, 7, 32])
def test_activemask(make_runner: MakeRunner, bound: int) -> None:
    (values,) = make_runner("warps").run(
        "warps_active", 2, 64, out(256, np.uint32), np.int32(bound)
    )
    branch = (1 << bound) - 1
    expected = [[ALL, branch if lane < bound else 0] for lane in range(32)]
    np.testing.assert_array_equal(values.reshape(4, 32, 2), [expected] * 4)


def test_syncwarp_orders_shared_memory(make_runner: MakeRunner) -> None:
    (values,) = make_runner("warps").run("warps_rotate", 2, 128, out(256), np.int32(5))
    warps = np.arange(128).reshape(4, 32)
    np.testing.assert_array_equal(values, np.tile(np.roll(warps, -5, axis=1).ravel(), 2))


def test_syncwarp_of_half_a_warp(make_runner: MakeRunner) -> None:
    (values,) = make_runner("warps").run("warps_sync_part", 2, 32, out(64))
    np.testing.assert_array_equal(values, [*range(15, -1, -1), *range(16, 32)] * 2)


# Bits ---------------------------------------------------------------------------------------

WORDS = np.array(
    [0, 1, 2, 3, 0x80000000, 0x7FFFFFFF, ALL, 0x0F0F0F0F, 0x12345678, 0x00010000], np.uint32
)


def bit_facts(word: int, bits: int) -> list[int]:
    lowest = (word & -word).bit_length()
    mirrored = int(format(word, f"0{bits}b")[::-1], 2)
    return [popcount(word), bits - word.bit_length(), lowest, mirrored]


def test_bits_of_32(make_runner: MakeRunner) -> None:
    count = np.int32(WORDS.size)
    (values,) = make_runner("bits").run("bits_32", 1, 32, out(4 * WORDS.size), count, values=WORDS)
    expected = np.array([bit_facts(int(word), 32) for word in WORDS], np.uint32)
    np.testing.assert_array_equal(values.view(np.uint32).reshape(-1, 4), expected)


def test_bits_of_64(make_runner: MakeRunner) -> None:
    words = np.concatenate([WORDS.astype(np.uint64), WORDS.astype(np.uint64) << np.uint64(31)])
    (values,) = make_runner("bits").run(
        "bits_64", 1, 32, out(4 * words.size, np.int64), np.int32(words.size), values=words
    )
    expected = np.array([bit_facts(int(word), 64) for word in words], np.uint64)
    np.testing.assert_array_equal(values.view(np.uint64).reshape(-1, 4), expected)


def permuted(low: int, high: int, selector: int) -> int:
    data = (high << 32 | low).to_bytes(8, "little")
    return int.from_bytes(bytes(data[selector >> 4 * i & 7] for i in range(4)), "little")


def test_funnel_shifts_and_byte_permutations(make_runner: MakeRunner) -> None:
    words = np.resize(WORDS, 40)
    (values,) = make_runner("bits").run(
        "bits_pairs", 1, 64, out(5 * words.size, np.uint32), np.int32(words.size), values=words
    )
    expected = []
    for i, word in enumerate(words):
        low, high = int(word), int(words[(i + 1) % words.size])
        pair, by, clamped = high << 32 | low, i % 32, min(i, 32)
        expected.append(
            [
                (pair << by) >> 32 & ALL,
                pair >> by & ALL,
                (pair << clamped) >> 32 & ALL,
                pair >> clamped & ALL,
                permuted(low, high, i * 0x1234567 & ALL),
            ]
        )
    np.testing.assert_array_equal(values.reshape(-1, 5), expected)


def test_bits_as_other_types(make_runner: MakeRunner) -> None:
    (values,) = make_runner("bits").run("bits_casts", 1, 1, out(4))
    np.testing.assert_array_equal(values, [1, 1, 1, 1])


# Atomics ------------------------------------------------------------------------------------

NUMBERS = (np.int32, np.uint32, np.uint64)


def atomics_expected(threads: int) -> list[int]:
    cleared = [bit for bit in range(31) if bit < threads]
    mask = sum(1 << bit for bit in cleared)
    xor = 0
    for thread in range(threads):
        xor ^= thread
    return [3 * threads, 5, threads + 4, mask, xor, 2 * threads, threads * (threads - 1) // 2]


def atomics_facts(cells: Values, all_ones: int) -> list[int]:
    """The cells in a form that does not depend on the order of the threads."""
    values = [int(value) for value in cells]
    assert all_ones & ~values[3] == values[4]
    return [*values[:3], values[4], values[5], values[6], values[7] + values[8]]


def atomics_cells(dtype: type, blocks: int) -> tuple[Values, int]:
    largest = int(np.iinfo(dtype).max)
    return np.tile(np.array([0, largest, 0, largest, 0, 0, 0, 0, 0], dtype), blocks), largest


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("kernel", ["atomics_global", "atomics_shared"])
def test_atomics(make_runner: MakeRunner, kernel: str, number: int) -> None:
    dtype = NUMBERS[number]
    blocks, block = 4, 96
    parts = blocks if kernel == "atomics_shared" else 1
    cells, largest = atomics_cells(dtype, parts)
    macros = (("TYPE", number),)
    values = make_runner("atomics").run_in_place(kernel, blocks, block, cells, macros)
    threads = block if kernel == "atomics_shared" else blocks * block
    for part in values.reshape(parts, 9):
        assert atomics_facts(part, largest) == atomics_expected(threads)


@pytest.mark.parametrize("number", range(3))
def test_atomics_return_what_was_there(make_runner: MakeRunner, number: int) -> None:
    counter, drawn = out(1, NUMBERS[number], name="counter"), out(500)
    count, draws = make_runner("atomics").run(
        "atomics_tickets", 5, 100, counter, drawn, macros=(("TYPE", number),)
    )
    assert int(count[0]) == 500
    np.testing.assert_array_equal(draws, [1] * 500)


@pytest.mark.parametrize("begin", [5, 20])
def test_other_atomics(make_runner: MakeRunner, begin: int) -> None:
    words, sums = out(4, np.uint32, fill=begin), out(1, np.float32, name="sums")
    values, total = make_runner("atomics").run("atomics_others", 2, 50, words, sums)
    inc, dec = begin, begin
    for _ in range(100):
        inc = 0 if inc >= 9 else inc + 1
        dec = 3 if dec == 0 or dec > 3 else dec - 1
    expected = np.array([begin - 200, inc, dec, begin - 200], np.int64).astype(np.uint32)
    np.testing.assert_array_equal(values, expected)
    assert total[0] == np.float32(50)


def test_the_last_block_sees_what_all_have_left(make_runner: MakeRunner) -> None:
    parts, counter, total = out(40, name="parts"), out(1, np.uint32, name="counter"), out(1)
    *_, sums = make_runner("atomics").run("atomics_last_block", 40, 33, parts, counter, total)
    assert sums[0] == 40 * 41 // 2


# The language -------------------------------------------------------------------------------


def test_mathematical_functions(make_runner: MakeRunner) -> None:
    (values,) = make_runner("language").run("language_mathematics", 1, 32, out(160, np.float32))
    t = np.arange(32)
    a, b = t / 4, t / 3
    expected = [
        np.sqrt(a) + np.sqrt(b),
        np.floor(a) + np.floor(b) + np.trunc(-a),
        np.ceil(a) + np.ceil(b),
        a + b,
        np.minimum(a, 2) + np.maximum(b, 2),
    ]
    np.testing.assert_allclose(values.reshape(32, 5).T, expected, rtol=1e-6)


def test_vector_types(make_runner: MakeRunner) -> None:
    (values,) = make_runner("language").run("language_vectors", 1, 1, out(10))
    np.testing.assert_array_equal(values, [1, 1, 1, 1, 1, 1, 4321, 765, 282, 311])


def test_whole_vectors_are_loaded_and_stored(make_runner: MakeRunner) -> None:
    words = np.arange(64 * 4, dtype=np.uint32)
    (values,) = make_runner("language").run(
        "language_vector_copy", 1, 64, out(words.size, np.uint32), values=words
    )
    np.testing.assert_array_equal(values.reshape(-1, 4), words.reshape(-1, 4)[:, ::-1])


def test_minima_and_maxima(make_runner: MakeRunner) -> None:
    (values,) = make_runner("language").run("language_extremes", 1, 1, out(9, np.int64))
    np.testing.assert_array_equal(values, [-1, 1, 3, 2**31, -5, 2**40, 25, 50, 7])


def test_read_only_loads(make_runner: MakeRunner) -> None:
    pixels = np.arange(100, dtype=np.uint8) * 2
    (values,) = make_runner("language").run("language_load", 1, 100, out(100), values=pixels)
    np.testing.assert_array_equal(values, pixels)


@pytest.mark.parametrize("factor", [2, 5])
def test_macros_includes_and_constants(make_runner: MakeRunner, factor: int) -> None:
    (values,) = make_runner("language").run(
        "language_helpers", 1, 16, out(16), macros=(("FACTOR", factor),)
    )
    primes = np.array([2, 3, 5, 7, 11, 13, 17, 19])
    np.testing.assert_array_equal(values, np.tile(primes, 2) * 2 * factor)


def test_loops(make_runner: MakeRunner) -> None:
    (values,) = make_runner("language").run("language_loops", 1, 1, out(2))
    skipping = 0 + 1 + 2 + 4 + 5 + 6
    np.testing.assert_array_equal(values, [skipping + 2200 + 30_000 + 300_000, 11])


def test_functions_without_a_header(make_runner: MakeRunner) -> None:
    (values,) = make_runner("language").run("language_functions", 1, 32, out(7))
    np.testing.assert_array_equal(values, [32, 1, 5, 7, 3 + 2 + 2, 5, 6])


def test_local_arrays(make_runner: MakeRunner) -> None:
    (values,) = make_runner("language").run("language_local", 1, 100, out(100))
    np.testing.assert_array_equal(values, np.arange(100) * (63 * 64 // 2))


def test_a_read_returns_what_was_fetched_and_then_what_is_there(device: Device) -> None:
    values = out(3, name="values")
    image, pixels = image_of(np.zeros(1, np.uint8))
    with device.open(image, pixels) as run:
        run.allocate(values)
        run.fill(values, 7)
        run.start_read(values)
        run.fill(values, 8)
        assert run.read(values).tolist() == [7, 7, 7]
        assert run.read(values).tolist() == [8, 8, 8]
        run.start_read(values)
