"""What a step did, counted and said in words, for the steps of every algorithm."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pytest
from support.oracle import wrong_cells
from support.recordings import played

from ccl_viewer import record
from ccl_viewer.algorithms import ALGORITHMS, Algorithm
from ccl_viewer.errors import CancelledError
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import find_hooked_roots
from ccl_viewer.render.facts import FactCounter, Facts, explain, explain_briefly, facts_at
from ccl_viewer.support.cancellation import CancelToken

EMPTY = "The grid has no foreground, so there is nothing to label."
NUMBER = re.compile(r"\d[\d,]*")


def noise(height: int = 21, width: int = 33) -> npt.NDArray[np.uint8]:
    return (np.random.default_rng(5).random((height, width)) < 0.6).astype(np.uint8)


@pytest.fixture(scope="module", params=list(ALGORITHMS))
def run(request: pytest.FixtureRequest) -> Recording:
    """A run of every algorithm."""
    row = ALGORITHMS[request.param]
    return record(noise(), algorithm=row.key, connectivity=row.connectivities[0])


def test_facts_agree_with_the_arrays(run: Recording) -> None:
    before = np.full(run.image.shape, run.layout.background, np.int32)
    own = np.arange(run.image.size).reshape(run.image.shape)
    for step in run.steps:
        labels, facts = run.labels(step.index), facts_at(run, step.index)
        parents = run.parents(step.index)
        is_root = (parents == own) & (run.image != 0)
        named = parents[(run.image != 0) & (parents >= 0)]
        assert facts.changed == step.changed
        assert facts.roots == step.roots
        assert facts.first == np.count_nonzero(
            (before != labels) & (before == run.layout.background)
        )
        assert facts.hooked == find_hooked_roots(run, step.index).size
        assert facts.roots_before - facts.hooked + facts.made == facts.roots
        assert facts.indirect == np.count_nonzero(~is_root.ravel()[named])
        assert facts.wrong == wrong_cells(run, step.index)
        bare = (run.image != 0) & (parents < 0)
        assert facts.unlabelled == np.count_nonzero(bare)
        assert facts.waiting == np.count_nonzero(bare & (run.parents(-1) >= 0))
        before = labels


def test_every_number_in_the_text_is_one_of_the_facts(run: Recording) -> None:
    for step in run.steps:
        facts = facts_at(run, step.index)
        known = {
            facts.first,
            facts.smaller,
            facts.larger,
            facts.lost,
            facts.roots,
            facts.roots_before,
            facts.hooked,
            facts.made,
            facts.indirect,
            facts.wrong,
            facts.unlabelled,
            facts.waiting,
            *(count for _, count in facts.layers),
        }
        text = explain(facts)
        assert {int(found.replace(",", "")) for found in NUMBER.findall(text)} <= known
        assert text.count(".") <= 2
        assert text.endswith(".")
        assert ("No label changed" in text) == (step.changed == 0)
        assert ("joined to" in text) == (facts.hooked > 0)


def test_a_wrong_run_is_measured_by_the_root_of_each_component_s_first_cell() -> None:
    image = np.array([[1, 1, 1, 0, 1, 1, 1]], np.uint8)
    run = played(image, [[0, 1, 2, -1, 4, 5, -1], [0, 0, 2, -1, 5, 5, -1]])
    assert [facts_at(run, index).wrong for index in (0, 1)] == [4, 2]


def test_the_last_step_leaves_nothing_wrong(run: Recording) -> None:
    facts = facts_at(run, len(run) - 1)
    assert facts.roots == facts.components
    bare = int(np.count_nonzero((run.image != 0) & (run.parents(-1) < 0)))
    text = "Every cell leads to its final root."
    if bare:
        text = f"Every cell with a label leads to its final root; {bare} have none."
    assert explain(facts).endswith(text)
    assert (bare > 0) == (run.algorithm == "ha4_features")


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            Facts(smaller=8, roots_before=9, roots=1, hooked=8, components=1, wrong=37),
            "8 cells took a smaller label; 8 of 9 roots were joined to other trees: 1 root is "
            "left, for the one component. 37 cells do not lead to "
            "their final root.",
        ),
        (
            Facts(smaller=1, roots_before=3, roots=2, hooked=1, wrong=1),
            "1 cell took a smaller label; 1 of 3 roots was joined to another tree: 2 roots are "
            "left. 1 cell does not lead to its final root.",
        ),
        (
            Facts(first=5, made=5, roots=5),
            "5 cells took their first label, each its own; 5 cells are roots.",
        ),
        (
            Facts(first=5, made=2, roots=2, indirect=1, components=2),
            "5 cells took their first label; 2 cells are roots, one for each component, and "
            "1 label does not name a root.",
        ),
        (
            Facts(first=1, smaller=2, larger=3, lost=4, roots_before=2, roots=2),
            "1 cell took its first label, 2 took a smaller label, 3 took a larger label and "
            "4 lost their label; 2 roots are left.",
        ),
        (
            Facts(roots_before=2, roots=2, layers=(("sizes", 3), ("count", 1), ("more", 9))),
            "No label changed, but sizes did in 3 cells, and other arrays too; 2 roots are left.",
        ),
        (
            Facts(roots_before=2, roots=2, layers=(("sizes", 3), ("count", 1))),
            "No label changed, but sizes did in 3 cells and count in 1; 2 roots are left.",
        ),
        (
            Facts(first=2, made=2, roots=2, components=2, wrong=5, unlabelled=5, waiting=5),
            "2 cells took their first label, each its own; 2 cells are roots, one for each "
            "component. 5 cells have no label yet; no other is wrong.",
        ),
        (
            Facts(first=3, made=2, roots=2, components=2, wrong=6, unlabelled=5, waiting=5),
            "3 cells took their first label; 2 cells are roots. "
            "6 cells do not lead to their final root, 5 of them without a label.",
        ),
        (
            Facts(smaller=4, roots_before=1, roots=1, indirect_before=4, wrong=0),
            "4 cells took a smaller label; 1 root is left, and every label now names a root. "
            "Every cell leads to its final root.",
        ),
        (
            Facts(larger=2, roots_before=1, roots=3, made=2),
            "2 cells took a larger label; 2 roots came up: there are 3.",
        ),
        (Facts(), "No label changed; there is no root yet."),
        (Facts(components=0, wrong=0), EMPTY),
        (
            Facts(components=0, first=1, made=1, roots=1, wrong=1),
            "1 cell took its first label, its own; 1 cell is a root. "
            "1 cell does not lead to its final root.",
        ),
    ],
)
def test_texts(facts: Facts, text: str) -> None:
    assert explain(facts) == text


@pytest.mark.parametrize("row", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_of_an_empty_grid_nothing_else_is_said(row: Algorithm) -> None:
    empty = np.zeros((5, 5), np.uint8)
    run = record(empty, algorithm=row.key, connectivity=row.connectivities[0])
    assert {explain(facts_at(run, index)) for index in range(len(run))} == {EMPTY}


def test_what_is_said_before_anything_was_counted() -> None:
    assert explain_briefly(1, 1) == "1 cell took another label; 1 root is left."
    assert explain_briefly(0, 2000) == "No label changed; 2,000 roots are left."


def test_labels_that_point_nowhere_are_counted_without_a_fault() -> None:
    image = np.ones((1, 4), np.uint8)
    facts = facts_at(played(image, [[0, 99, -1, 2]]), 0)
    assert (facts.first, facts.roots, facts.indirect, facts.lost) == (3, 1, 1, 0)


def test_counting_stops_when_asked() -> None:
    run = record(noise(), algorithm="ha4")
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        FactCounter(run, token.check).between(-1, 0)
