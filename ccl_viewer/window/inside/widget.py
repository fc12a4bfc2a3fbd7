"""The panel for the inside of a launch: its phases, the lanes of a warp, and shared memory."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QModelIndex, QSignalBlocker, QStringListModel, Qt
from PySide6.QtWidgets import QListView, QSpinBox, QWidget

from ccl_viewer.diagnostics.phases import LaunchTrace, Phase, PhaseBoundary
from ccl_viewer.diagnostics.phases.text import describe_lane
from ccl_viewer.errors import InputError
from ccl_viewer.render.phase_picture import draw_phase
from ccl_viewer.render.sheet import NO_LANE, AnnotatedPicture
from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.storage.files import replacing
from ccl_viewer.window.core.launch_phases import LaunchPhases
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_icon_button, make_text_button
from ccl_viewer.window.widgets.fields import ChoiceBox, make_number_box
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, make_scroll_area, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.phase_canvas import PhaseCanvas

if TYPE_CHECKING:
    from ccl_viewer.window.core.playback import Playback
    from ccl_viewer.window.core.run_display import RunDisplay

_BY: Final = {
    PhaseBoundary.BARRIER: "Barriers",
    PhaseBoundary.WARP: "Warp operations",
    PhaseBoundary.ROUND: "Rounds",
}
BUTTONS: Final = {
    "first": ("First phase (Alt+Home)", "go_to", 0),
    "back": ("One phase back (<)", "step", -1),
    "forward": ("One phase forward (>)", "step", 1),
    "last": ("Last phase (Alt+End)", "go_to", 1 << 30),
}
_LIST: Final = 124  # height in pixels at normal text size
_EXPORTED: Final = 1280  # pixels: all lanes are side by side


def draw_shown_phase(
    phases: LaunchPhases, width: int, theme: str, *, px: float = 1.0, titled: bool = False
) -> AnnotatedPicture | None:
    """Return the picture of the phase on display; None without one."""
    shown = phases.shown
    if shown is None:
        return None
    return draw_phase(
        shown.view,
        shown.block,
        shown.warp,
        width,
        canvas_theme(theme),
        chosen=NO_LANE if titled else phases.lane,
        title=shown.sentence if titled else "",
        px=px,
    )


class QtLaunchPhases(Panel):
    """Steps through the phases of the launch on display."""

    def __init__(
        self,
        phases: LaunchPhases,
        display: RunDisplay,
        playback: Playback,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(playback, parent)
        self.phases = phases
        self.look = make_text_button(
            "Look inside", phases.look_inside, "Trace this launch on the emulator"
        )
        self.leave = make_text_button("Leave", phases.leave, "Return to the step (Esc)")
        self.hint = make_label("", "dim", wrap=True)
        self.by = ChoiceBox("Phases end at", {})
        self.by.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.by.chosen.connect(lambda by: self._look(by=by))
        most = (1 << 31) - 1
        self.block_x = make_number_box(QSpinBox(), "Block, x", -1, most)
        self.block_y = make_number_box(QSpinBox(), "Block, y", 0, most)
        self.warp = make_number_box(QSpinBox(), "Warp", -1, most)
        for box in (self.block_x, self.warp):
            box.setSpecialValueText("all")
        for box in (self.block_x, self.block_y, self.warp):
            box.valueChanged.connect(self._on_number_changed)
        self.buttons = {
            name: make_icon_button(name, tip, partial(getattr(phases, method), by))
            for name, (tip, method, by) in BUTTONS.items()
        }
        self.place = make_label("")
        self.titles = QStringListModel(self)
        self._titled: tuple[Phase, ...] = ()
        self.list = QListView()
        self.list.setModel(self.titles)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setAccessibleName("Phases")
        self.list.selectionModel().currentChanged.connect(self._on_row_chosen)
        self.note = make_label("", "dim", wrap=True)
        self.chosen = make_label("", wrap=True)
        self.canvas = PhaseCanvas(
            lambda width, px: draw_shown_phase(phases, width, style.theme().name, px=px),
            phases.choose_lane,
        )
        self._lay_out()
        phases.changed.connect(self._follow)
        display.changed.connect(self._follow)

    def refresh(self) -> None:
        """Show the phase on display, or explain what looking inside does."""
        phases, shown = self.phases, self.phases.shown
        self.look.setEnabled(phases.can_look_inside)
        self.look.setHidden(shown is not None)
        self.hint.setHidden(shown is not None)
        self.hint.setText(phases.empty_text)
        for part in self._parts:
            part.setVisible(shown is not None)
        if shown is not None:
            trace = shown.view.trace
            self._show_choice(trace)
            self._show_place()
            self.note.setText(" ".join(filter(None, (trace.fault, trace.note))))
            self.note.setVisible(bool(self.note.text()))
            lanes = shown.lanes[phases.lane : phases.lane + 1]
            self.chosen.setText("".join(describe_lane(lane) for lane in lanes))
        self.canvas.refresh()

    def _show_choice(self, trace: LaunchTrace) -> None:
        (across, down, _), choice = trace.launch.grid, self.phases.choice
        self.by.fill({by: _BY[by] for by in trace.phase_boundaries})
        self.by.show_value(self.phases.phases[0].by)
        x, y, _ = choice.block or (-1, 0, 0)
        warp = -1 if choice.warp is None else choice.warp
        blocks = (self.block_x, x, across), (self.block_y, y, down)
        values = (*blocks, (self.warp, warp, trace.warp_count))
        for box, value, count in values:
            with QSignalBlocker(box):
                box.setMaximum(count - 1)
                box.setValue(value)
        self.block_y.setVisible(down > 1)
        self.block_y.setEnabled(choice.block is not None)
        self.warp.setEnabled(choice.block is not None)

    def _show_place(self) -> None:
        phases = self.phases
        if self._titled is not phases.phases:
            self._titled = phases.phases
            rows = [f"{one.index + 1:,}  {one.title}" for one in phases.phases]
            self.titles.setStringList(rows)
        index, count = phases.index, len(phases.phases)
        self.list.setCurrentIndex(self.titles.index(index))
        self.list.scrollTo(self.titles.index(index))
        self.place.setText(f"{index + 1:,} of {count:,}")
        for name, button in self.buttons.items():
            button.setEnabled(index > 0 if name in {"first", "back"} else index < count - 1)

    def _on_row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and current.row() != self.phases.index:
            self.phases.go_to(current.row())

    def _on_number_changed(self) -> None:
        x, warp = self.block_x.value(), self.warp.value()
        block = None if x < 0 else (x, self.block_y.value(), 0)
        self._look(block=block, warp=None if warp < 0 or block is None else warp)

    def _look(self, **changes: Any) -> None:
        self.phases.choose(replace(self.phases.choice, **changes))

    def _lay_out(self) -> None:
        self.list.setFixedHeight(style.scaled(_LIST))
        block = hbox(make_label("Block", "dim"), self.block_x, self.block_y, spacing=4)
        numbers = hbox(block, make_label("Warp", "dim"), self.warp, 1, spacing=6)
        choice, chosen = QWidget(), QWidget()
        choice.setLayout(hbox((self.by, 1), self.leave, spacing=4))
        chosen.setLayout(vbox(numbers))
        moves = QWidget()
        buttons = hbox(*self.buttons.values(), spacing=0)
        moves.setLayout(hbox(buttons, 1, self.place))
        area = make_scroll_area(self.canvas, "Lanes and shared memory", down=True)
        self._parts = (choice, chosen, moves, self.list, self.note, area, self.chosen)
        parts = (self.hint, self.look, *self._parts[:-2], (area, 1), self.chosen, 0)
        self.setLayout(vbox(*parts, margins=(style.scaled(6), 4, 4, 4), spacing=4))


def write_shown_phase(phases: LaunchPhases, theme: str, path: Path) -> None:
    """Write the lanes and the shared memory of the phase on display, as SVG or PNG.

    Raises InputError if no phase is shown, or the file cannot be written.
    """
    picture = draw_shown_phase(phases, _EXPORTED, theme, titled=True)
    if picture is None or phases.shown is None:
        raise InputError("No phase is shown: look inside a launch first.")
    from ccl_viewer.export.phases import write_phase

    with replacing(path) as beside:
        write_phase(picture.display, phases.shown.sentence, beside, path.suffix.lower())
