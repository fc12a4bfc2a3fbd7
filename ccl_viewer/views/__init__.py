"""The window. Qt is imported by its modules, never by importing this package."""
