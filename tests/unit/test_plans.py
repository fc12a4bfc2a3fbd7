"""The host sides of the algorithms, played against a script: no device, no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pytest
from support.scripted_run import ScriptedRun

from ccl_viewer.algorithms import ALGORITHMS, find_algorithm
from ccl_viewer.algorithms.consecutive import number_components
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.execution.device import DeviceRun, Elapsed
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, LabelLayout, Launch, Outcome, ParameterValue, Task
from ccl_viewer.render.geometry import buffer_window
from ccl_viewer.support.cancellation import CancelToken

NONE: Final[Mapping[str, int | None]] = MappingProxyType({})


def task(
    key: str, shape: tuple[int, int] = (5, 70), parameters: Mapping[str, int | None] = NONE
) -> Task:
    row = find_algorithm(key)
    image = Buffer("image", shape, np.dtype(np.uint8))
    return Task(image, row.connectivities[0], row.complete(parameters))


def play(key: str, flags: list[int], **parameters: int | None) -> tuple[ScriptedRun, Outcome]:
    run = ScriptedRun(flags)
    outcome = execute(find_algorithm(key).planner(task(key, parameters=parameters)), run)
    return run, outcome


def test_label_equivalence_loops_until_the_flag_stays_down() -> None:
    run, outcome = play("label_equivalence", [1, 0])
    iteration = [
        "fill is_not_done 0",
        "launch label_equivalence_scanning",
        "fetch is_not_done",
        "launch label_equivalence_analysis",
        "read is_not_done",
    ]
    assert run.log == [
        "allocate labels",
        "allocate is_not_done",
        "launch label_equivalence_init",
        *iteration,
        *iteration,
    ]
    assert outcome.iterations == 2
    assert outcome.converged
    assert [launch.iteration for launch in run.launches] == [None, 1, 1, 2, 2]


def test_ha4_covers_every_row_and_border_once() -> None:
    run, _ = play("ha4", [])
    strips, merge, relabel = run.launches
    assert strips.grid == (1, 2, 1)  # five rows are two strips of four
    assert merge.grid == (3, 1, 1)  # one border, 70 columns are three warps
    assert relabel.grid == (3, 2, 1)
    assert all(launch.block == (32, 4, 1) for launch in run.launches)


@pytest.mark.parametrize(
    ("flags", "passes", "converged", "done"),
    [([1, 1, 0], None, True, 3), ([1], 2, False, 2), ([0], 4, True, 4)],
)
def test_shibata_makes_the_passes_that_are_fixed_or_stops_at_convergence(
    flags: list[int], passes: int | None, converged: bool, done: int
) -> None:
    """With fixed passes the last alone has the flag, as the article's kernels have none."""
    run, outcome = play("shibata_fast", flags, passes=passes)
    assert run.log.count("read changed") == len(flags)
    assert outcome.converged is converged
    assert outcome.iterations == done
    assert len(run.launches) == 1 + done


@pytest.mark.parametrize("key", ALGORITHMS)
def test_exactly_one_buffer_holds_the_labels(key: str) -> None:
    run, outcome = play(key, [0])
    holders = {
        argument
        for launch in run.launches
        for argument in launch.arguments
        if isinstance(argument, Buffer) and argument.layout is not None and argument.layer is None
    }
    assert holders == {outcome.labels}
    assert outcome.labels.layout is not None
    left, top, right, bottom = buffer_window(outcome.labels.layout)
    assert outcome.labels.shape == (bottom - top, right - left), "no padding that there is not"


def test_consecutive_numbers_need_four_launches_and_return_the_count() -> None:
    layout = LabelLayout(5, 70, pitch=70, background=-1)
    labels = Buffer("labels", (5, 70), np.dtype(np.int32), layout=layout)
    run = ScriptedRun([42])
    numbers, count = execute(number_components(labels), run)
    assert count == 42
    assert numbers.shape == (5, 70)
    assert len(run.launches) == 4


def test_a_cancelled_token_stops_the_plan_and_closes_it() -> None:
    token = CancelToken()
    run = ScriptedRun([1] * 100)
    plan = find_algorithm("label_equivalence").planner(task("label_equivalence"))

    class CancelAtThird:
        def launched(self, launch: Launch, elapsed: Elapsed, run: DeviceRun) -> None:
            if launch.iteration == 2:
                token.cancel()

    with pytest.raises(CancelledError):
        execute(plan, run, observer=CancelAtThird(), cancel=token)
    assert len(run.launches) == 4
    with pytest.raises(StopIteration):
        plan.send(None)


def test_unknown_algorithms_are_answered_with_a_near_miss() -> None:
    with pytest.raises(InputError, match="did you mean label_equivalence"):
        find_algorithm("label_equivalance")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"passes": 0}, "from 1 to"),
        ({"passes": True}, "whole number"),
        ({"jumps": 99}, "from 1 to 16"),
        ({"jumps": "four"}, "whole number, not four"),
        ({"speed": 3}, "no parameter speed"),
    ],
)
def test_wrong_parameters_are_refused(given: Mapping[str, ParameterValue], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_algorithm("shibata_fast").complete(given)


@pytest.mark.parametrize("value", [1, 3, None, "papers"])
def test_choices_are_asked_for_by_name(value: ParameterValue) -> None:
    with pytest.raises(InputError, match="variant must be paper or printed or shared, not "):
        find_algorithm("ha4").complete({"variant": value})


def test_the_papers_variant_is_the_default_and_never_wrong() -> None:
    for row in ALGORITHMS.values():
        for parameter in row.parameters:
            if parameter.name == "variant":
                paper = parameter.choices[0]
                assert paper.name == "paper"
                assert parameter.default == "paper"
                assert not paper.fault
                for choice in parameter.choices:
                    assert ("printed" in choice.name) is bool(choice.fault)
                    assert ("wrong" in choice.title) is bool(choice.fault)


def test_parameters_not_given_have_their_defaults() -> None:
    assert find_algorithm("ha4").complete({"variant": "printed"}) == {
        "strip_height": 4,
        "variant": "printed",
    }
    assert find_algorithm("shibata_fast").complete({})["passes"] is None


def test_a_connectivity_that_an_algorithm_lacks_is_refused() -> None:
    with pytest.raises(InputError, match="HA4 labels with connectivity 4"):
        find_algorithm("ha4").resolve_connectivity(8)


@pytest.mark.parametrize("given", [4.0, np.float32(4), "4", [4]])
def test_a_connectivity_that_is_no_integer_is_refused(given: Any) -> None:
    """It becomes a macro, and `#if CONNECTIVITY == 8` compiles with no 4.0."""
    for key in ("ha4", "label_equivalence"):
        with pytest.raises(InputError, match="labels with connectivity 4"):
            find_algorithm(key).resolve_connectivity(given)


def test_a_numpy_integer_is_a_connectivity() -> None:
    connectivity = find_algorithm("label_equivalence").resolve_connectivity(np.int64(8))
    assert type(connectivity) is int
    assert connectivity == 8


@pytest.mark.parametrize("key", ["label_equivalence", "row_col_unify"])
def test_a_grid_whose_padding_overflows_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="pads"):
        execute(
            find_algorithm(key).planner(task(key, (1, 2**30))),
            ScriptedRun(),
        )


def test_a_parameter_without_a_value_is_not_taken_for_a_number() -> None:
    assert task("two_pass", (3, 4), {"rows": 2}).parameter("rows") == 2
    with pytest.raises(TypeError, match="rows"):
        task("two_pass", (3, 4)).parameter("rows")


@pytest.mark.parametrize("key", ["label_equivalence_hawick", "label_equivalence_sizes"])
def test_arrays_beside_the_labels_are_layers(key: str) -> None:
    run, _ = play(key, [0])
    layers = {
        argument.layer
        for launch in run.launches
        for argument in launch.arguments
        if isinstance(argument, Buffer) and argument.layer is not None
    }
    assert layers == {"references" if key.endswith("hawick") else "sizes"}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (4 * 65_535, (1, 65_535, 1)),
        (4 * 65_535 + 1, (1, 32_768, 2)),
        (4 * 3 * 65_535, (1, 65_535, 3)),
    ],
)
def test_rows_of_blocks_are_folded_where_cuda_cannot_count_them(
    rows: int, expected: tuple[int, int, int]
) -> None:
    run = ScriptedRun()
    execute(find_algorithm("ha4").planner(task("ha4", (rows, 1))), run)
    assert run.launches[0].grid == expected


def test_a_numpy_integer_is_a_whole_number() -> None:
    jumps = next(p for p in find_algorithm("shibata_fast").parameters if p.name == "jumps")
    six: Any = np.int64(6)
    assert type(jumps.resolve(six)) is int
