"""Asks for the name of a file to be written, whose suffix follows the kind that is chosen."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QDialog, QFileDialog, QWidget


def ask_for_name(
    parent: QWidget, title: str, start: str, filters: str, wanted: str = ""
) -> tuple[str, str]:
    """Ask for a name.

    Parameters
    ----------
    parent : QWidget
        The window that asks.
    title : str
        What is saved.
    start : str
        The name to begin with.
    filters : str
        Kinds of files, divided by ``;;``: ``"Text (*.txt);;Table (*.csv *.tsv)"``.
    wanted : str
        Suffix of the kind to begin with; empty for that of `start`.

    Returns
    -------
    tuple of str
        The name, empty if none was chosen, and the kind.
    """
    dialog = make_dialog(parent, title, start, filters, wanted)
    chosen = dialog.selectedFiles() if dialog.exec() == QDialog.DialogCode.Accepted else []
    dialog.deleteLater()
    return (chosen[0] if chosen else ""), dialog.selectedNameFilter()


def make_dialog(
    parent: QWidget, title: str, start: str, filters: str, wanted: str = ""
) -> QFileDialog:
    """Return the dialog that asks; see :func:`ask_for_name`."""
    begun = Path(start)
    dialog = QFileDialog(parent, title, str(begun.parent))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    kinds = filters.split(";;")
    dialog.setNameFilters(kinds)
    suffix = wanted or begun.suffix
    dialog.selectNameFilter(next((kind for kind in kinds if suffix in suffixes(kind)), kinds[0]))
    dialog.selectFile(begun.name)

    def follow(kind: str) -> None:
        found = suffixes(kind)
        if not found:
            return
        dialog.setDefaultSuffix(found[0])
        names = dialog.selectedFiles()
        if names:
            dialog.selectFile(renamed(Path(names[0]), found).name)

    follow(dialog.selectedNameFilter())
    dialog.filterSelected.connect(follow)
    return dialog


def suffixes(kind: str) -> tuple[str, ...]:
    """Return the suffixes that a kind of files has: ``(".txt",)`` of ``"Text (*.txt)"``."""
    return tuple(re.findall(r"\*(\.\w+)", kind))


def renamed(path: Path, allowed: tuple[str, ...]) -> Path:
    """Return a name with the first of some suffixes, unless it has one of them."""
    return path if path.suffix.lower() in allowed else path.with_suffix(allowed[0])
