"""The whole table, menu by menu."""

from ccl_viewer.views.actions.compare import COMPARE
from ccl_viewer.views.actions.edit import EDIT
from ccl_viewer.views.actions.file import FILE
from ccl_viewer.views.actions.help import HELP
from ccl_viewer.views.actions.lessons import LESSONS
from ccl_viewer.views.actions.playback import PLAYBACK
from ccl_viewer.views.actions.run import RUN
from ccl_viewer.views.actions.spec import Group
from ccl_viewer.views.actions.tools import TOOLS
from ccl_viewer.views.actions.view import VIEW

GROUPS: tuple[Group, ...] = (FILE, EDIT, TOOLS, RUN, PLAYBACK, COMPARE, VIEW, LESSONS, HELP)
"""Groups of actions, as menus and the list of keys show them."""
