"""Colours CUDA source, with Pygments' lexer."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from pygments.lexers import CudaLexer
from pygments.token import Token
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ccl_viewer.views.theme import Theme, mixed

_KINDS = (
    (Token.Comment.Preproc, "keyword"),
    (Token.Comment, "comment"),
    (Token.Keyword, "keyword"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Name.Function, "function"),
    (Token.Name.Builtin, "function"),
)

Span = tuple[int, int, str]


@lru_cache(maxsize=8)
def spans_of(text: str) -> tuple[tuple[Span, ...], ...]:
    """Return the coloured stretches of each line.

    Parameters
    ----------
    text : str
        Source in CUDA C++.

    Returns
    -------
    tuple of tuple of (int, int, str)
        For each line: start, length and the name of the theme's colour.
    """
    lines: list[list[Span]] = [[]]
    column = 0
    for token, value in CudaLexer(stripnl=False, ensurenl=False).get_tokens(text):
        color = next((name for kind, name in _KINDS if token in kind), None)
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
                column = 0
            if color is not None and part:
                lines[-1].append((column, len(part), color))
            column += len(part)
    return tuple(tuple(line) for line in lines)


class CudaHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document.

    Parameters
    ----------
    document : QTextDocument
        What to colour.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self._spans: tuple[tuple[Span, ...], ...] = ()
        self._skipped = frozenset[int]()
        self._faint = QTextCharFormat()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for name in set(chain.from_iterable(kind[1:] for kind in _KINDS)):
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
        before = self._spans, self._skipped
        self._spans, self._skipped = spans_of(text), frozenset(skipped)
        return before != (self._spans, self._skipped)

    def highlightBlock(self, text: str) -> None:
        """Colour one line; Qt calls this."""
        number = self.currentBlock().blockNumber()
        if number in self._skipped:
            self.setFormat(0, len(text), self._faint)
            return
        for start, length, name in self._spans[number] if number < len(self._spans) else ():
            self.setFormat(start, length, self._formats[name])
