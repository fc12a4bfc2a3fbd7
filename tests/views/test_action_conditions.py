"""When actions can be done, by the state of the session; without a window."""

from __future__ import annotations

from support.sessions import HeldRunner

from ccl_viewer.grids.shapes import Box
from ccl_viewer.session import Session
from ccl_viewer.views.actions import GROUPS

SPECS = {spec.name: spec for group in GROUPS for spec in group.specs}
GRID = {"save_grid", "copy", "clear", "run", "resize", "compare", "compare_add"}
RUN = {"copy_label", "play", "go_to", "section_start"}
WHOLE_RUN = {"save", "save_table", "export", "copy_figure", "measure"}
BACK, FORWARD = {"back", "first"}, {"forward", "last"}
SELECTED = {"cut", "delete", "deselect", "move_left"}


def possible(session: Session) -> set[str]:
    return {name for name, spec in SPECS.items() if spec.can(session)}


def test_without_a_grid_there_is_nothing_to_work_on(session: Session) -> None:
    assert not possible(session) & (GRID | RUN | WHOLE_RUN | BACK | FORWARD | SELECTED)


def test_a_grid_alone_can_be_edited_and_run(session: Session) -> None:
    session.drawing.new(5, 4)
    assert possible(session) >= GRID - {"save_grid"}
    assert not possible(session) & (RUN | WHOLE_RUN | BACK | FORWARD | SELECTED)


def test_steps_lie_before_and_after(labelled: Session) -> None:
    assert possible(labelled) >= GRID | RUN | WHOLE_RUN | BACK
    assert not possible(labelled) & FORWARD
    labelled.playback.go_to(0)
    assert possible(labelled) >= FORWARD
    assert not possible(labelled) & BACK


def test_nothing_is_written_while_work_is_in_progress(labelled: Session) -> None:
    labelled.run()
    assert labelled.busy
    assert not possible(labelled) & (WHOLE_RUN | {"save_grid"})
    assert possible(labelled) >= {"resize", "play", "first"}


def test_what_is_selected_can_be_cut_and_moved(labelled: Session) -> None:
    assert not possible(labelled) & SELECTED
    labelled.tools.selection.select(Box(0, 0, 2, 2))
    assert possible(labelled) >= SELECTED


def test_menus_name_what_is_undone_and_done_again(labelled: Session) -> None:
    def texts() -> list[str]:
        told = [SPECS[name].text_now for name in ("undo", "redo")]
        return [tell(labelled) for tell in told if tell is not None]

    assert texts() == ["&Undo", "&Redo"]
    labelled.edits.clear()
    assert texts() == ["&Undo clear", "&Redo"]
    labelled.edits.undo()
    assert texts() == ["&Undo", "&Redo clear"]


def test_lanes_are_measured_and_copied_once_they_have_run(
    labelled: Session, runner: HeldRunner
) -> None:
    lanes = {"compare_measure", "compare_figure"}
    assert not possible(labelled) & {"compare_remove", "compare_steps", *lanes}
    labelled.comparison.show(on=True)
    assert possible(labelled) >= {"compare_remove", "compare_steps", "compare_add"}
    assert "compare_measure" not in possible(labelled)
    runner.work_all()
    assert possible(labelled) >= lanes
    labelled.run()
    assert not possible(labelled) & lanes
    runner.work_all()
    while not labelled.comparison.full:
        labelled.comparison.add()
    assert "compare_add" not in possible(labelled)


def test_a_baseline_is_pinned_of_a_whole_run(labelled: Session) -> None:
    assert "compare_baseline" in possible(labelled)
    labelled.comparison.pin_baseline()
    labelled.open("pattern:empty?width=3&height=3")
    assert "compare_baseline" in possible(labelled)
