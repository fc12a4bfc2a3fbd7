"""A forked process has one thread and copies of all locks: labelling goes on in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

_MANY_FORKS = """
import os, threading

def work_in_children(work, forks=8):
    '''Fork again and again while another thread does the same work; end each child.'''
    stop = threading.Event()

    def go_on():
        while not stop.is_set():
            work()

    thread = threading.Thread(target=go_on)
    thread.start()
    codes = []
    for _ in range(forks):
        child = os.fork()
        if not child:
            try:
                work()
                os._exit(0)
            finally:
                os._exit(1)
        codes.append(os.waitpid(child, 0)[1])
    stop.set()
    thread.join()
    print(codes == [0] * forks)
"""


def run(code: str) -> str:
    """Run Python code, and return its output; fail if it hangs."""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout.strip()


def test_children_of_a_process_that_has_labelled_on_all_cores_label() -> None:
    found = run(
        """
import multiprocessing
import numpy as np
import ccl_viewer as ccl

image = np.random.default_rng(0).random((300, 300)) < 0.5
_, count = ccl.label(image, device="emulator")
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(all(found == count for _, found in pool.map(ccl.label, [image] * 4)))
"""
    )
    assert found == "True"


def test_a_fork_in_the_middle_of_a_launch_leaves_no_lock_behind() -> None:
    found = run(
        f"""{_MANY_FORKS}
import numpy as np
import ccl_viewer as ccl

image = np.random.default_rng(0).random((100, 100)) < 0.5  # on one core
expected = ccl.label(image, device="emulator")

def work():
    labels, count = ccl.label(image, device="emulator")
    assert count == expected[1] and (labels == expected[0]).all()

work_in_children(work)
"""
    )
    assert found == "True"


def test_a_fork_while_a_picture_is_read_leaves_no_lock_behind() -> None:
    found = run(
        f"""{_MANY_FORKS}
import io
import numpy as np
from PIL import Image
from ccl_viewer.grids.decoding import decode

file = io.BytesIO()
Image.fromarray(np.random.default_rng(0).integers(0, 255, (400, 400), np.uint8)).save(file, "PNG")

def work():
    decode(io.BytesIO(file.getvalue()), "picture.png", 1 << 26)
    assert Image.MAX_IMAGE_PIXELS is not None

work_in_children(work)
"""
    )
    assert found == "True"


@pytest.mark.parametrize("who", ["the viewer", "somebody else"])
def test_a_gpu_that_the_parent_uses_is_not_used(who: str) -> None:
    """CUDA fails in forked processes, and so does this fake of CuPy."""
    found = run(
        f"""
import os, sys
from types import SimpleNamespace
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import DeviceUnavailableError

class FakeRuntimeError(RuntimeError):
    pass

parent = os.getpid()

def count():
    if os.getpid() != parent:
        raise FakeRuntimeError("cudaErrorInitializationError: initialization error")
    return 1

runtime = SimpleNamespace(
    CUDARuntimeError=FakeRuntimeError,
    getDeviceCount=count,
    getDeviceProperties=lambda _: {{
        "name": b"Test GPU", "major": 9, "minor": 0, "totalGlobalMem": 1 << 30
    }},
)
fake = SimpleNamespace(runtime=runtime, MemoryPool=object)
sys.modules["cupy"] = SimpleNamespace(cuda=fake)
if {who == "the viewer"}:
    assert open_device(cells=100).key == "cuda"
child = os.fork()
if not child:
    try:
        open_device("cuda", cells=100)
    except DeviceUnavailableError as error:
        if "spawn" in str(error) and open_device(cells=100).key == "emulator":
            os._exit(0)
    finally:
        os._exit(1)
print(os.waitpid(child, 0)[1])
"""
    )
    assert found == "0"


@pytest.mark.gpu
def test_children_of_a_process_that_has_labelled_on_a_gpu_take_the_emulator() -> None:
    found = run(
        """
import multiprocessing
import numpy as np
import ccl_viewer as ccl
from ccl_viewer.errors import DeviceUnavailableError

image = np.random.default_rng(0).random((300, 300)) < 0.5
_, count = ccl.label(image, device="cuda")

def refused(_):
    try:
        ccl.label(image, device="cuda")
    except DeviceUnavailableError as error:
        return "spawn" in str(error)

with multiprocessing.get_context("fork").Pool(2) as pool:
    print(all(found == count for _, found in pool.map(ccl.label, [image] * 4)))
    print(all(pool.map(refused, [0, 1])))
print(ccl.label(image, device="cuda")[1] == count)
"""
    )
    assert found.split() == ["True"] * 3
