"""What of the user's grid is in a file, and whether anything of it would be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from weakref import WeakKeyDictionary

from ccl_viewer.files import is_file
from ccl_viewer.grids import Grid
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.grids.selection import Patch
from ccl_viewer.grids.specs import is_pattern, parse_pattern
from ccl_viewer.recording import Recording
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.selection import Held, Selection
from ccl_viewer.session.files.work import RECORDING_SUFFIX
from ccl_viewer.session.lessons.user_state import UserState
from ccl_viewer.session.showing.inspect import title_of
from ccl_viewer.session.signals import Signal

_TEXTS = {".txt", ".rle"}
"""Suffixes of files that hold nothing but a grid."""


class Keeping:
    """Knows which grids were saved, and as what.

    A grid that was opened or computed is safe until it is edited. Undo back to that, or to what was
    saved, makes it safe again.

    Attributes
    ----------
    changed : Signal
        A grid was saved, or given up.

    Parameters
    ----------
    drawing : Drawing
        The grid on display.
    selection : Selection
        What floats over it, which is part of it for the user.
    put_away : callable
        Returns what belongs to the user while a lesson shows a grid of its own; otherwise None.
    stale : callable
        Returns whether the grid was edited after the run on display.
    """

    def __init__(
        self,
        drawing: Drawing,
        selection: Selection,
        put_away: Callable[[], UserState | None],
        stale: Callable[[], bool],
    ) -> None:
        self.changed = Signal()
        self._drawing = drawing
        self._selection = selection
        self._given_up: Patch | None = None
        self._put_away = put_away
        self._stale = stale
        self._files: WeakKeyDictionary[GridEditor, Path] = WeakKeyDictionary()

    @property
    def at_risk(self) -> bool:
        """Whether the user's own grid was edited, and is in no file as it is.

        What floats over it is in none.
        """
        editor, (_, floating, _) = self.own()
        if floating is not None and floating is not self._given_up:
            return True
        return editor is not None and editor.at_risk

    @property
    def file(self) -> Path | None:
        """The file that the grid on display was saved to last; None if it was not."""
        editor = self._drawing.editor
        return None if editor is None else self._files.get(editor)

    def title(self, source: str) -> str:
        """Return a short name of the grid on display: of its file, or of where it came from."""
        return title_of(source) if self.file is None else self.file.name

    def saving(self, what: Recording | Grid) -> Callable[[Path], None]:
        """Return whom to tell of the file, once one holds the grid on display.

        Parameters
        ----------
        what : Recording or ndarray of uint8, shape (height, width)
            What is being saved: the run on display may be of an earlier grid.
        """
        editor = self._drawing.editor
        if editor is None or (isinstance(what, Recording) and self._stale()):
            return lambda _path: None
        point = editor.point

        def saved(path: Path) -> None:
            editor.keep(point)
            self._files[editor] = path
            self.changed.emit()

        return saved

    def suggested_for_own(self, source: str) -> str:
        """Return a name for a file of the user's own grid, also while a lesson shows another."""
        own = self._put_away()
        if own is None:
            return self.suggested(source)
        file = None if own.editor is None else self._files.get(own.editor)
        return _suggested(file, own.source)

    def suggested(self, source: str) -> str:
        """Return a name for a file of the grid on display.

        Parameters
        ----------
        source : str
            Where the grid came from. A picture is not offered to be written over: the grid is
            only what its pixels became.
        """
        return _suggested(self.file, source)

    def give_up(self) -> None:
        """Take the user's word that the own grid may be lost as it is now."""
        editor, (_, self._given_up, _) = self.own()
        if editor is not None:
            editor.end_stroke()  # or it would be at risk for as long as the button is held
            editor.keep(editor.point)
            self.changed.emit()

    def own(self) -> tuple[GridEditor | None, Held]:
        """Return the user's own grid, not that of a lesson, and what floats over it."""
        own = self._put_away()
        if own is None:
            return self._drawing.editor, self._selection.held
        return own.editor, own.selection


def _suggested(file: Path | None, source: str) -> str:
    if file is not None and file.suffix.lower() != RECORDING_SUFFIX:
        return str(file)
    if is_pattern(source):
        return f"{parse_pattern(source)[0].key}.png"
    path = Path(source)
    if path.suffix.lower() in _TEXTS and is_file(path):
        return str(path)
    return f"{path.stem}-grid.png" if path.suffix else "grid.png"
