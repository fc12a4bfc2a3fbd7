"""What a row of the table of actions says, and how rows are gathered into menus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.host import Host

Deed: TypeAlias = "Callable[[Host], object]"
"""What an action does."""

Switch: TypeAlias = "Callable[[Host, bool], object]"
"""What a switch does with its new state."""


def always(_session: Session) -> bool:
    """Say that an action is possible at any time."""
    return True


@dataclass(frozen=True)
class Spec:
    """One row of the table: an action, or a switch.

    Parameters
    ----------
    name : str
        Name in code, and in the settings file.
    text : str
        Text in menus, with its mnemonic, which no other row of the menu has.
    help : str
        What it does, for the tooltip and the list of keys.
    keys : tuple of str
        Key sequences; the first is the one that menus show.
    icon : str or None
        Stem of the icon's file.
    do : callable or None
        What it does; None for a switch.
    switch : callable or None
        Switches it on or off; None for an action that is no switch.
    on : callable or None
        Whether a switch is on.
    can : callable
        Whether it can be done now.
    remembered : bool
        Whether the state of a switch is the same when the window is opened again.
    text_now : callable or None
        Text in menus now, where it says more than `text`.
    """

    name: str
    text: str
    help: str
    keys: tuple[str, ...] = ()
    icon: str | None = None
    do: Deed | None = None
    switch: Switch | None = None
    on: Callable[[Host], bool] | None = None
    can: Callable[[Session], bool] = always
    remembered: bool = False
    text_now: Callable[[Session], str] | None = None


@dataclass(frozen=True)
class Section:
    """Rows between two lines of a menu.

    Parameters
    ----------
    specs : tuple of Spec
        The rows.
    title : str
        Of the submenu that holds them, with its mnemonic; empty if they lie in the menu itself.
        Sections of one title, one after the other, share a submenu.
    one_of : bool
        Whether exactly one of these switches is on.
    """

    specs: tuple[Spec, ...]
    title: str = ""
    one_of: bool = False


@dataclass(frozen=True)
class Group:
    """A menu, and a heading in the list of keys.

    Parameters
    ----------
    title : str
        Its name.
    sections : tuple of Section
        Its rows.
    """

    title: str
    sections: tuple[Section, ...]

    @property
    def specs(self) -> tuple[Spec, ...]:
        """All its rows."""
        return tuple(spec for section in self.sections for spec in section.specs)


def with_keys(help_text: str, keys: tuple[str, ...]) -> str:
    """Return a tooltip that names the keys."""
    shown = [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys]
    return f"{help_text} ({', '.join(shown)})" if shown else help_text
