"""The line above the canvas in full screen."""
