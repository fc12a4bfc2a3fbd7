"""The texts of lessons as labels show them."""

from __future__ import annotations

from ccl_viewer.views.looks.theme import Theme, mixed


def styled(html: str, theme: Theme) -> str:
    """Return text for a label, with the spacing of prose and code that stands out.

    Parameters
    ----------
    html : str
        What :func:`ccl_viewer.lessons.markup.to_html` returned.
    theme : Theme
        Colours.
    """
    back = mixed(theme.surface, theme.text, 0.12)
    last = html.rfind("<p>")
    if last >= 0 and html.endswith("</p>"):  # no space below the last paragraph
        html = f'{html[:last]}<p class="last">{html[last + 3 :]}'
    return (
        "<style>p { margin: 0 0 9px 0; line-height: 128%; } p.last { margin-bottom: 0; }"
        "ul { margin: 0 0 9px 0; -qt-list-indent: 0; margin-left: 18px; }"
        "li { margin-bottom: 4px; line-height: 128%; }"
        f"code {{ background-color: {back}; font-family: monospace; }}</style>{html}"
    )
