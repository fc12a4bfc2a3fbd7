"""The emulator's runtime on Windows: launches of a module, from a small program under Wine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ccl_viewer.devices.emulator import compiler
from ccl_viewer.devices.source import read_source

FOLDER = Path(__file__).parent / "windows"
TARGET = "x86_64-windows-gnu"
WINE = os.environ.get("CCL_VIEWER_WINE") or shutil.which("wine64") or shutil.which("wine")


def build(folder: Path, *, traced: bool) -> Path:
    """Compile the program and the module; return the program."""
    runtime, program = folder / "runtime.o", folder / "launch.exe"
    compiler.compile_runtime(runtime, traced=traced, target=TARGET)
    source = read_source(FOLDER / "tiny.cu")
    compiler.compile_module(source, folder / "tiny.dll", runtime, traced=traced, target=TARGET)
    command = [
        *(
            str(compiler.find_compiler()),
            "c++",
            "-target",
            TARGET,
            "-std=c++17",
            "-O0",
            "-nostdlib",
        ),
        *("-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-fno-sanitize=all"),
        *("-mno-stack-arg-probe", f"-I{compiler.RUNTIME}", str(FOLDER / "launch.cpp")),
        *("-lkernel32", "-Wl,--entry=mainCRTStartup", "-o", str(program)),
    ]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return program


@pytest.mark.parametrize("traced", [False, True])
def test_the_program_compiles(tmp_path: Path, traced: bool) -> None:
    assert build(tmp_path, traced=traced).read_bytes().startswith(b"MZ")


@pytest.mark.skipif(WINE is None, reason="Wine is not installed")
@pytest.mark.parametrize("traced", [False, True])
def test_launches_are_right_in_every_order(tmp_path: Path, traced: bool) -> None:
    program = build(tmp_path, traced=traced)
    environment = {
        **os.environ,
        "WINEDEBUG": "-all",
        "WINEPREFIX": os.environ.get("WINEPREFIX", str(tmp_path / "wine")),
        "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=",
    }
    run = subprocess.run(
        [str(WINE), program.name], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert run.returncode == 0, run
