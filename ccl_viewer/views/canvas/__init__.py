"""The canvas: paints a step of a run, and takes the mouse and the keyboard."""
