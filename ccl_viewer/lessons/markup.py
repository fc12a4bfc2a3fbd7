"""The Markdown of lessons: its rules, and conversions for all displays.

Paragraphs, lists with ``-``, ``**bold**``, ``*italic*`` and `` `code` ``. No links, pictures, HTML,
headings or tables: a lesson is data, shows the same everywhere, and loads nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from html import escape

_CODE = re.compile(r"`([^`\n]+)`")
_BOLD_ENDS = re.compile(r"(?<=\S)(?=\*\*)")
_ITALIC = re.compile(r"\*(?=\S)([^*]+)(?<=\S)\*")
_ITEM = re.compile(r"^- ", re.MULTILINE)

_FORBIDDEN = (
    (re.compile(r"<[A-Za-z/!?]"), "HTML is not shown: write Markdown, or words."),
    (re.compile(r"!?\[[^\[\]\n]*\]\s?[(\[]"), "Links and pictures are not shown: write words."),
    (re.compile(r"(?:https?|ftp|file|mailto|data|javascript):\S", re.IGNORECASE),
     "Addresses of pages are not shown: name the source in words."),
    (re.compile(r"^ {0,3}#{1,6} ", re.MULTILINE), "Headings are not shown: use the scene's title."),
    (re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE), "Blocks of code are not shown: use `code`."),
    (re.compile(r"^ {0,3}(?:[*+] |\d+[.)] )", re.MULTILINE), "Lists are written with '- '."),
    (re.compile(r"^ *\|", re.MULTILINE), "Tables are not shown: write a list with '- '."),
    (re.compile(r"^ {0,3}>", re.MULTILINE), "Quotations are not shown: write words."),
)  # fmt: skip


def find_markup_faults(text: str) -> Iterator[str]:
    """Yield a sentence for each part of a text that lessons do not allow."""
    prose = _CODE.sub("", text)
    for pattern, sentence in _FORBIDDEN:
        if pattern.search(prose):
            yield sentence
    if "*" in _mark_up(prose, "{}", "{}"):
        yield "A * has no partner: close what it opens, or write `*`."
    if "`" in prose:
        yield "A ` has no partner: close what it opens."


def to_plain_text(text: str, bold: str = "{}") -> str:
    """Return a text without its marks; paragraphs stay, and bold text fills a template."""
    return _split_at_code(text, lambda prose: _mark_up(prose, bold, "{}"), "{}")


def to_html(text: str) -> str:
    """Return a text as HTML that holds nothing but ``p``, ``ul``, ``li``, ``b``, ``i``, ``code``.

    Parameters
    ----------
    text : str
        Markdown of lessons; all other text is shown unchanged.
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    return "".join(_block(block) for block in blocks if block.strip())


def _block(block: str) -> str:
    if not block.startswith("- "):
        return f"<p>{_inline(block)}</p>"
    items = _ITEM.split(block)[1:]
    return "<ul>" + "".join(f"<li>{_inline(item.strip())}</li>" for item in items) + "</ul>"


def _inline(text: str) -> str:
    html = escape(text, quote=False)
    return _split_at_code(
        html, lambda prose: _mark_up(prose, "<b>{}</b>", "<i>{}</i>"), "<code>{}</code>"
    )


def _mark_up(prose: str, bold: str, italic: str) -> str:
    """Fill marked text into templates; bold text may contain italic text.

    ``**`` opens if no blank follows, and the next one closes that no blank precedes; likewise
    ``*``, with no other ``*`` between. The time is linear in the length, even for a file with
    thousands of unclosed marks.
    """
    ends = deque(match.start() for match in _BOLD_ENDS.finditer(prose))
    parts = []
    at = 0
    while (star := prose.find("*", at)) >= 0:
        parts.append(prose[at:star])
        at = star + 1
        while ends and ends[0] < star + 3:
            ends.popleft()
        after = prose[star + 1 : star + 3]
        if ends and after[:1] == "*" and after[1:].strip():
            parts.append(bold.format(_italic(prose[star + 2 : ends[0]], italic)))
            at = ends[0] + 2
            continue
        end = prose.find("*", at)
        if end > at and not prose[at].isspace() and not prose[end - 1].isspace():
            parts.append(italic.format(prose[at:end]))
            at = end + 1
        else:
            parts.append("*")
    return "".join((*parts, prose[at:]))


def _italic(prose: str, italic: str) -> str:
    return _ITALIC.sub(lambda match: italic.format(match[1]), prose)


def _split_at_code(text: str, change: Callable[[str], str], code: str) -> str:
    """Change a text outside its code, and write each piece of code by a template."""
    return "".join(
        code.format(part) if index % 2 else change(part)
        for index, part in enumerate(_CODE.split(text))
    )
