"""What is drawn of a step, and how the mouse reaches it."""
