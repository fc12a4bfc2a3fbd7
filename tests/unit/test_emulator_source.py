"""Reading kernel sources: include closure, digest, names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ccl_viewer.devices.source import read_source
from ccl_viewer.errors import KernelBuildError

KERNEL = 'extern "C" __global__ void {name}(int *out) {{ out[0] = 1; }}\n'


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_kernels_and_dynamic_arrays_are_found(tmp_path: Path) -> None:
    text = (
        '// extern "C" __global__ void commented(int *out)\n'
        '/* extern "C" __global__ void gone(int *out) */\n'
        + KERNEL.format(name="first")
        + 'extern "C"  __global__\nvoid __launch_bounds__(128) second (int *out)\n'
        "{ extern __shared__ unsigned int words[]; extern __shared__ __align__(16) char raw[ ]; }\n"
        "__device__ void helper(int *out) {}\n"
    )
    source = read_source(write(tmp_path, "module.cu", text))
    assert source.kernels == ("first", "second")
    assert source.dynamic_shared == ("words", "raw")
    assert source.text == text


def test_includes_are_followed_once_each(tmp_path: Path) -> None:
    write(tmp_path, "common/a.cuh", '#include "b.cuh"\n#include "common/b.cuh"\n')
    write(tmp_path, "common/b.cuh", '#pragma once\n#include "../top.cuh"\n')
    write(tmp_path, "top.cuh", "// nothing\n")
    path = write(
        tmp_path,
        "module.cu",
        '  #  include "common/a.cuh"\n// #include "missing.cuh"\n' + KERNEL.format(name="k"),
    )
    source = read_source(path)
    names = [name for name, _ in source.files]
    assert names == ["module.cu", "common/a.cuh", "common/b.cuh", "top.cuh"]
    assert source.include_root == tmp_path
    assert source.paths == tuple((tmp_path / name).resolve() for name in names)


def test_the_digest_covers_includes_and_macros(tmp_path: Path) -> None:
    write(tmp_path, "helper.cuh", "#define ONE 1\n")
    path = write(tmp_path, "module.cu", '#include "helper.cuh"\n' + KERNEL.format(name="k"))
    plain = read_source(path)
    assert plain.digest == read_source(path).digest
    assert plain.digest != read_source(path, (("N", 1),)).digest
    assert read_source(path, (("N", 1),)).digest != read_source(path, (("N", 2),)).digest
    write(tmp_path, "helper.cuh", "#define ONE 2\n")
    assert plain.digest != read_source(path).digest


@pytest.mark.parametrize("name", ["{}/secret.txt", "../secret.txt", "common/../../secret.txt"])
def test_includes_from_outside_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    write(tmp_path, "secret.txt", "// secret\n")
    write(tmp_path, "kernels/common/a.cuh", "// nothing\n")
    text = f'#include "{name.format(tmp_path)}"\n' + KERNEL.format(name="k")
    path = write(tmp_path, "kernels/module.cu", text)
    with pytest.raises(KernelBuildError, match=r"neither in its folder nor in"):
        read_source(path)


@pytest.mark.parametrize(
    "line",
    [
        "#include <a.inl>",
        '/* a\ncomment */ #include "a.inl"',
        '#inc\\\nlude "a.inl"',
        '%:include "a.inl"',
        '#if 0\n#include "a.inl"\n#endif',
        '#warning /*\n#include "a.inl"\n// */',
    ],
)
def test_includes_are_found_however_they_are_written(line: str, tmp_path: Path) -> None:
    write(tmp_path, "a.inl", "// nothing\n")
    source = read_source(write(tmp_path, "module.cu", f"{line}\n" + KERNEL.format(name="k")))
    assert [name for name, _ in source.files] == ["module.cu", "a.inl"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#define NAME <a.inl>\n#include NAME", 'write #include "NAME"'),
        ('#include_next "a.inl"', "#include_next without a plain name"),
        ('#import "a.inl"', "#import without a plain name"),
        ('const char data[] = {\n#embed "a.inl"\n};', "#embed without a plain name"),
        ("#if __has_include(<a.inl>)\n#endif", "__has_include, which can read files"),
        ('asm(".incbin \\"a.inl\\"");', ".incbin, which can read files"),
        ('#pragma comment(lib, "a.o")', "pragma comment, which can read files"),
        ('#/* */include "a.inl"', "can read files that nobody sees"),
        ('#include/* */"a.inl"', 'write #include "NAME"'),
        ('\0#include "a.inl"', "can read files that nobody sees"),
        ("#include </etc/hostname>", "neither in its folder nor"),
        ("#include <../a.inl>", "neither in its folder nor"),
    ],
)
def test_other_ways_to_read_files_are_refused(line: str, words: str, tmp_path: Path) -> None:
    write(tmp_path, "a.inl", "// nothing\n")
    path = write(tmp_path, "module.cu", f"{line}\n" + KERNEL.format(name="k"))
    with pytest.raises(KernelBuildError, match=words):
        read_source(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_two_dots_behind_a_link_are_no_way_out(tmp_path: Path) -> None:
    write(tmp_path, "outside.cuh", "// outside\n")
    (tmp_path / "elsewhere").mkdir()
    text = '#include "link/../outside.cuh"\n' + KERNEL.format(name="k")
    path = write(tmp_path, "kernels/module.cu", text)
    write(tmp_path, "kernels/outside.cuh", "// inside\n")
    (tmp_path / "kernels" / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KernelBuildError, match="neither in its folder nor"):
        read_source(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_files_may_be_links_as_some_installers_make_them(tmp_path: Path) -> None:
    (tmp_path / "kernels" / "common").mkdir(parents=True)
    for name, text in {
        "module.cu": '#include "common/a.cuh"\n' + KERNEL.format(name="k"),
        "common/a.cuh": "// nothing\n",
    }.items():
        kept = write(tmp_path, f"kept/{Path(name).name}.txt", text)
        (tmp_path / "kernels" / name).symlink_to(kept)
    source = read_source(tmp_path / "kernels" / "module.cu")
    assert [name for name, _ in source.files] == ["module.cu", "common/a.cuh"]


def test_a_missing_include_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "module.cu", '#include "nowhere.cuh"\n' + KERNEL.format(name="k"))
    with pytest.raises(KernelBuildError, match=r'module.cu includes "nowhere.cuh"'):
        read_source(path)


def test_a_missing_module_is_named(tmp_path: Path) -> None:
    with pytest.raises(KernelBuildError, match=r"module.cu cannot be read"):
        read_source(tmp_path / "module.cu")


def test_a_module_without_kernels_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "module.cu", "__device__ void helper() {}\n")
    with pytest.raises(KernelBuildError, match="defines no kernel"):
        read_source(path)


def test_a_module_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "module.cu"
    path.write_bytes(b"\xff\xfe\x00kernel")
    with pytest.raises(KernelBuildError, match="not UTF-8 text"):
        read_source(path)
