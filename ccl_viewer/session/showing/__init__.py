"""The step on display: its labels, decoded in time, and how they are looked at."""
