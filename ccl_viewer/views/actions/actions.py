"""The window's actions, made from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from ccl_viewer.views.actions.spec import Section, Spec, Switch, with_keys
from ccl_viewer.views.actions.table import GROUPS
from ccl_viewer.views.host import Host
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import Theme, mixed
from ccl_viewer.views.memory.parts import Memory, switch_memory


class Actions:
    """The window's actions.

    Parameters
    ----------
    window : QWidget
        Their keys work while it has the focus, also while the menus are away.
    host : Host
        What they act on.
    """

    def __init__(self, window: QWidget, host: Host) -> None:
        self.by_name: dict[str, QAction] = {}
        self._host = host
        self._play_shown: tuple[str, Theme] | None = None
        for section in _sections():
            self._make_section(section, window)
        # Its icon is drawn for the button that has the accent's colour.
        self["play"].setIconVisibleInMenu(False)
        window.addActions(list(self.by_name.values()))

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in the colours of a theme."""
        faint = mixed(theme.dim, theme.surface, 0.55)
        for spec in _specs():
            if spec.icon is not None:
                self[spec.name].setIcon(icon(spec.icon, theme.text, faint))
        self._play_shown = None
        self._show_play(theme)

    def follow(self, theme: Theme) -> None:
        """Enable what can be done now, and show the state of the switches."""
        for spec in _specs():
            action = self[spec.name]
            action.setEnabled(spec.can(self._host.session))
            if spec.text_now is not None:
                action.setText(spec.text_now(self._host.session))
            if spec.on is not None:
                action.setChecked(spec.on(self._host))
        self._show_play(theme)

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered of the switches."""
        for spec in _specs():
            if spec.remembered and spec.on is not None and spec.switch is not None:
                yield _memory(spec.name, spec.on, spec.switch, self._host)

    def _show_play(self, theme: Theme) -> None:
        name = "pause" if self._host.session.playback.playing else "play"
        # A new icon makes every button and menu with the action draw itself again.
        if self._play_shown != (name, theme):
            self._play_shown = name, theme
            self["play"].setIcon(icon(name, theme.on_accent, theme.dim))

    def _make_section(self, section: Section, parent: QObject) -> None:
        group = QActionGroup(parent) if section.one_of else None
        for spec in section.specs:
            action = _make(spec, parent, self._host)
            self.by_name[spec.name] = action
            if group is not None and spec.switch is not None:
                group.addAction(action)


def _sections() -> Iterator[Section]:
    for group in GROUPS:
        yield from group.sections


def _specs() -> Iterator[Spec]:
    for section in _sections():
        yield from section.specs


def _memory(name: str, on: Callable[[Host], bool], switch: Switch, host: Host) -> Memory:
    return switch_memory(f"view/{name}", lambda: on(host), lambda state: switch(host, state))


def _make(spec: Spec, parent: QObject, host: Host) -> QAction:
    action = QAction(spec.text, parent)
    action.setObjectName(spec.name)
    action.setShortcuts([QKeySequence(key) for key in spec.keys])
    action.setToolTip(with_keys(spec.help, spec.keys))
    action.setStatusTip("")
    do, switch = spec.do, spec.switch
    if switch is not None:
        action.setCheckable(True)
        action.triggered.connect(lambda on: switch(host, on))
    elif do is not None:
        action.triggered.connect(lambda _on=False: do(host))
    return action
