"""All that comes into the window: files, drops, the clipboard, patterns, new grids, imports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox, QWidget

from ccl_viewer.algorithms import algorithm
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.files import is_file
from ccl_viewer.grids.files import IMPORTED_SUFFIXES
from ccl_viewer.grids.specs import is_pattern, is_segmented, pattern_spec
from ccl_viewer.session import MessageKind
from ccl_viewer.session.files.work import RECORDING_SUFFIX
from ccl_viewer.session.runs.settings import SEGMENTING
from ccl_viewer.session.settings import Settings
from ccl_viewer.views.clipboard import clipboard
from ccl_viewer.views.clipboard.handing import Handing
from ccl_viewer.views.dialogs.new_grid import Filling, NewGridDialog
from ccl_viewer.views.dialogs.resize import ResizeDialog
from ccl_viewer.views.files.recent import RecentFiles
from ccl_viewer.views.host import Host
from ccl_viewer.views.importing.dialog import ImportDialog, controls_for
from ccl_viewer.views.patterns.dialog import PatternDialog
from ccl_viewer.views.patterns.gallery import make_small_patterns
from ccl_viewer.views.process.side_work import SideWork
from ccl_viewer.views.process.turns import take_a_turn
from ccl_viewer.views.widgets.save_name import kind_of

_PICTURES = f"{kind_of('Pictures and arrays', IMPORTED_SUFFIXES)};;All files (*)"
_CLIPBOARD = "the clipboard"
_DROPPED = "another program"
_Button = QMessageBox.StandardButton
_LOST = "when another grid takes their place"


class Intake:
    """Brings grids into the session, and asks what has to be asked.

    Parameters
    ----------
    window : QWidget
        The window that asks.
    host : Host
        What is acted on.
    settings : Settings
        Where recent files are remembered.
    """

    def __init__(self, window: QWidget, host: Host, settings: Settings) -> None:
        self._window = window
        self._host = host
        self._folder = ""
        self.recent = RecentFiles(settings, window)
        self.side: SideWork = SideWork(window)
        self.dialog: QDialog | None = None
        self.box: QMessageBox | None = None
        self._making = self._closed = False
        session = host.session
        self.handing = Handing(self.side, partial(session.say, MessageKind.ERROR))
        session.importing.offered.connect(self._ask_soon)
        session.importing.too_large.connect(self._confirm)
        session.grid_changed.connect(self._note_source)
        session.keeping.changed.connect(self._note_file)
        self._noted = ""
        self._soon = QTimer(window, singleShot=True, interval=0)
        self._soon.timeout.connect(self._ask)

    def open(self, path: str, *, always: bool = False) -> None:
        """Open a file of any kind; a picture is offered for choices first.

        As with all that takes the place of a drawing, the user is asked about that before.

        Parameters
        ----------
        path : str
            Name of the file, or a pattern.
        always : bool
            Offer a picture even if choices were to be kept.
        """
        session = self._host.session
        if is_pattern(path) or Path(path).suffix.lower() == RECORDING_SUFFIX:
            self._replace(lambda: session.open(path))
        else:
            self._replace(lambda: session.importing.open(path, always=always))

    def open_recent(self, path: str) -> None:
        """Open a file of the list of recent ones, or say that it is gone and forget it."""
        self.open(path)
        if not is_file(path):
            self.recent.forget(path)

    def ask_for_picture(self) -> None:
        """Ask for a picture, and how it is to be imported."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Import picture", self._folder, _PICTURES
        )
        if name:
            self._folder = str(Path(name).parent)
            self.open(name, always=True)

    def drop(self, data: QMimeData) -> bool:
        """Take what was dropped on the window; return whether it was of use."""
        return self._bring(data, _DROPPED)

    def paste(self) -> None:
        """Open what is on the clipboard in place of the grid, or say that it is of no use."""
        if not self._bring(QApplication.clipboard().mimeData(), _CLIPBOARD):
            self._host.session.say(
                MessageKind.INFO,
                "The clipboard holds no picture, file, RLE or text of '.' and '#': copy one first.",
            )

    def copy(self) -> None:
        """Put the grid on the clipboard, as a picture and as text."""
        session = self._host.session
        if session.grid is not None:
            multivalued = session.drawing.multivalued
            self.handing.put(session.grid.copy(), multivalued=multivalued, done=self._say_copied)

    def choose_pattern(self) -> None:
        """Ask for a pattern and its parameters, and open it."""
        session = self._host.session
        make_small_patterns()
        if not self.take_turn():
            return
        dialog = PatternDialog(
            self._host.appearance.theme, self.side, session.settings.connectivity, self._window
        )
        if self.run(dialog):
            self.open_pattern(dialog.spec)

    def open_pattern(self, spec: str) -> None:
        """Open a pattern; one of segments has its values told apart."""
        session = self._host.session

        def begin() -> None:
            if is_segmented(spec) and not algorithm(session.settings.algorithm).multivalued:
                session.configure(algorithm_key=SEGMENTING)
            session.open(spec)

        self._replace(begin)

    def import_again(self) -> None:
        """Offer the last picture once more."""
        self._replace(self._host.session.importing.repeat)

    def ask_for_new_grid(self) -> None:
        """Ask for size and content of a new grid, and put it in place of the old one."""
        session = self._host.session
        size = (64, 64) if session.grid is None else (session.grid.shape[1], session.grid.shape[0])
        dialog = NewGridDialog(size, self._window)
        if not self.run(dialog):
            return
        width, height = dialog.size_in_cells
        if dialog.filling is Filling.RANDOM:
            chance = {"density": dialog.density.value(), "seed": dialog.seed.value()}
            self.open(pattern_spec("noise", {"width": width, "height": height, **chance}))
        else:
            value = int(dialog.filling is Filling.FULL)
            self._settled(lambda: session.drawing.new(width, height, value))

    def ask_for_size(self) -> None:
        """Ask for another size of the grid, and give it that."""
        session = self._host.session
        if session.grid is None:
            return
        height, width = session.grid.shape
        dialog = ResizeDialog(
            (width, height),
            self._host.appearance.theme,
            multivalued=session.drawing.multivalued,
            parent=self._window,
        )
        if self.run(dialog):
            size, anchor, fill = dialog.size_in_cells, dialog.anchor, dialog.fill.value()
            self._settled(lambda: session.drawing.resize(*size, anchor, fill))

    def run(self, dialog: QDialog) -> bool:
        """Show a dialog until it is closed, by the user or with the window; return the answer."""
        self.dialog = dialog
        accepted = bool(dialog.exec())
        self.dialog = None
        dialog.deleteLater()
        if self._host.session.importing.offer is not None:
            self._soon.start()  # one that came meanwhile
        return accepted

    def take_turn(self, part: QWidget | None = None) -> bool:
        """Let the event loop have a turn while the parts of a dialog are made.

        Parameters
        ----------
        part : QWidget or None
            What was made so far; it goes if the dialog is not wanted any more.

        Returns
        -------
        bool
            Whether the dialog is wanted still: not if another came first, or the window was closed.
        """
        wanted = self._wants_another
        if wanted:
            self._making = True
            try:
                take_a_turn()
            finally:
                self._making = False
            wanted = self._wants_another
        if not wanted and part is not None:
            part.deleteLater()
        return wanted

    def close(self) -> None:
        """Close the dialog that is open, and wait for its work to end."""
        self._closed = True
        if self.dialog is not None:
            self.dialog.done(QDialog.DialogCode.Rejected)
        if self.box is not None:
            self.box.done(_Button.Cancel.value)
        self.handing.close()
        self.side.close()

    @property
    def _wants_another(self) -> bool:
        return not (self._making or self._closed or self.dialog is not None)

    def _bring(self, data: QMimeData | None, name: str) -> bool:
        session = self._host.session
        try:
            brought = clipboard.read(data)
        except CCLViewerError as error:
            session.say(MessageKind.ERROR, str(error))
            return True
        if brought is None:
            return False
        content = brought.cells or brought.picture
        if content is None:
            self.open(brought.path)
        else:
            self._replace(lambda: session.importing.bring(content, name))
        return True

    def _say_copied(self) -> None:
        sentence = "The grid is on the clipboard, as a picture and as text."
        self._host.session.say(MessageKind.INFO, sentence)

    def _replace(self, begin: Callable[[], object]) -> None:
        self._host.unsaved.before(begin, _LOST)

    def _settled(self, edit: Callable[[], object]) -> None:
        """Edit the grid with what floats, which would lie elsewhere on a grid of another size."""
        self._host.session.tools.selection.place(edit)

    def _ask_soon(self) -> None:
        # Not at once: the session is still telling its views that the file was read.
        self._soon.start()

    def _ask(self) -> None:
        """Ask how the picture on offer is to be imported."""
        session = self._host.session
        offer = session.importing.offer
        if offer is None or self.dialog is not None:
            return
        if self._making:  # what was asked for before comes first
            self._soon.start()
            return
        controls = controls_for(offer, self._host.appearance.theme)
        if not self.take_turn(controls):
            return
        if session.importing.offer is not offer:  # whose own question is about to come
            controls.deleteLater()
            return
        dialog = ImportDialog(
            offer,
            controls,
            connectivity=session.settings.connectivity,
            labels_values=algorithm(session.settings.algorithm).multivalued,
            runner=self.side,
            theme=self._host.appearance.theme,
            parent=self._window,
        )
        self.side.listener = dialog.poll
        accepted = self.run(dialog)
        self.side.listener = None
        if accepted:
            session.importing.accept(
                dialog.settings, dialog.converted, ask=not dialog.remember.isChecked()
            )
        else:
            session.importing.decline()

    def _confirm(self) -> None:
        """Ask whether a file is to be read that takes gigabytes of memory."""
        importing = self._host.session.importing
        asked = importing.unconfirmed
        if asked is None or self.box is not None or self._closed:
            return
        self.box = box = QMessageBox(self._window)
        box.setWindowModality(Qt.WindowModality.WindowModal)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle("Large picture")
        box.setText("Open it all the same?")
        box.setInformativeText(f"{asked.fact}.")
        box.setStandardButtons(_Button.Open | _Button.Cancel)
        box.setDefaultButton(_Button.Cancel)

        def answered(answer: int) -> None:
            self.box = None
            box.deleteLater()
            # What was opened meanwhile comes first.
            if answer == _Button.Open.value and importing.unconfirmed is asked:
                importing.open(asked.path, always=asked.always, large=True)

        box.finished.connect(answered)
        box.open()

    def _note_source(self) -> None:
        """Remember the file that the grid came from."""
        source = self._host.session.source
        if source != self._noted:
            self._noted = source
            if source and not is_pattern(source) and is_file(source):
                self.recent.add(source)

    def _note_file(self) -> None:
        """Remember the file that the grid was saved to."""
        file = self._host.session.keeping.file
        if file is not None:
            self.recent.add(str(file))
