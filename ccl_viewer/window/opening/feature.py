"""Opening: files, the clipboard, dropped files, importing pictures, the start page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.window.opening.actions import opening_actions
from ccl_viewer.window.opening.clipboard import DropTarget, QtClipboard
from ccl_viewer.window.opening.importing import QtImports
from ccl_viewer.window.opening.recent import RecentMenu
from ccl_viewer.window.opening.start_page import QtStartPage
from ccl_viewer.window.widgets.feature import Area, Context, Feature, PaletteEntry, SubmenuSpec


def build(context: Context) -> Feature:
    """Return what opening adds to the window."""
    session, files = context.session, context.files
    imports = QtImports(session.imports, session.runs, files, context.parent)
    clipboard = QtClipboard(session, files, context.parent)

    def find() -> Iterator[PaletteEntry]:
        for key, pattern in PATTERNS.items():
            yield PaletteEntry(pattern.title, "Pattern", partial(files.open_path, f"pattern:{key}"))

    def make_start_page() -> QtStartPage:
        page = QtStartPage(
            session.document, session.comparison, session.files, context.actions, files
        )
        page.left.connect(context.leave_start_page)
        return page

    return Feature(
        actions=opening_actions(context, clipboard),
        submenus=(
            SubmenuSpec(
                "File", "import_again", lambda menu: RecentMenu(session.files, files, menu)
            ),
        ),
        widgets={Area.START: make_start_page},
        overlays=(lambda pages: DropTarget(pages, clipboard),),
        find=find,
        close=imports.close,
    )
