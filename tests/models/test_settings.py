"""Settings: plain values in a JSON file that anybody may have written."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ccl_viewer.errors import InputError
from ccl_viewer.window.core.settings import BROKEN_SUFFIX, SETTINGS_VARIABLE, Settings


def test_what_was_saved_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "settings.json"
    settings = Settings(path)
    settings.set_value("a/text", "ä\N{SNOWMAN}")
    settings.set_value("a/list", ["x", 1])
    settings.set_value("a/none", 3)
    settings.set_value("a/none", None)
    settings.save()
    again = Settings(path)
    assert again.problem == ""
    assert again.text("a/text") == "ä\N{SNOWMAN}"
    assert again.value("a/list") == ["x", 1]
    assert again.text("a/list", "otherwise") == "otherwise"
    assert again.value("a/none") is None
    assert json.loads(path.read_bytes()) == {"a/list": ["x", 1], "a/text": "ä\N{SNOWMAN}"}


def test_two_windows_keep_what_the_other_wrote(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    one, other = Settings(path), Settings(path)
    one.set_value("one", 1)
    one.save()
    other.set_value("other", 2)
    other.save()
    assert json.loads(path.read_bytes()) == {"one": 1, "other": 2}


def test_windows_that_save_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    names = [str(number) for number in range(24)]

    def save(name: str) -> None:
        settings = Settings(path)
        settings.set_value(name, 1)
        settings.save()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, names))
    assert json.loads(path.read_bytes()) == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[view]\ntheme=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x1ePySide::PyObjectWrapper)",
        b"\xff\xfe{}",
        b"[1]",
        b'{"a": NaN}',
        b'{"a": 1' + b"0" * 10_000 + b"}",
        b"[" * 200_000,
        b'{"a": "' + b"x" * (1 << 20) + b'"}',
    ],
    ids=["empty", "ini", "bytes", "list", "nan", "digits", "brackets", "large"],
)
def test_a_file_that_is_broken_is_set_aside_and_written_again(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    settings = Settings(path)
    assert f"now called settings.json{BROKEN_SUFFIX}" in settings.problem
    assert not path.exists()
    assert (tmp_path / f"settings.json{BROKEN_SUFFIX}").read_bytes() == content
    settings.set_value("a", "b")
    settings.save()
    assert Settings(path).text("a") == "b"
    assert Settings(path).problem == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_not_waited_for_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    os.mkfifo(path)
    settings = Settings(path)
    assert settings.problem.startswith("Settings will not be saved: ")
    settings.set_value("a", "b")
    with pytest.raises(InputError, match="pipe"):
        settings.save()
    assert path.is_fifo()


@pytest.mark.parametrize("name", ["folder", "file/below"])
def test_a_place_that_cannot_be_used_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    settings = Settings(tmp_path / name)
    assert SETTINGS_VARIABLE in settings.problem
    settings.set_value("a", "b")
    with pytest.raises(InputError):
        settings.save()
    assert (tmp_path / "folder").is_dir()
