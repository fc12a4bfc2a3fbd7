"""Kernels without barriers as plain loops over blocks and threads, for bench_emulator.py.

The same kernel file is compiled by the same compiler with the same options, but without the
emulator's runtime: one loop inside the other, and a call of the kernel that is inlined.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ccl_viewer.devices.emulator.compiler import compiler_options, find_compiler
from ccl_viewer.devices.source import KernelSource, Macros, read_source
from ccl_viewer.execution.plan import Array, Buffer, Kernel, Launch
from ccl_viewer.storage.resources import kernel_path

_WAITS = re.compile(r"_sync\b|__sync|block_merge|scan_warp")

# Just what the kernels without barriers use; the others are declared and never called.
_HEADER = """
typedef decltype(sizeof(0)) size_t;
struct uint3 { unsigned int x, y, z; };
struct uchar2 { unsigned char x, y; } __attribute__((aligned(2)));
struct int2 { int x, y; } __attribute__((aligned(8)));
static uint3 threadIdx, blockIdx, blockDim, gridDim;
#define __global__ inline __attribute__((always_inline))
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static
#define ANY template <class T> static inline
ANY T min(T a, T b) { return b < a ? b : a; }
ANY T max(T a, T b) { return a < b ? b : a; }
ANY T atomicMin(T *p, T v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); }
ANY T atomicAdd(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
static inline int2 make_int2(int x, int y) { return {x, y}; }
static inline int __popc(unsigned a) { return __builtin_popcount(a); }
void __syncthreads();
int __syncthreads_count(int);
int __syncthreads_or(int);
unsigned __ballot_sync(unsigned, int);
int __shfl_up_sync(unsigned, int, unsigned);
"""

_LOOP = """
extern "C" __attribute__((visibility("default")))
void plain_{name}(const unsigned *grid, const unsigned *block, void **given) {{
  gridDim = {{grid[0], grid[1], grid[2]}};
  blockDim = {{block[0], block[1], block[2]}};
  {locals}
  for (unsigned bz = 0; bz < grid[2]; ++bz)
    for (unsigned by = 0; by < grid[1]; ++by)
      for (unsigned bx = 0; bx < grid[0]; ++bx)
        for (unsigned tz = 0; tz < block[2]; ++tz)
          for (unsigned ty = 0; ty < block[1]; ++ty)
            for (unsigned tx = 0; tx < block[0]; ++tx) {{
              blockIdx = {{bx, by, bz}};
              threadIdx = {{tx, ty, tz}};
              {name}({names});
            }}
}}
"""


class PlainLoops:
    """Compiles kernels as plain loops and runs them.

    Parameters
    ----------
    folder : Path
        Where to compile.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libraries: dict[tuple[str, Macros], ctypes.CDLL] = {}

    def milliseconds(self, launch: Launch, memory: dict[Buffer, Array]) -> float:
        """Run a launch on copies of its buffers, which are changed; return what it computed."""
        function = self._function(launch.kernel)
        values: list[Any] = [
            ctypes.c_void_p(memory[argument].ctypes.data)
            if isinstance(argument, Buffer)
            else (ctypes.c_char * argument.nbytes).from_buffer_copy(np.asarray(argument).tobytes())
            for argument in launch.arguments
        ]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        grid, block = (ctypes.c_uint * 3)(*launch.grid), (ctypes.c_uint * 3)(*launch.block)
        start = time.thread_time()
        function(grid, block, pointers)
        return (time.thread_time() - start) * 1e3

    def _function(self, kernel: Kernel) -> Any:
        key = (kernel.module, kernel.macros)
        if key not in self._libraries:
            self._libraries[key] = self._build(read_source(kernel_path(key[0]), key[1]))
        return getattr(self._libraries[key], f"plain_{kernel.name}")

    def _build(self, source: KernelSource) -> ctypes.CDLL:
        name = f"{source.path.stem}{len(self._libraries)}"
        lines = [_HEADER, f'#include "{source.path.resolve()}"']
        lines += [
            _loop(source.text, kernel) for kernel in source.kernels if is_plain(source, kernel)
        ]
        (self._folder / f"{name}.cpp").write_text("\n".join(lines), encoding="utf-8")
        options = [option for option in compiler_options(False) if option != "-femulated-tls"]
        macros = [f"-D{macro}={value}" for macro, value in source.macros]
        include = f"-I{source.include_root.resolve()}"
        command: Sequence[str] = (
            *(str(find_compiler()), "c++", *options, *macros, include),
            *(f"{name}.cpp", "-o", f"{name}.so"),
        )
        subprocess.run(command, cwd=self._folder, check=True)
        return ctypes.CDLL(str(self._folder / f"{name}.so"))


def is_plain(source: KernelSource, kernel: str) -> bool:
    """Tell whether no thread of a kernel waits for others."""
    start = source.text.index(f" {kernel}(")
    return _WAITS.search(source.text[start : source.text.index("\n}\n", start)]) is None


def _loop(text: str, kernel: str) -> str:
    start = text.index(f" {kernel}(") + len(kernel) + 2
    parameters = " ".join(text[start : text.index(")", start)].split()).split(", ")
    types = [re.sub(r"\w+$", "", parameter) for parameter in parameters]
    return _LOOP.format(
        name=kernel,
        locals=" ".join(f"{t} p{i} = *({t} *)given[{i}];" for i, t in enumerate(types)),
        names=", ".join(f"p{i}" for i in range(len(types))),
    )
