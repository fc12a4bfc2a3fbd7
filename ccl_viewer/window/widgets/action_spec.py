"""The row of an action: what menus, tool bars, the command palette and the keys dialog show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccl_viewer.window.core.session import Session


def always() -> bool:
    return True


class Conditions:
    """What many actions need before they can be done."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def has_grid(self) -> bool:
        return self._session.document.grid is not None

    def has_selection(self) -> bool:
        return self._session.document.selection.box is not None

    def has_recording(self) -> bool:
        return self._session.display.recording is not None


@dataclass(frozen=True)
class ActionSpec:
    """An action: one row of the feature that owns it.

    `enabled` and `checked` say whether it can be done now, and whether it is on, and `about` to
    what. They are asked after each change of a model.
    """

    name: str
    text: str
    menu: str  # its title without "&", and that of a submenu: "View/Text size"; may be empty
    run: Callable[[], object]  # does it; of an action with `checked`, switches over
    keys: tuple[str, ...] = ()  # the first is the one that menus show
    icon: str = ""  # stem of a file in assets/icons
    enabled: Callable[[], bool] = always
    checked: Callable[[], bool] | None = None  # None if it is no switch
    about: Callable[[], str] | None = None  # stands after the text
    tip: str = ""  # what it does, in a sentence, for tooltips and the keys dialog
    palette: bool = True  # whether the command palette lists it
    group: int = 0  # a line in the menu divides groups, which are in order
    lesson_keys: tuple[str, ...] | None = None  # while a lesson is open, if these are others

    @property
    def title(self) -> str:
        """The text without its mnemonic."""
        return self.text.replace("&", "")
