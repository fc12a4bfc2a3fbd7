"""Runs side by side: their canvases, headings, controls and table."""
