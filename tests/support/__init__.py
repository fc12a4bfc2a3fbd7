"""Shared by several test modules."""
