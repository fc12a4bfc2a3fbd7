"""The window's settings: plain values that it remembers in a JSON file.

The file can only give texts, numbers, truth values, lists and dictionaries: no value in it can name
a class or run code. Whoever uses a value checks its type.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.storage.files import check_writable, is_file, locked, replacing

SETTINGS_VARIABLE: Final = "CCL_VIEWER_SETTINGS"
"""Environment variable that names another settings file."""

BROKEN_SUFFIX: Final = ".broken"
"""Suffix for a file that cannot be understood."""

_LARGEST: Final = 1 << 20  # bytes; a window writes some thousands


class Settings:
    """Values by name, read from a file once and written to it by :meth:`save`.

    A file that cannot be understood is set aside, so that the next :meth:`save` writes a new one.
    Anything but a regular file, such as a pipe or a folder, is neither read nor moved.

    Without a path, the file is named by the environment, or the user's default. `problem` says in a
    sentence what is wrong with it; it is empty if nothing is.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = _usual_path() if path is None else path
        self.problem = ""
        self._changes: dict[str, Any] = {}
        self._values: dict[str, Any] = {}
        try:
            self._values = _read(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            check_writable(self.path)
        except InputError as error:
            self.problem = f"Settings will not be saved: {error}"
        except ValueError as error:
            self.problem = _set_aside(self.path, str(error))
        except OSError as error:
            self.problem = (
                f"Settings will not be saved: {shorten(self.path)} cannot be used "
                f"({error.strerror or error}). Correct that, or name another file in "
                f"{SETTINGS_VARIABLE}."
            )

    def value(self, key: str) -> Any:
        """Return a stored value of any type; None if there is none."""
        return self._values.get(key)

    def text(self, key: str, otherwise: str = "") -> str:
        value = self._values.get(key)
        return value if isinstance(value, str) else otherwise

    def set_value(self, key: str, value: Any) -> None:
        """Remember a value that JSON can hold; None forgets it."""
        self._changes[key] = value
        self._values = _changed(self._values, {key: value})

    def save(self) -> None:
        """Write the changes; settings of other names that another window wrote stay.

        Raises InputError if the file cannot be written.
        """
        if self._changes:
            self._store(lambda _stored: {})

    def update(self, key: str, change: Callable[[Any], Any]) -> None:
        """Replace a value by a function of the stored one, which another window may have written.

        It is saved with all changes. Raises InputError if the file cannot be written; the value is
        remembered all the same.
        """
        self.set_value(key, change(self.value(key)))
        self._store(lambda stored: {key: change(stored.get(key))})

    def _store(self, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
        with locked(self.path):
            try:
                stored = _read(self.path)
            except (OSError, ValueError):  # writing reports the problem, or mends it
                stored = self._values
            values = _changed(stored, {**self._changes, **change(stored)})
            text = json.dumps(values, indent=1, ensure_ascii=True, sort_keys=True)
            with replacing(self.path) as beside:
                beside.write_text(f"{text}\n", "ascii")
        self._values, self._changes = values, {}


def _usual_path() -> Path:
    from platformdirs import user_config_path

    named = os.environ.get(SETTINGS_VARIABLE)
    return Path(named) if named else user_config_path("ccl-viewer") / "settings.json"


def _read(path: Path) -> dict[str, Any]:
    """Return the contents of a settings file; nothing if it does not exist.

    ValueError says why no window can have written it, OSError why it cannot be read.
    """
    if not path.exists():
        return {}
    if not is_file(path):
        raise OSError(None, "it is not a file")
    if path.stat().st_size > _LARGEST:
        raise ValueError("it is too large")
    try:
        values = json.loads(path.read_text("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004  (of a file, as above)
    return values


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _set_aside(path: Path, reason: str) -> str:
    """Rename a broken file; return a sentence about it."""
    aside = path.with_name(path.name + BROKEN_SUFFIX)
    try:
        path.replace(aside)
    except OSError:
        return (
            f"The settings in {shorten(path)} cannot be read ({reason}), and the file cannot be "
            "set aside: the window starts with default settings."
        )
    return (
        f"The settings in {shorten(path)} could not be read ({reason}): the window starts with "
        f"default settings, and the file is now called {aside.name}."
    )


def _changed(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    both = {**values, **changes}
    return {key: value for key, value in both.items() if value is not None}
