"""The grid with its history: edits, the identity of its states, what is saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from psygnal import SignalInstance
from support.models import HeldExecutor, inline_session

from ccl_viewer.errors import InputError
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid, parse
from ccl_viewer.grids.transforms import Anchor
from ccl_viewer.window.core.document import AT_ONCE_CELLS, NEW_GRID, Document


@pytest.fixture
def document() -> Document:
    made = Document()
    made.load_grid(parse("##..\n#...\n...."), "three.txt")
    return made


def draw(document: Document, *cells: tuple[int, int], value: int = 1) -> None:
    document.begin_stroke(cells[0], value)
    for cell in cells[1:]:
        document.extend_stroke(cell)
    document.end_stroke()


def shown(document: Document) -> str:
    assert document.grid is not None
    return format_grid(document.grid).strip()


def is_dirty(document: Document) -> bool:
    return document.dirty


def floats(document: Document) -> bool:
    return document.selection.floating_patch is not None


def test_a_stroke_is_one_edit_and_is_followed_while_it_is_drawn(document: Document) -> None:
    told: list[frozenset[SignalInstance]] = []
    document.changed.connect(told.append)
    draw(document, (3, 0), (3, 2))
    assert shown(document) == "##.#\n#..#\n...#"
    assert [
        (document.grid_changed in fields, document.undo_changed in fields) for fields in told
    ] == [
        (True, True),
        (True, False),
        (False, True),
    ]
    assert document.undo_title == "Draw"
    document.undo()
    assert shown(document) == "##..\n#...\n...."
    document.redo()
    assert shown(document) == "##.#\n#..#\n...#"


def test_the_revision_is_the_identity_of_a_state(document: Document) -> None:
    first = document.revision
    draw(document, (3, 0))
    second = document.revision
    document.clear()
    third = document.revision
    assert len({first, second, third}) == 3
    document.undo()
    assert document.revision == second
    document.undo()
    assert document.revision == first
    document.begin_stroke((3, 2), 1)
    assert document.revision not in {first, second, third}
    document.cancel_stroke()
    assert document.revision == first
    document.redo()
    assert document.revision == second
    document.undo()
    draw(document, (3, 0))
    assert document.revision not in {first, second, third}


def test_several_values_can_be_undone(document: Document) -> None:
    document.set_multivalued(True)
    draw(document, (3, 0), value=7)
    assert document.grid is not None
    assert document.grid.max() == 7
    document.set_multivalued(False)
    assert document.grid.max() == 1
    document.undo()
    assert (document.multivalued, document.grid.max()) == (True, 7)
    document.undo()
    document.undo()
    assert not document.multivalued


def test_a_new_grid_comes_from_nowhere_and_undo_brings_the_old_one(document: Document) -> None:
    document.new(5, 2)
    assert (document.title, document.source, document.empty) == (NEW_GRID, "", True)
    document.undo()
    assert (document.title, document.source, document.empty) == ("three.txt", "three.txt", False)
    document.redo()
    assert document.shape == (2, 5)
    with pytest.raises(InputError):
        document.new(0, 5)


def test_resizing_and_random_filling(document: Document) -> None:
    document.resize(3, 4, Anchor.BOTTOM_RIGHT, 1)
    assert shown(document) == "###\n#..\n...\n..."
    with pytest.raises(InputError):
        document.resize(3, 4, Anchor.TOP, 300)
    with pytest.raises(InputError):
        document.random_fill(2.0, 3)
    document.random_fill(0.5, 3)
    assert np.array_equal(np.array(document.grid), np.random.RandomState(3).rand(4, 3) < 0.5)
    document.random_fill(1.0, 3, (5, 6))
    assert document.grid is not None
    assert document.grid.max() == 1
    document.set_multivalued(True)
    document.random_fill(1.0, 3, (5, 6))
    assert set(np.unique(document.grid)) == {5, 6}


def test_an_edit_of_a_large_grid_waits_and_is_refused_after_another() -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    document = session.document
    side = int(AT_ONCE_CELLS**0.5) + 1
    document.load_grid(np.zeros((side, side), np.uint8), "")
    executor.waiting.clear()
    document.invert()
    assert document.empty
    executor.work()
    assert document.grid is not None
    assert document.grid.all()
    document.clear()
    draw(document, (1, 1), value=0)
    executor.work()
    assert np.count_nonzero(document.grid) == side * side - 1
    assert session.messages.message is not None
    assert "Clear was not done" in session.messages.message.text
    session.close()


def test_without_a_grid_nothing_happens() -> None:
    document = Document()
    document.undo()
    document.invert()
    document.rotate_right()
    document.selection.select_all()
    document.selection.delete()
    assert document.selection.copy_cells() is None
    assert document.selection.cut_cells() is None
    assert (document.grid, document.title, is_dirty(document)) == (None, "", False)
    document.new(4, 4)
    assert document.shape == (4, 4)
    assert not document.can_undo


# What would be lost


def save(document: Document, name: str = "mine.png") -> None:
    point = document.make_save_point()
    assert point is not None
    document.mark_saved(point, Path(name))


def test_what_was_opened_or_saved_is_safe_and_undo_leads_back_to_it(document: Document) -> None:
    assert not is_dirty(document)
    document.begin_stroke((3, 0), 1)
    assert is_dirty(document)  # with the pencil still down
    document.end_stroke()
    save(document)
    assert (is_dirty(document), document.title) == (False, "mine.png")
    draw(document, (3, 2))
    assert is_dirty(document)
    document.undo()
    assert not is_dirty(document)
    document.undo()
    assert not is_dirty(document)  # the file that was opened has it
    draw(document, (0, 2))
    draw(document, (1, 2))
    document.undo()
    assert is_dirty(document)


def test_what_is_drawn_while_it_is_being_saved_is_not_in_the_file(document: Document) -> None:
    draw(document, (3, 0))
    point = document.make_save_point()
    assert point is not None
    draw(document, (3, 1))
    document.mark_saved(point, Path("mine.png"))
    assert is_dirty(document)


def test_an_empty_grid_is_no_work_but_hides_none(document: Document) -> None:
    document.new(5, 5)
    document.set_multivalued(True)
    assert not is_dirty(document)
    document.undo()
    document.undo()
    draw(document, (3, 0))
    document.new(5, 5)
    assert is_dirty(document)


def test_what_floats_is_in_no_file_until_it_is_dropped(document: Document) -> None:
    document.selection.select(Box(0, 0, 2, 2))
    document.selection.move(1, 1)
    assert is_dirty(document)
    assert document.undo_title == "Move"
    document.undo()
    assert not is_dirty(document)
    document.selection.move(1, 1)
    document.give_up()
    assert not is_dirty(document)
    document.selection.move(1, 1)
    assert is_dirty(document)


def test_the_users_grid_is_kept_while_a_lesson_shows_others(document: Document) -> None:
    draw(document, (3, 0))
    document.selection.paste(np.ones((1, 1), np.uint8))
    before = document.revision
    document.set_aside()
    document.load_grid(np.ones((2, 2), np.uint8), "A lesson")
    assert (document.title, document.shape, is_dirty(document)) == ("A lesson", (2, 2), True)
    assert not floats(document)
    document.bring_back_user_grid()
    assert document.revision == before
    assert shown(document).startswith("##.#")
    assert floats(document)
    document.undo()
    document.undo()
    assert not is_dirty(document)
