"""Asks for the name of a file to be written, whose suffix follows the kind that is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox, QWidget

from ccl_viewer.export import EXPORT_FORMATS
from ccl_viewer.files import is_file
from ccl_viewer.grids.files import READ_SUFFIXES
from ccl_viewer.grids.saving import WRITTEN_SUFFIXES

_FOREIGN: Final = (".pdf",)  # which other programs save, and somebody may ask for here
_KINDS: Final = frozenset(
    (*READ_SUFFIXES, *WRITTEN_SUFFIXES, *(row.suffix for row in EXPORT_FORMATS), *_FOREIGN)
)
"""Suffixes that say what a file holds; what else follows a dot is part of the name."""


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
        The name, empty if none was chosen, and the kind. The name ends in a suffix of one of the
        kinds: of the one that was chosen, unless it has another.
    """
    dialog = make_dialog(parent, title, start, filters, wanted)
    name = ""
    while not name and dialog.exec() == QDialog.DialogCode.Accepted:
        chosen = dialog.selectedFiles()[0]
        refusal = refusal_of(Path(chosen), filters)
        if refusal:
            QMessageBox.information(parent, title, refusal)
            chosen = str(Path(chosen).with_suffix(""))
            dialog.selectFile(str(renamed(Path(chosen), filters, dialog.selectedNameFilter())))
            continue
        completed = str(renamed(Path(chosen), filters, dialog.selectedNameFilter()))
        if completed == chosen or not is_file(completed):
            name = completed
        else:  # asked once more, so that the dialog tells of the file that is there
            dialog.selectFile(completed)
    dialog.deleteLater()
    return name, dialog.selectedNameFilter()


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
            bare = without_suffix(Path(names[0]), filters, kind)
            dialog.selectFile(renamed(bare, kind, kind).name)

    follow(dialog.selectedNameFilter())
    dialog.filterSelected.connect(follow)
    return dialog


def suffixes(kind: str) -> tuple[str, ...]:
    """Return the suffixes that a kind of files has: ``(".txt",)`` of ``"Text (*.txt)"``."""
    return tuple(re.findall(r"\*(\.\w+)", kind))


def kind_of(title: str, found: Iterable[str]) -> str:
    """Return a kind of files, of its title and its suffixes: what :func:`suffixes` takes apart."""
    return f"{title} ({' '.join(f'*{suffix}' for suffix in found)})"


def refusal_of(path: Path, filters: str) -> str:
    """Say why a file cannot have a name, as its suffix is of a kind that is not written here.

    Parameters
    ----------
    path : Path
        The name.
    filters : str
        As for :func:`ask_for_name`.

    Returns
    -------
    str
        A sentence; empty if it can.
    """
    written, suffix = dict.fromkeys(suffixes(filters)), path.suffix.lower()
    if suffix in written or suffix not in _KINDS:
        return ""
    return f"{path.name} cannot be written: what is saved here ends in {', '.join(written)}."


def renamed(path: Path, filters: str, kind: str) -> Path:
    """Return a name with the first suffix of a kind, unless it ends in one of any kind.

    What else follows a dot is part of the name: ``run.v2``, ``noise 0.5``.

    Parameters
    ----------
    path : Path
        The name.
    filters : str
        All kinds of files, parted by two semicolons.
    kind : str
        The kind that is chosen: ``"Text (*.txt)"``.
    """
    known = path.suffix.lower() in suffixes(filters)
    return path if known or not suffixes(kind) else path.with_name(path.name + suffixes(kind)[0])


def without_suffix(path: Path, filters: str, kind: str) -> Path:
    """Return a name without its suffix, if that is of another kind.

    Parameters
    ----------
    path, filters, kind
        As for :func:`renamed`.
    """
    of_another = path.suffix.lower() in set(suffixes(filters)) - set(suffixes(kind))
    return path.with_suffix("") if of_another else path
