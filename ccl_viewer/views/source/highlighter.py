"""Colours CUDA source, with Pygments' lexer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from time import perf_counter

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ccl_viewer.views.looks.theme import Theme, mixed

_COLOURS = ("comment", "keyword", "string", "number", "function")
_SLICE = 0.008
"""Seconds for which colours are found before the window goes on: a long source takes 0.1 s."""

Span = tuple[int, int, str]


class Colouring:
    """The coloured stretches of a source, found a few lines at a time.

    Parameters
    ----------
    text : str
        Source in CUDA C++.

    Attributes
    ----------
    lines : list of list of (int, int, str)
        For each line found so far: start, length and the name of the theme's colour.
    whole : bool
        Whether all lines were found.
    """

    def __init__(self, text: str) -> None:
        self.lines: list[list[Span]] = []
        self.whole = False
        self._rest = _lines_of(text)

    def go_on(self, seconds: float) -> None:
        """Find further lines, for about so long."""
        end = perf_counter() + seconds
        while not self.whole and perf_counter() < end:
            line = next(self._rest, None)
            if line is None:
                self.whole = True
            else:
                self.lines.append(line)


@lru_cache(maxsize=8)
def colouring_of(text: str) -> Colouring:
    """Return the colouring of a source, as far as it is known: the same for every text shown."""
    return Colouring(text)


def _lines_of(text: str) -> Iterator[list[Span]]:
    """Return the coloured stretches of each line, one line after the other."""
    # Pygments takes longer to import than the rest of a pane takes to be made.
    from pygments.lexers import CudaLexer
    from pygments.token import Token

    kinds = (
        (Token.Comment.Preproc, "keyword"),
        (Token.Comment, "comment"),
        (Token.Keyword, "keyword"),
        (Token.Literal.String, "string"),
        (Token.Literal.Number, "number"),
        (Token.Name.Function, "function"),
        (Token.Name.Builtin, "function"),
    )
    line: list[Span] = []
    column = 0
    for token, value in CudaLexer(stripnl=False, ensurenl=False).get_tokens(text):
        color = next((name for kind, name in kinds if token in kind), None)
        for number, part in enumerate(value.split("\n")):
            if number:
                yield line
                line, column = [], 0
            if color is not None and part:
                line.append((column, len(part), color))
            column += len(part)
    yield line


class CudaHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document, those of a new source a moment after it is shown.

    Parameters
    ----------
    document : QTextDocument
        What to colour.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self._colouring = Colouring("")
        self._skipped = frozenset[int]()
        self._faint = QTextCharFormat()
        self._soon = QTimer(self, interval=0)
        self._soon.timeout.connect(self._go_on)

    @property
    def working(self) -> bool:
        """Whether colours are still being found."""
        return self._soon.isActive()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for name in _COLOURS:
            style = QTextCharFormat()
            style.setForeground(QColor(getattr(theme, name)))
            self._formats[name] = style
        self._faint.setForeground(QColor(mixed(theme.comment, theme.surface, 0.45)))
        self.rehighlight()

    def prepare(self, text: str, skipped: Iterable[int] = ()) -> bool:
        """Take note of the text that the document is about to hold.

        Parameters
        ----------
        text : str
            Source in CUDA C++.
        skipped : iterable of int
            Lines that are not compiled, from 0: they are dimmed.

        Returns
        -------
        bool
            Whether colours differ from those before.
        """
        before = self._colouring, self._skipped
        self._colouring, self._skipped = colouring_of(text), frozenset(skipped)
        if not self._colouring.whole:
            self._soon.start()
        return before != (self._colouring, self._skipped)

    def highlightBlock(self, text: str) -> None:
        """Colour one line; Qt calls this."""
        number = self.currentBlock().blockNumber()
        if number in self._skipped:
            self.setFormat(0, len(text), self._faint)
            return
        lines = self._colouring.lines
        for start, length, name in lines[number] if number < len(lines) else ():
            self.setFormat(start, length, self._formats[name])

    def _go_on(self) -> None:
        """Find colours of further lines, and show all when there are all."""
        self._colouring.go_on(_SLICE)
        if self._colouring.whole:
            self._soon.stop()
            self.rehighlight()
