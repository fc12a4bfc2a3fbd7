"""Colours of a source: found a few lines at a time, shown when there are all."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE

from ccl_viewer.resources import kernel_path
from ccl_viewer.views.looks.theme import DARK
from ccl_viewer.views.source import highlighter
from ccl_viewer.views.source.highlighter import Colouring, CudaHighlighter

SOURCE = """\
// A comment.
extern "C" __global__ void f(int *labels)
{
    labels[0] = 42; /* one that
    goes on */
}
"""


def coloured(document: QTextDocument) -> list[set[str]]:
    """Return the colours of each line."""
    block, lines = document.firstBlock(), []
    while block.isValid():
        formats = block.layout().formats()
        lines.append({one.format.foreground().color().name() for one in formats})
        block = block.next()
    return lines


def test_slices_find_what_one_sweep_finds() -> None:
    text = kernel_path("ha4").read_text()
    sliced, whole = Colouring(text), Colouring(text)
    while not whole.whole:
        whole.go_on(60)
    slices = 0
    while not sliced.whole:
        sliced.go_on(1e-6)
        slices += 1
    assert slices > 10
    assert sliced.lines == whole.lines
    assert len(whole.lines) == len(text.split("\n"))


def test_stretches_name_their_colours() -> None:
    colouring = Colouring(SOURCE)
    colouring.go_on(60)
    assert colouring.whole
    assert colouring.lines[0] == [(0, len("// A comment."), "comment")]
    assert (len("    labels[0] = "), 2, "number") in colouring.lines[3]
    assert [kind for *_, kind in colouring.lines[4]] == ["comment"]


def test_a_new_source_gets_its_colours_after_it_is_shown(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highlighter, "_SLICE", 1e-6)
    highlighter.colouring_of.cache_clear()
    document = QTextDocument()
    colours = CudaHighlighter(document)
    colours.set_theme(DARK)
    assert colours.prepare(SOURCE)
    document.setPlainText(SOURCE)
    assert not any(coloured(document))
    qtbot.waitUntil(lambda: coloured(document)[0] == {DARK.comment.lower()}, timeout=PATIENCE)
    assert coloured(document)[4] == {DARK.comment.lower()}
    assert not colours.prepare(SOURCE), "known by now"
