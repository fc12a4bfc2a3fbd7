"""Signs that the window's text uses, by name."""

TIMES = "\N{MULTIPLICATION SIGN}"
DASH = "\N{EN DASH}"
DOT = "   \N{MIDDLE DOT}   "
