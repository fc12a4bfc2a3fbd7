"""Every kernel compiles under NVRTC, without a warning and without a GPU."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from pathlib import Path

import pytest

from ccl_viewer.storage.resources import kernels_folder

ARCHITECTURES = ("sm_75", "sm_80", "sm_90")
MODULES = sorted(path.stem for path in kernels_folder().glob("*.cu"))
CASES = [
    (module, architecture)
    for module in MODULES
    for architecture in ARCHITECTURES
    # .ci/run asks for all of them.
    if os.environ.get("CCL_VIEWER_NVRTC") == "all" or architecture == "sm_90" or module == "shibata"
]
VARIANTS = {
    "label_equivalence": (
        ("-DCONNECTIVITY=4",),
        ("-DCONNECTIVITY=8",),
        ("-DCONNECTIVITY=8", "-DMULTIVALUED=1"),
        ("-DATOMIC=1",),
    ),
    "label_equivalence_hawick": (
        ("-DCONNECTIVITY=4",),
        ("-DCONNECTIVITY=8",),
        ("-DCONNECTIVITY=8", "-DMULTIVALUED=1"),
    ),
    "row_col_unify": ((), ("-DCHECKS=1",), ("-DREFERENCES=1",), ("-DCONSECUTIVE=1",)),
    "komura": ((), ("-DMULTIVALUED=1",)),
    "two_pass": (("-DCONNECTIVITY=4",), ("-DCONNECTIVITY=8", "-DMULTIVALUED=1")),
    "shibata": (
        ("-DCONNECTIVITY=4", "-DJUMPS=4"),
        ("-DCONNECTIVITY=8", "-DJUMPS=6"),
        ("-DCONNECTIVITY=8", "-DMULTIVALUED=1"),
    ),
    "components": (("-DROWS=32",), ("-DROWS=128",)),
    "bke": ((), ("-DVARIANT=1",)),
    "ha4": ((), ("-DVARIANT=1",), ("-DBLOCK_H=1",), ("-DSTRIP_W=2048",)),
    "ha4_64": ((), ("-DVARIANT=1",), ("-DBLOCK_H=1",)),
    "ha4_features": (("-DSUM_BITS=64",), ("-DSUM_BITS=32",)),
    "stava_benes": (
        (),
        ("-DVARIANT=1",),
        ("-DCONNECTIVITY=4", "-DTILE=32"),
        ("-DCONNECTIVITY=8", "-DMULTIVALUED=1", "-DTILE=4"),
    ),
    "playne": (
        ("-DCONNECTIVITY=4",),
        ("-DCONNECTIVITY=8", "-DMULTIVALUED=1"),
        ("-DCONNECTIVITY=8", "-DTILE_W=4", "-DTILE_H=2"),
    ),
    "tiled_runs": (
        ("-DCONNECTIVITY=4", "-DNUMBERED=1"),
        ("-DCONNECTIVITY=8", "-DTILES_Y=1"),
        ("-DCONNECTIVITY=8", "-DNUMBERED=1", "-DTILES_X=4"),
        ("-DCONNECTIVITY=4", "-DMULTIVALUED=1"),
        ("-DCONNECTIVITY=8", "-DMULTIVALUED=1", "-DNUMBERED=1"),
    ),
    "tiled_runs_features": (
        ("-DCONNECTIVITY=4",),
        ("-DCONNECTIVITY=8", "-DTILES_Y=1"),
        ("-DCONNECTIVITY=8", "-DTILES_X=4"),
    ),
    "cabaret": (("-DCONNECTIVITY=4",), ("-DCONNECTIVITY=8", "-DTILE_W=4", "-DTILE_H=2")),
}


def nvrtc_library() -> ctypes.CDLL:
    """The library of the nvidia-cuda-nvrtc wheel, which needs no driver."""
    for package in ("nvidia.cu13.lib", "nvidia.cuda_nvrtc.lib", "nvidia.cu13", "nvidia.cuda_nvrtc"):
        try:
            spec = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in spec.submodule_search_locations or () if spec else ():
            for pattern in ("**/libnvrtc.so.*", "**/nvrtc64_*_0.dll"):
                for path in sorted(Path(folder).glob(pattern)):
                    if "alt" not in path.name:
                        return ctypes.CDLL(str(path))
    pytest.skip("nvidia-cuda-nvrtc is not installed (pip install '.[check]')")


def compile_module(source: Path, options: tuple[str, ...]) -> str:
    """Compile and return the log; fails the test where NVRTC does."""
    nvrtc = nvrtc_library()
    program = ctypes.c_void_p()
    text = source.read_bytes()
    created = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), text, source.name.encode(), 0, None, None
    )
    assert created == 0
    encoded = [option.encode() for option in options]
    result = nvrtc.nvrtcCompileProgram(
        program, len(encoded), (ctypes.c_char_p * len(encoded))(*encoded)
    )
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    message = log.value.decode()
    assert result == 0, message
    return message


@pytest.mark.parametrize(("module", "architecture"), CASES)
def test_compiles_without_a_warning(module: str, architecture: str) -> None:
    source = kernels_folder() / f"{module}.cu"
    for macros in VARIANTS.get(module, ((),)):
        options = (
            f"-arch={architecture}",
            "-std=c++17",
            f"-I{kernels_folder()}",
            *macros,
        )
        assert compile_module(source, options).strip() == ""


def test_a_broken_kernel_is_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.cu"
    broken.write_text('extern "C" __global__ void broken() { int unused; nonsense(); }\n')
    with pytest.raises(AssertionError, match="nonsense"):
        compile_module(broken, ("-arch=sm_80",))


def test_rows_of_blocks_are_counted_by_block_row_alone() -> None:
    direct = [
        path.name
        for path in kernels_folder().glob("*.cu")
        if "blockIdx.y" in path.read_text(encoding="utf-8")
    ]
    assert not direct
