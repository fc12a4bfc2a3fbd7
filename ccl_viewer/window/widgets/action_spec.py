"""The row of an action, from which menus, tool bars, command palette and keys dialog are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.run_display import RunDisplay


def always() -> bool:
    return True


class Conditions:
    """Common requirements of actions."""

    def __init__(self, document: Document, display: RunDisplay) -> None:
        self._document, self._display = document, display

    def has_grid(self) -> bool:
        return self._document.grid is not None

    def has_selection(self) -> bool:
        return self._document.selection.box is not None

    def has_recording(self) -> bool:
        return self._display.recording is not None


@dataclass(frozen=True)
class ActionSpec:
    """An action: one row of the feature that owns it.

    `enabled` and `checked` say whether it can be done now and whether it is on; `about` names its
    object. They are called after each change of a model.
    """

    name: str
    text: str
    menu: str  # title without "&", with submenu: "View/Text size"; may be empty
    run: Callable[[], object]  # does it; toggles an action with `checked`
    _: KW_ONLY
    keys: tuple[str, ...] = ()  # menus show the first
    icon: str = ""  # stem of a file in assets/icons
    enabled: Callable[[], bool] = always
    checked: Callable[[], bool] | None = None  # None if it is not a toggle
    about: Callable[[], str] | None = None  # appended to the text
    tip: str = ""  # what it does, in a sentence, for tooltips and the keys dialog
    palette: bool = True  # whether the command palette lists it
    group: int = 0  # a separator divides the groups of a menu, which are in order
    lesson_keys: tuple[str, ...] | None = None  # replace the keys while a lesson is open

    @property
    def title(self) -> str:
        """The text without its mnemonic."""
        return self.text.replace("&", "")
