"""Python in a child process that may take so much memory and processor time, and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Final

_LIMITS: Final = """
import json, resource, sys
memory, seconds, argument = json.loads(sys.stdin.read())
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
"""


def run_limited(code: str, argument: Any = None, *, megabytes: int, seconds: int) -> Any:
    """Run code in a child process, and return what its last line of output says in JSON.

    The code finds `argument` under that name. Limits are of the system: what takes more memory has
    a MemoryError, and what takes more time is killed.
    """
    done = subprocess.run(
        [sys.executable, "-c", _LIMITS + code],
        input=json.dumps([megabytes << 20, seconds, argument]),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    return json.loads(done.stdout.splitlines()[-1])
