"""Builds the documentation site: ``sphinx-build -W docs build/site``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import ccl_viewer

sys.path.insert(0, str(Path(__file__).parent))
import generated_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "CCL Viewer"
author = "The CCL Viewer founders"
release = ccl_viewer.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_design"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "pydata_sphinx_theme"
html_title = "CCL Viewer"
html_theme_options = {"show_toc_level": 2, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False
html_extra_path = ["_players"]
html_css_files = ["site.css"]
html_static_path = ["_static"]
numpydoc_show_class_members = False
exclude_patterns = ["reproduction", "_players"]
# Links to files of the source tree, which are no pages.
suppress_warnings = ["myst.xref_missing"]


(Path(__file__).parent / "_players").mkdir(exist_ok=True)


def setup(app: Sphinx) -> None:
    """Write the pages that come from the code before the others are read."""
    app.connect("builder-inited", lambda app: generated_pages.write(Path(app.srcdir)))
