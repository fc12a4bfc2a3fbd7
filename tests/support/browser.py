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
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

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
    # Whatever a page asks the network for fails here.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
_OPENER = build_opener(ProxyHandler({}))
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

    def __init__(self, address: str) -> None:
        self._address = address

    def open(self, path: Path, fragment: str = "") -> None:
        """Show a file, and wait until it says that it is ready."""
        self._do("POST", "/url", {"url": "about:blank"})
        self._do("POST", "/url", {"url": path.as_uri() + fragment})
        self.wait("return document.documentElement.dataset.ready === 'true'")

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page and return what it returns."""
        return self._do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script: str, seconds: float = 20) -> None:
        """Wait until a script returns true."""
        end = monotonic() + seconds
        while not self.run(script):
            if monotonic() > end:
                raise TimeoutError(f"the page never came to: {script}")
            sleep(0.01)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other; ``Shift+`` and ``Ctrl+`` hold these down."""
        actions = []
        for key in keys:
            held, _, name = key.rpartition("+")
            pressed = [_KEYS.get(one, one) for one in ((held, name) if held else (key,))]
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

    def enter_frame(self, place: int | None) -> None:
        """Look into a frame of the page; None looks at the page itself again."""
        self._do("POST", "/frame", {"id": place})

    def emulate(self, **features: str) -> None:
        """Pretend that the user prefers something: ``prefers_color_scheme="light"``."""
        named = [{"name": key.replace("_", "-"), "value": value} for key, value in features.items()]
        self.command("Emulation.setEmulatedMedia", features=named)

    def resize(self, width: int, height: int) -> None:
        """Give the page a size."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def command(self, name: str, **parameters: object) -> Any:
        """Give a command of Chromium's own protocol."""
        return self._do("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def messages(self) -> list[str]:
        """Return what the page wrote to the console since the last time."""
        entries = self._do("POST", "/se/log", {"type": "browser"})
        return [str(entry["message"]) for entry in entries]

    def screenshot(self, path: Path) -> None:
        """Save a picture of the page."""
        path.write_bytes(b64decode(self._do("GET", "/screenshot")))

    def close(self) -> None:
        """End the browser."""
        self._do("DELETE", "")

    def _act(self, source: dict[str, object]) -> None:
        self._do("POST", "/actions", {"actions": [source]})

    def _do(self, method: str, path: str, data: object = None) -> Any:
        return _ask(method, self._address + path, data)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser, and end it and its driver whatever happens."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"],  # noqa: S607 - found by missing_browser
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = Browser(_session(f"http://127.0.0.1:{_port(driver)}", profile))
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
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                return int(found[1])
    raise RuntimeError("chromedriver did not start")


def _session(address: str, profile: str) -> str:
    switches = [*_SWITCHES, f"--user-data-dir={profile}"]
    options: dict[str, object] = {"args": switches}
    binary = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if binary:
        options["binary"] = binary
    wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
    made = _ask("POST", f"{address}/session", {"capabilities": {"alwaysMatch": wanted}})
    return f"{address}/session/{made['sessionId']}"


def _ask(method: str, url: str, data: object = None) -> Any:
    body = None if data is None else json.dumps(data).encode()
    request = Request(url, body, {"Content-Type": "application/json"}, method=method)  # noqa: S310  (a local address)
    with _OPENER.open(request, timeout=60) as reply:
        return json.load(reply)["value"]
