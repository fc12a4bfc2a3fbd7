"""Where names of kernels are defined, what is found, and which lines are not compiled."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ccl_viewer import record
from ccl_viewer.devices.source import find_kernel_lines, read_source
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.storage.resources import kernel_path, kernels_folder
from ccl_viewer.window.core.kernel_source import (
    arguments_of,
    call_of,
    cell_values,
    launch_sentence,
    load_kernel_module,
    macros_of,
    paper_of,
    skipped_lines,
)


def skipped(text: str, **macros: int) -> set[int]:
    return set(skipped_lines({"a.cu": text}, "a.cu", macros)["a.cu"])


def test_a_program_is_the_files_that_run() -> None:
    module = load_kernel_module("ha4")
    assert tuple(module.files.items()) == read_source(kernel_path("ha4")).files
    assert module.main == "ha4.cu"
    assert module.files["ha4.cu"] == kernel_path("ha4").read_text(encoding="utf-8")


def test_a_program_that_cannot_be_read_says_why() -> None:
    module = load_kernel_module("no_such_module")
    assert list(module.files) == ["no_such_module.cu"]
    assert module.files[module.main].startswith("// ")


def test_definitions_of_included_files_are_known() -> None:
    module = load_kernel_module("ha4")
    place = module.definitions["merge"]
    assert place.file == "common/union_find.cuh"
    assert "void merge(" in module.files[place.file].split("\n")[place.line]


MODULES = sorted(path.stem for path in kernel_path("ha4").parent.glob("*.cu"))


@pytest.mark.parametrize("name", MODULES)
def test_every_kernel_is_found_in_its_module(name: str) -> None:
    module = load_kernel_module(name)
    kernels = read_source(kernel_path(name)).kernels
    for kernel in kernels:
        place = module.definitions[kernel]
        found = module.lines_of(kernel)
        assert found is not None
        assert found[0] == place.file
        assert found[1] <= place.line <= found[2]
        assert f" {kernel}(" in module.kernel_text(kernel)


def test_a_module_is_a_known_name_and_no_path(tmp_path: Path) -> None:
    """A recording names modules, and the window and pages show their source."""
    (tmp_path / "mine.cu").write_text('extern "C" __global__ void mine(int *out) {}\n')
    up = os.path.relpath(tmp_path, kernels_folder())
    for name in (f"{tmp_path}/mine", f"{up}/mine", "", "../kernels/ha4", "HA4\0", "a" * 5000):
        with pytest.raises(CCLViewerError, match="There is no kernel source") as caught:
            kernel_path(name)
        assert len(str(caught.value)) < 500
        (text,) = load_kernel_module(name).files.values()
        assert text.startswith("// There is no kernel source")


def test_macros_decide_what_is_skipped() -> None:
    text = "a\n#if N == 8\nb\n#elif N == 4\nc\n#else\nd\n#endif\ne"
    assert skipped(text, N=8) == {4, 6}
    assert skipped(text, N=4) == {2, 6}
    assert skipped(text, N=5) == {2, 4}
    assert skipped(text) == {2, 4}


def test_defaults_give_way_to_given_macros() -> None:
    text = "#ifndef N\n#define N 4\n#endif\n#if N == 4 && defined(N)\na\n#endif"
    assert skipped(text) == set()
    assert skipped(text, N=8) == {1, 4}


def test_branches_within_skipped_ones_are_skipped_whole() -> None:
    text = "#if 0\na\n#if 1\nb\n#else\nc\n#endif\nd\n#endif\ne"
    assert skipped(text) == {1, 3, 5, 7}


@pytest.mark.parametrize("line", ["#else", "#if 1 +", "#if " + "(" * 3000, "#if A"])
def test_a_wrong_directive_hides_nothing_after_it(line: str) -> None:
    text = f"#define A {'A ' * 8}\n#if 0\nskipped\n#endif\n{line}\nshown\n"
    assert skipped(text) == {2}


def test_macros_of_included_files_count() -> None:
    files = {
        "a.cu": '#include "b.cuh"\n#if WIDE\nx\n#endif',
        "b.cuh": "#pragma once\n#ifndef WIDE\n#define WIDE 0\n#endif",
    }
    assert skipped_lines(files, "a.cu", {}) == {"a.cu": frozenset({2}), "b.cuh": frozenset()}
    wide = skipped_lines(files, "a.cu", {"WIDE": 1})
    assert wide == {"a.cu": frozenset(), "b.cuh": frozenset({2})}


def test_kernels_come_with_the_comment_above_them() -> None:
    text = "}\n\n// What it does.\nextern void first(int a)\n{\n}\n\nvoid second()\n{\n}\n"
    assert find_kernel_lines(text, "first") == (2, 5)
    assert find_kernel_lines(text, "second") == (7, 9)
    assert find_kernel_lines(text, "third") is None


def test_a_file_is_known_by_its_path() -> None:
    module = load_kernel_module("ha4")
    assert module.file_named("/somewhere/kernels/common/runs.cuh") == "common/runs.cuh"
    assert module.file_named("ha4.cu") == "ha4.cu"
    assert module.file_named("other.cu") is None


def test_facts_of_a_launch() -> None:
    run = record(np.ones((8, 33), np.uint8), algorithm="ha4", connectivity=4)
    step = run.step(0)
    assert call_of(step).startswith("ha4_strip_labeling<<<dim3(")
    assert "blocks" in launch_sentence(step)
    assert f"{step.atomics:,} atomic operation" in launch_sentence(step)
    given = {fact.name: fact.value for fact in arguments_of(step)}
    assert (given["width"], given["height"]) == ("33", "8")
    assert {fact.name for fact in macros_of(step)} == {name for name, _ in step.macros}
    assert "Hennequin" in paper_of(run, step)
    label = int(run.labels(0)[2, 1])
    values = [(fact.name, fact.value) for fact in cell_values(run, step, label, (1, 2))]
    assert values[:2] == [("image", "1"), ("label", str(label))]
