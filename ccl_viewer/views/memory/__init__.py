"""What is the same when the window is opened again."""
