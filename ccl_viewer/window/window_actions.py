"""The rows of the window itself: cancel, panels, theme, full screen, the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.window.command_palette import CommandPalette, action_entries
from ccl_viewer.window.core.appearance import TEXT_SIZES
from ccl_viewer.window.core.tasks import EXPORT
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import PanelSpec
from ccl_viewer.window.widgets.question import QtQuestion

if TYPE_CHECKING:
    from ccl_viewer.window.core.appearance import Appearance
    from ccl_viewer.window.main_window import MainWindow


def open_palette(window: MainWindow) -> None:
    """Show the command palette, with what the features let it find."""
    actions = window.actions_by_name
    actions.follow()
    found = (entry for feature in window.features for entry in feature.find())
    entries = (*action_entries(actions), *found)
    CommandPalette(entries, actions["palette"], window).open_palette()


def _escape(window: MainWindow) -> None:
    """End what is under way: a shape, work, full screen, a message, a selection, a pin.

    An export goes on in the background: its own button ends it.
    """
    session = window.session
    task = session.tasks.current
    if session.tools.busy:
        session.tools.cancel()
    elif task is not None and task.group != EXPORT:
        session.tasks.cancel()
    elif session.comparison.working:
        session.comparison.cancel()
    elif window.at_start and session.document.grid is not None:
        window.show_start_page(on=False)
    elif window.is_full_screen:
        window.set_full_screen(on=False)
    elif session.messages.message is not None:
        session.messages.dismiss()
    elif session.phases.shown is not None:
        session.phases.leave()
    elif not session.tools.cancel():
        session.view.unpin()


def _answer(window: MainWindow) -> None:
    """Check the answer; where no number was typed yet, go to its field."""
    question = window.session.question
    if question is not None and question.answered:
        question.check()
    else:
        for panel in window.findChildren(QtQuestion):
            if panel.isVisible() and panel.begin_to_answer():
                return


def _toggle_side_panel(window: MainWindow) -> None:
    window.side_panel.toggle()


def _asks(window: MainWindow) -> bool:
    question = window.session.question
    return question is not None and question.pending


def _panel_row(window: MainWindow, number: int, panel: PanelSpec) -> ActionSpec:
    return ActionSpec(
        f"panel_{panel.key}",
        panel.menu_text or f"&{panel.title}",
        "View/&Panels",
        lambda: window.side_panel.toggle_panel(panel.key),
        (f"Ctrl+{number}",),
        panel.icon,
        checked=lambda: window.side_panel.is_shown(panel.key),
        tip=panel.tip,
        group=4,
    )


def _theme_row(look: Appearance, name: str, text: str) -> ActionSpec:
    return ActionSpec(
        f"theme_{name}",
        text,
        "View/The&me",
        lambda: look.set_theme(name),
        checked=lambda: look.choice == name,
        group=5,
    )


def _size_row(look: Appearance, size: int) -> ActionSpec:
    return ActionSpec(
        f"text_{size}",
        f"{size}%",
        "View/Te&xt size",
        lambda: look.set_text_size(size),
        checked=lambda: look.text_size == size,
        tip=f"Text at {size}% of its usual size",
        group=5,
    )


def window_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Return the rows that look at the window's own state."""
    look = window.appearance
    themes = {"system": "&Follow the system", "dark": "&Dark", "light": "&Light"}
    return (
        ActionSpec("quit", "&Quit", "File", window.close, ("Ctrl+Q",), group=9),
        ActionSpec(
            "cancel",
            "&Cancel",
            "Run",
            lambda: _escape(window),
            ("Esc",),
            "stop",
            tip="Stop the work; or drop the shape, leave full screen, dismiss, deselect, unpin",
        ),
        ActionSpec(
            "answer",
            "Ans&wer",
            "Lessons",
            lambda: _answer(window),
            enabled=lambda: _asks(window),
            group=2,
            tip="Check the answer, or go to its field",
        ),
        *(_panel_row(window, number, panel) for number, panel in enumerate(window.panels, 1)),
        ActionSpec(
            "side_panel",
            "Si&de panel",
            "View/&Panels",
            lambda: _toggle_side_panel(window),
            ("F9",),
            "panels",
            checked=lambda: not window.side_panel.collapsed,
            group=4,
            tip="Collapse the side panel to its edge, or expand it",
        ),
        *(_theme_row(look, name, text) for name, text in themes.items()),
        ActionSpec(
            "swap_theme",
            "S&witch dark and light",
            "View/The&me",
            look.swap_theme,
            (),
            "theme",
            group=5,
        ),
        *(_size_row(look, size) for size in TEXT_SIZES),
        ActionSpec(
            "reduced_motion",
            "&Reduced motion",
            "View",
            lambda: look.set_reduced_motion(not look.reduced_motion),
            checked=lambda: look.reduced_motion,
            group=5,
            tip="Let nothing move or flash by itself",
        ),
        ActionSpec(
            "projector",
            "F&ull screen",
            "View",
            lambda: window.set_full_screen(on=not window.is_full_screen),
            ("F11",),
            "fit",
            checked=lambda: window.is_full_screen,
            group=6,
            tip="Canvas, sentence and transport in large type, as for a projector",
        ),
        ActionSpec(
            "palette",
            "&Find…",
            "Help",
            lambda: open_palette(window),
            ("Ctrl+Shift+P",),
            "find",
            palette=False,
            tip="Search actions, algorithms, patterns and colours by a few letters",
        ),
    )
