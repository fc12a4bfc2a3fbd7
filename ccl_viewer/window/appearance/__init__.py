"""Theme, size of text and motion."""
