"""The desktop program: a folder for each feature, and what they share."""
