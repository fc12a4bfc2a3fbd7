"""The message line and the status bar."""
