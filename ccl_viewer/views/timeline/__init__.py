"""Every step as a mark in time."""
