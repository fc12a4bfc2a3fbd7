"""Sessions at a terminal answer as their kept transcripts do (see ``support/transcripts.py``)."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest
from support.transcripts import run_transcript

TRANSCRIPTS = sorted((Path(__file__).parent / "terminal").glob("*.txt"))


@pytest.mark.parametrize("kept", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_session_answers_as_before(
    kept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "algorithms.json"))
    text = kept.read_text("utf-8")
    today = run_transcript(text, folder, monkeypatch)
    if request.config.getoption("--write-transcripts"):
        kept.write_text(today, "utf-8")
    else:
        difference = unified_diff(
            text.splitlines(), today.splitlines(), "kept", "today", lineterm=""
        )
        assert today == text, "\n".join(difference)
