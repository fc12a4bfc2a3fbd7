"""The window: a Qt widget for each model. Qt is imported by its modules, never by this package."""
