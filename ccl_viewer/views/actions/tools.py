"""Actions of the menu Tools: what the mouse does on the canvas."""

from ccl_viewer.views.actions.spec import Group

TOOLS = Group("Tools", ())
