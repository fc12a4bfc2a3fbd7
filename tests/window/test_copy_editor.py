"""Editing a copy of a kernel in the window: text, runs, compiler messages, saving."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.qt_window import MakeSession, MakeWindow, wait_idle

from ccl_viewer.algorithms.copies import list_copies, make_copy
from ccl_viewer.window.check.widget import QtChecker
from ccl_viewer.window.core.run_display import StatusKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import make_run_notice
from ccl_viewer.window.run_settings.widget import QtAlgorithmBox
from ccl_viewer.window.source.copy_editor import QtCopyEditor
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.widgets.source_text import LEAD

DRAWN = "pattern:noise?width=24&height=20"
KERNEL = 'extern "C" __global__ void ha4_relabeling('


@pytest.fixture(autouse=True)
def _own_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))


@pytest.fixture
def session(make_session: MakeSession, qtbot: QtBot) -> Session:
    session = make_session(DRAWN)
    session.runs.configure(algorithm="ha4")
    qtbot.waitUntil(lambda: session.tasks.idle)
    return session


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> QtSource:
    panel = QtSource(session)
    qtbot.addWidget(panel)
    panel.resize(420, 600)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


@pytest.fixture
def editor(panel: QtSource) -> QtCopyEditor:
    panel.edit_button.setFocus()
    panel.edit_button.click()
    assert panel.editor is not None
    assert panel.editor.isVisible()
    assert panel.window().focusWidget() is panel.editor.text
    assert not panel.text.isVisible()
    return panel.editor


def put_in(editor: QtCopyEditor, statement: str) -> int:
    """Put a statement at the start of the last kernel, as typed; return its line, from 0."""
    text = editor.text.toPlainText()
    place = text.index("{", text.index(KERNEL)) + 1
    cursor = editor.text.textCursor()
    cursor.setPosition(place)
    editor.text.setTextCursor(cursor)
    editor.text.insertPlainText(f"\n{statement}")
    return text[:place].count("\n") + 1


def run(editor: QtCopyEditor, session: Session, qtbot: QtBot) -> None:
    QTest.keyClick(editor.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: session.tasks.idle)


def test_a_copy_is_edited_run_and_compared(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    (copy,) = list_copies()
    assert (copy.name, copy.algorithm, copy.module) == ("my_ha4", "ha4", "ha4")
    run(editor, session, qtbot)
    recording = session.display.recording
    assert recording is not None
    assert recording.algorithm == copy.key
    assert editor.result.text() == (
        "The labels are right on this grid. All 3 steps match HA4. It moves as many bytes as HA4. "
        "Not launched, and so not tried: ha4_strip_labeling_shared."
    )
    assert not editor.messages.isVisible()
    # A label on background, which names another cell of background.
    put_in(editor, "if (threadIdx.x == 3) labels[0] = 7;")
    assert "not saved" in editor.title.text()
    run(editor, session, qtbot)
    assert "not saved" not in editor.title.text()
    assert editor.result.text().startswith("WRONG: 43 components where the reference finds 42")
    assert "1 of 3 steps differs from HA4: step 3." in editor.result.text()
    assert "% more bytes than HA4." in editor.result.text()
    assert "labels[0] = 7" in copy.path.read_text()


def test_what_a_kernel_prints_is_shown_with_its_thread(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.runs.configure(algorithm="ha4")
    session.document.load_grid(noise(20, 24, 0.5), "noise")
    wait_idle(qtbot, session)
    window.side_panel.show_panel("source")
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    source.edit_button.click()
    assert source.editor is not None
    put_in(source.editor, 'if (threadIdx.x == 3) printf("found %d\\n", 7);')
    run(source.editor, session, qtbot)
    output = next(
        box
        for box in source.findChildren(QPlainTextEdit)
        if box.accessibleName() == "Output of printf"
    )
    assert output.isVisible()
    assert "ha4_relabeling: thread (3, 0, 0) of block (0, 0, 0): found 7" in output.toPlainText()
    session.runs.configure(algorithm="ha4")
    wait_idle(qtbot, session)
    assert not output.isVisible()


def test_a_check_names_kernels_of_a_copy_that_were_not_launched(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    session.document.load_grid(noise(6, 8, 0.5), "noise")
    wait_idle(qtbot, session)
    copy = make_copy("tried", "ha4", "ha4")
    session.runs.configure(algorithm=copy.key)
    wait_idle(qtbot, session)
    window.side_panel.show_panel("check")
    panel = window.side_panel.widget("check")
    assert isinstance(panel, QtChecker)
    panel.check.click()
    qtbot.waitUntil(lambda: panel.check.text() == "Check", timeout=30_000)
    assert "Not launched, and so not tried: ha4_strip_labeling_shared." in panel.summary.text()


def test_a_copy_is_opened_at_the_kernel_of_the_step(
    panel: QtSource, session: Session, qtbot: QtBot
) -> None:
    session.display.go_to(1)
    panel.edit_copy()
    assert panel.editor is not None
    text = panel.editor.text

    def is_at(kernel: str) -> bool:
        """Whether the caret is at a kernel, or in the comment above it, and near the top."""
        below = text.toPlainText()[text.textCursor().position() :].split("\n")
        comment = next(n for n, line in enumerate(below) if not line.startswith("//"))
        above = text.textCursor().blockNumber() - text.firstVisibleBlock().blockNumber()
        bar = text.verticalScrollBar()
        near_top = above == LEAD or (above > LEAD and bar.value() == bar.maximum())
        return kernel in below[comment] and near_top

    qtbot.waitUntil(lambda: is_at("ha4_strip_merge("))
    session.copies.rename("mine")
    assert is_at("ha4_strip_merge(")
    session.copies.leave()
    session.display.go_to(2)
    (copy,) = list_copies()
    session.copies.open(copy)
    qtbot.waitUntil(lambda: is_at("ha4_relabeling("))


def test_errors_are_shown_at_their_lines(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    line = put_in(editor, "int wrong = ;")
    run(editor, session, qtbot)
    assert editor.text.notes[line] == "error"
    assert editor.result.text().startswith("Does not compile: 1 error")
    assert editor.messages.isVisible()
    assert editor.messages.item(0).text() == f"{line + 1}: error: expected expression"
    assert session.messages.message is None  # it would say the same
    place = line, len("int wrong = ")

    def caret() -> tuple[int, int]:
        found = editor.text.textCursor()
        return found.blockNumber(), found.columnNumber()

    assert caret() == place
    editor.text.go_to_line(0)
    editor.messages.setCurrentRow(0)
    editor.messages.itemClicked.emit(editor.messages.item(0))
    assert caret() == place


def test_an_error_at_the_end_is_shown_at_the_last_line(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    text = editor.text.toPlainText().rstrip().removesuffix("}").rstrip()
    editor.text.setPlainText(text)
    last = text.count("\n")
    run(editor, session, qtbot)
    assert editor.text.notes == {last: "error"}
    assert [editor.messages.item(row).text() for row in range(editor.messages.count())] == [
        f"{last + 1}: error: expected '}}'"
    ]
    assert editor.text.textCursor().blockNumber() == last


def test_a_fault_does_not_take_the_window_down(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    put_in(editor, "labels[1 << 29] = 1;")
    run(editor, session, qtbot)
    assert session.copies.result.kind is StatusKind.ERROR
    assert "ha4_relabeling stopped" in editor.result.text()
    assert session.display.fault is not None
    actions = {name: QAction(name) for name in ("go_fault", "check")}
    notice = make_run_notice(session, actions)
    assert notice is not None
    assert notice.text.startswith("In ha4_relabeling")
    assert "stopped" not in notice.text  # the editor and the step say the rest
    session.copies.leave()
    notice = make_run_notice(session, actions)
    assert notice is not None
    assert "ha4_relabeling stopped" in notice.text


def test_a_run_that_was_stopped_does_not_take_fewer_steps(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    text = editor.text.toPlainText()
    place = text.index("{", text.index("__global__ void ha4_strip_labeling(")) + 1
    editor.text.setPlainText(f"{text[:place]} labels[1 << 29] = 1; {text[place:]}")
    run(editor, session, qtbot)
    assert "It was stopped after 1 step, HA4 takes 3." in editor.result.text()
    assert "It takes" not in editor.result.text()


def test_text_that_is_not_saved_is_kept(
    editor: QtCopyEditor, panel: QtSource, session: Session
) -> None:
    put_in(editor, "// not saved yet")
    panel.hide()  # as when the window closes
    (copy,) = list_copies()
    assert "not saved yet" not in copy.path.read_text()
    session.copies.leave()
    session.copies.open(copy)
    panel.show()
    assert "not saved yet" in editor.text.toPlainText()
    assert "not saved" in editor.title.text()
    QTest.keyClick(editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert "not saved yet" in copy.path.read_text()
    assert not copy.unsaved_path.exists()


def test_copies_are_renamed_deleted_and_listed(
    editor: QtCopyEditor, panel: QtSource, session: Session
) -> None:
    session.copies.rename("mine")
    box = QtAlgorithmBox()
    assert box.findText("mine (copy of HA4)") > 0
    assert editor.title.text() == "mine.cu"
    session.copies.rename("not a name")
    assert session.copies.copy is not None
    assert session.copies.copy.name == "mine"
    session.copies.delete()
    assert list_copies() == ()
    assert panel.text.isVisible()
    box.fill_groups()
    assert box.findText("mine (copy of HA4)") < 0
    box.deleteLater()


def test_a_copy_that_is_deleted_while_it_runs_is_stopped(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    put_in(editor, "volatile int turn = 1; again: if (turn) goto again;")
    QTest.keyClick(editor.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert session.runs.running
    session.copies.delete()
    qtbot.waitUntil(lambda: session.tasks.idle)
    assert list_copies() == ()
    assert session.runs.settings.algorithm == "label_equivalence"


def test_opening_a_recording_of_a_copy_compiles_nothing(
    editor: QtCopyEditor,
    session: Session,
    make_session: MakeSession,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run(editor, session, qtbot)
    recording = session.display.recording
    assert recording is not None
    path = tmp_path / "run.cclrec"
    recording.save(path)

    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError("a recording was opened, and something was compiled")

    monkeypatch.setattr("subprocess.Popen", refuse)
    other = make_session()
    other.files.open(str(path))
    qtbot.waitUntil(lambda: other.tasks.idle)
    shown = other.display.recording
    assert shown is not None
    assert shown.algorithm == "copy:my_ha4"


def test_a_copy_that_was_changed_elsewhere_is_not_overwritten(
    editor: QtCopyEditor, session: Session
) -> None:
    (copy,) = list_copies()
    theirs = copy.path.read_text() + "// theirs\n"
    copy.path.write_text(theirs)
    editor.text.insertPlainText("// mine\n")
    editor.save_button.click()
    assert copy.path.read_text() == theirs
    assert [each.name for each in list_copies()] == ["my_ha4", "my_ha4_2"]
    assert "// mine" in list_copies()[1].path.read_text()
    assert editor.title.text() == "my_ha4_2.cu"
    assert session.messages.message is not None
    assert "your text is saved as my_ha4_2" in session.messages.message.text


def test_a_copy_that_is_gone_does_not_run_and_is_written_again(
    editor: QtCopyEditor, session: Session, qtbot: QtBot
) -> None:
    run(editor, session, qtbot)
    (copy,) = list_copies()
    copy.path.unlink()
    session.runs.run()
    qtbot.waitUntil(lambda: session.tasks.idle)
    assert session.messages.message is not None
    assert "There is no copy my_ha4" in session.messages.message.text
    run(editor, session, qtbot)
    assert list_copies() == (copy,)
    assert editor.result.text().startswith("The labels are right on this grid.")


def test_labels_that_never_come_to_rest_are_told_of_and_shown(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    """The banner has the whole sentence; the button leads to the first step more."""
    window = make_window("pattern:spiral?size=5")
    session, display = window.session, window.session.display
    original = display.recording
    assert original is not None
    session.copies.edit("label_equivalence", "label_equivalence")
    text = session.copies.text
    never = text.replace("    if (minl < l)", "    raise_flag(is_not_done);\n    if (minl < l)", 1)
    assert never != text
    session.copies.run(never)
    qtbot.waitUntil(lambda: session.tasks.idle)
    fault = display.fault
    assert fault is not None
    assert fault.kernel == "label_equivalence_scanning"
    assert fault.file == "my_label_equivalence.cu"
    notice = make_run_notice(session, window.actions_by_name)
    assert notice is not None
    assert notice.text.startswith("The labels do not converge: ")
    assert display.index == display.count - 1
    window.actions_by_name["go_fault"].trigger()
    assert display.index == len(original), "until then all steps are the original's"


def test_the_cell_of_a_fault_stays_pinned(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.copies.edit("label_equivalence", "label_equivalence")
    text = session.copies.text
    line = "    if (minl < l)"
    outside = text.replace(line, f"    labels[l + (1 << 24)] = 0;\n{line}", 1)
    assert outside != text
    session.copies.run(outside)
    qtbot.waitUntil(lambda: session.tasks.idle)
    fault = session.display.fault
    assert fault is not None
    assert fault.cell is not None
    for _ in range(2):
        window.actions_by_name["go_fault"].trigger()
        assert session.view.pin is not None
        assert session.view.pin.cell == fault.cell
