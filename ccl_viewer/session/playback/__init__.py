"""Where the window stands in a run, and how it moves."""
