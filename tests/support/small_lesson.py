"""A small lesson for tests."""

from __future__ import annotations

from pathlib import Path

LESSON = """
title = "A small one"
minutes = 5
aims = ["See what a lesson is."]

[defaults]
grid = "row"
algorithm = "label_equivalence"

[grids]
row = '''
##..
#.##
'''

[[scene]]
title = "Before"
caption = "There are **{roots} roots** in `labels`."
step = 0
highlight = [[0, 0], [1, 0]]
pin = [1, 0]
more = "A root names *itself*."
notes = "Wait for a *moment*."
show = { arrows = true }

[[scene]]
title = "How many"
caption = "Count."
step = -1
[scene.question]
kind = "components"

[[scene]]
title = "Which merge"
caption = "Look."
step = 0
schedule = "sequential"
[scene.question]
kind = "merged-roots"

[[scene]]
title = "Which label"
caption = "Guess."
step = 0
[scene.question]
kind = "next-label"
cell = [1, 0]
"""
"""Four scenes on eight cells: one without a question, and one for each kind of answer."""


def write_lesson(folder: Path, name: str = "small", text: str = LESSON) -> Path:
    """Write a lesson's file, and return its path."""
    path = folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return path
