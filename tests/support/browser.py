"""Headless Chromium for tests, driven by chromedriver over WebDriver, which is JSON over HTTP."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import OK, HTTPConnection
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    # Network requests of a page fail here.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
# The page polls itself: polling from here would take longer.
_WAIT = """
const [until, done] = [performance.now() + 1000 * arguments[0], arguments[1]];
const holds = () => {{ {script} }};
const look = () => {{
  const seen = holds();
  if (seen || performance.now() > until) done(Boolean(seen));
  else setTimeout(look, 5);
}};
look();
"""
_KEYS = {
    "Backspace": "\ue003",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Ctrl": "\ue009",
    "Escape": "\ue00c",
    "Space": " ",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
    "Tab": "\ue004",
}


def missing_browser() -> str | None:
    """Why pages cannot be tested in a browser here; None if they can."""
    for name in ("chromedriver", "chromium"):
        if shutil.which(name) is None:
            return f"{name} is not installed (Debian: apt install chromium chromium-driver)"
    return None


class Browser:
    """A browser with one page."""

    def __init__(self, port: int, profile: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._address = "/session"
        self._openings = count()
        self._size = (0, 0)
        switches = [*_SWITCHES, f"--user-data-dir={profile}"]
        options: dict[str, object] = {"args": switches}
        binary = os.environ.get("CHROMIUM") or shutil.which("chromium")
        if binary:
            options["binary"] = binary
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._do("POST", "", {"capabilities": {"alwaysMatch": capabilities}})
        self._address = f"/session/{session['sessionId']}"

    def open(self, path: Path, fragment: str = "") -> None:
        """Show a file, and wait until it is ready."""
        # By a new address: with the same one, the browser would only look up the fragment.
        self._do("POST", "/url", {"url": f"{path.as_uri()}?{next(self._openings)}{fragment}"})
        self.wait("return document.documentElement.dataset.ready === 'true'")

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page and return what it returns."""
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script: str, seconds: float = 20) -> None:
        """Wait until a script returns true."""
        waiting = {"script": _WAIT.format(script=script), "args": [seconds]}
        if not self._do("POST", "/execute/async", waiting):
            raise TimeoutError(f"the page never came to: {script}")

    def press(self, *keys: str) -> None:
        """Press keys, one after another; ``Shift+`` and ``Ctrl+`` hold these down."""
        actions = []
        for key in keys:
            modifier, _, name = key.rpartition("+")
            pressed = [_KEYS.get(one, one) for one in ((modifier, name) if modifier else (key,))]
            actions += [{"type": "keyDown", "value": one} for one in pressed]
            actions += [{"type": "keyUp", "value": one} for one in reversed(pressed)]
        self._act({"type": "key", "id": "keys", "actions": actions})

    def point(self, x: float, y: float, *, click: bool = False) -> None:
        """Move the mouse to a place in the page, and click there."""
        actions: list[dict[str, object]] = [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}
        ]
        if click:
            actions += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._act(
            {
                "type": "pointer",
                "id": "mouse",
                "parameters": {"pointerType": "mouse"},
                "actions": actions,
            }
        )

    def enter_frame(self, index: int | None) -> None:
        """Switch to a frame of the page; None switches back to the page."""
        self._do("POST", "/frame", {"id": index})

    def emulate(self, **features: str) -> None:
        """Emulate a preference of the user: ``prefers_color_scheme="light"``."""
        named = [{"name": key.replace("_", "-"), "value": value} for key, value in features.items()]
        self.command("Emulation.setEmulatedMedia", features=named)

    def resize(self, width: int, height: int) -> None:
        if self._size == (width, height):
            return
        self._size = (width, height)
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def command(self, name: str, **parameters: object) -> Any:
        """Send a command of Chromium's protocol."""
        return self._do("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def messages(self) -> list[str]:
        """Return what the page has written to the console since the last call."""
        entries = self._do("POST", "/se/log", {"type": "browser"})
        return [str(entry["message"]) for entry in entries]

    def screenshot(self, path: Path) -> None:
        """Save a picture of the page."""
        path.write_bytes(b64decode(self._do("GET", "/screenshot")))

    def close(self) -> None:
        """Quit the browser."""
        self._do("DELETE", "")
        self._connection.close()

    def _act(self, source: dict[str, object]) -> None:
        self._do("POST", "/actions", {"actions": [source]})

    def _do(self, method: str, path: str, data: object = None) -> Any:
        body = None if data is None else json.dumps(data)
        self._connection.request(
            method, self._address + path, body, {"Content-Type": "application/json"}
        )
        reply = self._connection.getresponse()
        value = json.load(reply)["value"]
        if reply.status != OK:
            raise RuntimeError(f"{value['error']}: {value['message']}")
        return value


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser, and always quit it and its driver."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"],  # noqa: S607 - found by missing_browser
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = Browser(_port(driver), profile)
            try:
                yield browser
            finally:
                browser.close()
    finally:
        driver.terminate()
        driver.wait(20)
        if driver.stdout is not None:
            driver.stdout.close()


def _port(driver: subprocess.Popen[str]) -> int:
    if driver.stdout is not None:
        for line in driver.stdout:
            match = re.search(r"successfully on port (\d+)", line)
            if match:
                return int(match[1])
    raise RuntimeError("chromedriver did not start")
