"""The exercise beside the canvas: what to do, hints one by one, and goals that tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from ccl_viewer.exercises import Exercise, GoalResult
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.progress import TaskProgressBar
from ccl_viewer.window.widgets.reading import make_card, make_text_label, reading_area, rich_text
from ccl_viewer.window.widgets.style import set_role

if TYPE_CHECKING:
    from ccl_viewer.window.exercises.model import ExercisePlayer

_DONE, _MISSED, _OPEN = "\N{CHECK MARK}", "\N{BALLOT X}", "\N{WHITE SQUARE}"


class QtExercisePlayer(QWidget):
    """Shows an :class:`ExercisePlayer`."""

    def __init__(self, player: ExercisePlayer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._judged: object = None
        self.setAccessibleName("Exercise")
        self.title = make_label("", "title", wrap=True)
        self.task = name_widget(make_text_label("prose"), "Task")
        self.goals = name_widget(make_text_label(), "Goals")
        self.summary = name_widget(make_text_label("dim"), "Judgement")
        self.bar = TaskProgressBar()
        self.hints = name_widget(make_text_label(), "Hints")
        self.hints_card = make_card("info", self.hints)
        self.hint = make_text_button("Show a hint", player.show_hint)
        self.judge = make_text_button("Judge", self._judge_or_cancel, primary=True)
        tip = "Show the smallest grid with wrong labels, at the step where it goes wrong"
        self.failure = make_text_button("Open the failure", player.open_failure, tip)
        tip = "Restore the original kernel (Ctrl+Z in the editor brings yours back)"
        self.again = make_text_button("Start over", player.start_over, tip)
        close = make_text_button("Close", player.close_exercise)
        parts = (self.title, self.task, self.goals, self.hints_card)
        self._area = reading_area("Exercise", *parts, spacing=8)
        self.setLayout(
            vbox(
                hbox(1, self.again, close),
                (self._area, 1),
                self.summary,  # always in sight
                self.bar,
                hbox(self.hint, self.failure, 1, self.judge),
                margins=(10, 6, 8, 8),
                spacing=6,
            )
        )
        player.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        player = self._player
        chosen = player.exercise
        if chosen is None:
            return
        self.title.setText(chosen.title)
        self.task.setText(rich_text(chosen.task))
        self.goals.setText(rich_text(_goals_text(chosen, player.results)))
        self.goals.setAccessibleDescription(to_plain_text(_goals_text(chosen, player.results)))
        self.summary.setText(player.advice or player.summary.replace("<", "&lt;"))
        judgement = player.judgement
        passed = judgement is not None and judgement.passed
        set_role(self.summary, "ok" if passed else "failed" if judgement else "dim")
        self.summary.setVisible(bool(player.advice or player.summary))
        if judgement is not None and judgement is not self._judged:  # after the layout
            QTimer.singleShot(0, self, lambda: self._area.ensureWidgetVisible(self.goals))
        self._judged = judgement
        self.bar.show_task(player.task)
        self.hints.setText(rich_text("\n".join(f"- {hint}" for hint in player.shown_hints)))
        self.hints_card.setVisible(bool(player.shown_hints))
        self.hint.setEnabled(player.has_more_hints)
        self.judge.setText("Cancel" if player.running else "Judge")
        self.failure.setVisible(
            player.judgement is not None and player.judgement.counterexample is not None
        )

    def _judge_or_cancel(self) -> None:
        if self._player.running:
            self._player.cancel()
        else:
            self._player.judge()


def _goals_text(chosen: Exercise, results: tuple[GoalResult, ...]) -> str:
    """Return the goals as a list; judged goals have a tick or a cross, and the reason."""
    lines = []
    for number, goal in enumerate(chosen.goals):
        result = results[number] if number < len(results) else None
        if result is None or not result.reason:
            lines.append(f"{_OPEN} {goal.title}.")
            continue
        lines.append(f"{_DONE if result.passed else _MISSED} {goal.title}.")
        if not result.passed:
            lines.append(f"*{result.reason}*")
    return "\n\n".join(lines)
