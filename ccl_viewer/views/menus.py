"""The menus, made from the table of actions."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QMenuBar

from ccl_viewer.views.actions import GROUPS, Actions, Group


class Menus:
    """The menu bar.

    Parameters
    ----------
    actions : Actions
        What the menus offer.
    """

    def __init__(self, actions: Actions) -> None:
        self.bar = QMenuBar()
        self.by_title: dict[str, QMenu] = {}
        for group in GROUPS:
            if group.specs:
                menu = self.bar.addMenu(f"&{group.title}")
                _fill(menu, group, actions)
                self.by_title[group.title] = menu


def _fill(menu: QMenu, group: Group, actions: Actions) -> None:
    before, into = None, menu
    for section in group.sections:
        goes_on = before is not None and before.title == section.title
        if goes_on:
            into.addSeparator()
        else:
            if before is not None and not (section.title and before.title):
                menu.addSeparator()
            into = menu.addMenu(section.title) if section.title else menu
        before = section
        into.addActions([actions[spec.name] for spec in section.specs])
