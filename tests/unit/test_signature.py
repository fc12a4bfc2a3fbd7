"""Parameters of kernels, read from source text in every form that C allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccl_viewer.devices.conditionals import evaluate
from ccl_viewer.devices.signature import kernel_parameters
from ccl_viewer.devices.source import read_source
from ccl_viewer.errors import KernelBuildError

Found = list[tuple[str, str]]


def parameters(folder: Path, text: str, **macros: int) -> Found:
    """The parameters of the kernel k in a source text."""
    path = folder / "k.cu"
    path.write_text(text)
    source = read_source(path, tuple(macros.items()))
    return [(one.name, one.type) for one in kernel_parameters(source, "k")]


def kernel(inside: str) -> str:
    return f'extern "C" __global__ void k({inside})\n{{\n}}\n'


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("", []),
        ("void", []),
        ("int a", [("a", "int")]),
        ("unsigned int *labels, int n", [("labels", "unsigned int *"), ("n", "int")]),
        ("unsigned int* labels", [("labels", "unsigned int *")]),
        ("const unsigned char * image", [("image", "const unsigned char *")]),
        ("int *__restrict__ a, const int* __restrict b", [("a", "int *"), ("b", "const int *")]),
        ("int *const a, int **b", [("a", "int * const"), ("b", "int **")]),
        ("int a[], int b[4]", [("a", "int *"), ("b", "int *")]),
        ("int a, // how many, in all\n  int b /* (more), */", [("a", "int"), ("b", "int")]),
        ("Pair<int, int> p", [("p", "Pair<int, int>")]),
        ("unsigned\n   long\tlong\n  n", [("n", "unsigned long long")]),
        ("int n = 4", [("n", "int")]),
        ("struct Line line, ns::Sum *sum", [("line", "struct Line"), ("sum", "ns::Sum *")]),
        ("int \\\n a", [("a", "int")]),
    ],
)  # fmt: skip
def test_parameters_are_read(tmp_path: Path, inside: str, found: Found) -> None:
    assert parameters(tmp_path, kernel(inside)) == found


GUARDED = kernel(
    """int a
#if MULTIVALUED
    , const unsigned char *image  // only then
#endif
#if !defined(WIDE) && CONNECTIVITY == 8
    , int corners
#elif CONNECTIVITY > 4
    , long corners
#else
    , short corners
#endif
    """
)


@pytest.mark.parametrize(
    ("macros", "names"),
    [
        ({}, ["int a", "short corners"]),
        ({"MULTIVALUED": 1}, ["int a", "const unsigned char * image", "short corners"]),
        ({"MULTIVALUED": 0, "CONNECTIVITY": 8}, ["int a", "int corners"]),
        ({"CONNECTIVITY": 8, "WIDE": 1}, ["int a", "long corners"]),
    ],
)
def test_guarded_parameters_depend_on_the_macros(
    tmp_path: Path, macros: dict[str, int], names: list[str]
) -> None:
    found = parameters(tmp_path, GUARDED, **macros)
    assert [f"{kind} {name}" for name, kind in found] == names


def test_defaults_of_the_file_and_of_its_includes_count(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "wide.cuh").write_text(
        "#pragma once\n#ifndef WIDE\n#define WIDE 2\n#endif\n"
    )
    (tmp_path / "common" / "all.cuh").write_text('#include "wide.cuh"\n#define F(x) (x)\n')
    text = '#ifndef DEEP\n#define DEEP WIDE\n#endif\n#include "common/all.cuh"\n' + kernel(
        "int a\n#if DEEP == 2 && (WIDE - 1) * 3 == 3\n, int b\n#endif\n"
    )
    assert [name for name, _ in parameters(tmp_path, text)] == ["a", "b"]
    assert [name for name, _ in parameters(tmp_path, text, WIDE=3)] == ["a"]
    assert [name for name, _ in parameters(tmp_path, text, DEEP=1)] == ["a"]


def test_of_two_definitions_the_one_that_is_built_counts(tmp_path: Path) -> None:
    text = f"#ifdef NEW\n{kernel('int a')}#else\n{kernel('int a, int b')}#endif\n"
    assert len(parameters(tmp_path, text)) == 2
    assert len(parameters(tmp_path, text, NEW=1)) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (kernel("int a").replace("k(", "other("), "the kernel is not defined"),
        ('extern "C" __global__ void k(int a', "a parenthesis is not closed"),
        (kernel("int"), "'int' has no type or no name"),
        (kernel("int a,"), "'' has no type or no name"),
        (kernel("int a") + "#endif\n", "#endif without #if"),
        (kernel("int a") + "#if 1 +\n#endif\n", "ends too early"),
        (kernel("int a") + f"#if {'(' * 3000}1\n#endif\n", "too many parentheses"),
        (kernel("int a") + f"#define A {'A ' * 8}\n#if A\n#endif\n", "too long"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(
        KernelBuildError, match=r"The parameters of k in k\.cu cannot be read"
    ) as error:
        parameters(tmp_path, text)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("1", 1), ("0x10", 16), ("010", 8), ("7u", 7), ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20),
        ("10 - 3 - 2", 5), ("!A", 0), ("!B", 1), ("-A + 5", 1), ("A == 4 && B", 0),
        ("A == 4 || B", 1), ("defined A", 1), ("defined(B)", 0), ("!defined B && A >= 4", 1),
        ("CHAIN % 3", 1), ("9 / 2", 4), ("EMPTY", 0), ("1 < 2 == 1", 1), ("!!A", 1), ("+3", 3),
    ],
)  # fmt: skip
def test_conditions(condition: str, value: int) -> None:
    assert evaluate(condition, {"A": "4", "CHAIN": "A", "EMPTY": ""}) == value


@pytest.mark.parametrize("condition", ["", "1 2", "(1", "* 2", "1 / 0", "A ? 1 : 2", "1.5", "SELF"])
def test_conditions_that_are_none(condition: str) -> None:
    with pytest.raises(ValueError, match="condition"):
        evaluate(condition, {"SELF": "SELF SELF"})
