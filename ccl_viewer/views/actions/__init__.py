"""Every action of the window in one table: a module for each menu, a row for each action."""

from ccl_viewer.views.actions.actions import Actions
from ccl_viewer.views.actions.spec import Group, Section, Spec, with_keys
from ccl_viewer.views.actions.table import GROUPS

__all__ = ["GROUPS", "Actions", "Group", "Section", "Spec", "with_keys"]
