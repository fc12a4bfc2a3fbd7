"""The row of an action: what menus, tool bars, the command palette and the keys dialog show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session
    from ccl_viewer.views.main_window import MainWindow


def always(_session: Session) -> bool:
    return True


def has_grid(session: Session) -> bool:
    return session.document.grid is not None


def has_selection(session: Session) -> bool:
    return session.document.selection.box is not None


def has_recording(session: Session) -> bool:
    return session.display.recording is not None


@dataclass(frozen=True)
class ActionSpec:
    """An action: one row in the tuple ``ACTIONS`` of the module that owns it.

    Attributes
    ----------
    menu : str
        Title of the menu, without ``&``, and of a submenu: ``"View/Text size"``; may be empty.
    run : callable
        Does it; what it returns does not matter. Of an action with `checked`, it switches over.
    keys : tuple of str
        Key sequences; the first is the one that menus show.
    icon : str
        Stem of a file in ``assets/icons``.
    enabled, checked : callable
        Whether it can be done now, and whether it is on; asked after each change of a model.
        `checked` is None for an action that is no switch.
    tip : str
        What it does, in a sentence, for tooltips and the keys dialog.
    palette : bool
        Whether the command palette lists it.
    group : int
        A line in the menu divides actions of different groups; the groups are in order.
    """

    name: str
    text: str
    menu: str
    run: Callable[[MainWindow], object]
    keys: tuple[str, ...] = ()
    icon: str = ""
    enabled: Callable[[Session], bool] = always
    checked: Callable[[Session], bool] | None = None
    tip: str = ""
    palette: bool = True
    group: int = 0

    @property
    def title(self) -> str:
        """The text without its mnemonic."""
        return self.text.replace("&", "")
