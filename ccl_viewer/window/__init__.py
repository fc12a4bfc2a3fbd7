"""The desktop program: a folder for each feature, and shared code."""
