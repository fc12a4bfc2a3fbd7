"""Widgets, dialogs and style that several features share."""
