"""Parts of a window that are made when they are first needed: what nobody sees costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, Protocol, TypeVar, runtime_checkable

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from ccl_viewer.views.looks.theme import Theme

_W = TypeVar("_W", bound=QWidget)


@runtime_checkable
class Themed(Protocol):
    """A part that draws in the colours of the theme."""

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""


@runtime_checkable
class Welcoming(Protocol):
    """A window whose parts may come late."""

    def welcome(self, part: QWidget) -> None:
        """Give a part all that the others have: theme, size of icons, its place for Tab."""


class Late(Generic[_W]):
    """A part that is made when it is first needed, and may be away while it is not.

    A change of theme or of the size of text is paid for by every widget in the window, hidden or
    not.

    Parameters
    ----------
    make : callable
        Makes the part.
    place : callable
        Puts it where it belongs in the window, also when it comes back. A window of its own has
        its place as it is made, and is never away.
    """

    def __init__(
        self, make: Callable[[], _W], place: Callable[[_W], object] = lambda _part: None
    ) -> None:
        self._make = make
        self._place = place
        self._part: _W | None = None
        self._away = True

    @property
    def there(self) -> _W | None:
        """The part while it is in the window, or else None."""
        return None if self._away else self._part

    def get(self) -> _W:
        """Return the part, which is in the window from now on; hidden, if it was not there."""
        if self._part is None:
            self._part = self._make()
            self._part.hide()
        if self._away:
            self._away = False
            bring_back(self._part, partial(self._place, self._part))
        return self._part

    def show(self, *, on: bool) -> None:
        """Show the part, or put it away."""
        if on:
            self.get().show()
        else:
            self.put_away()

    def put_away(self) -> None:
        """Take the part out of the window, as it is, until it is needed again."""
        if self._part is not None and not self._away:
            self._away = True
            put_away(self._part)


def put_away(part: QWidget) -> None:
    """Take a part out of its window."""
    part.hide()  # which passes the focus on
    part.setParent(None)


def bring_back(part: QWidget, place: Callable[[], object]) -> None:
    """Put a part into a window, which gives it what its other parts have.

    Parameters
    ----------
    part : QWidget
        The part, which is new or was away.
    place : callable
        Puts it where it belongs.
    """
    part.setFont(QFont())  # what the application's became meanwhile, nobody told it
    place()
    around = part.parentWidget()
    while around is not None and not isinstance(around, Welcoming):
        around = around.parentWidget()
    if around is not None:
        around.welcome(part)
