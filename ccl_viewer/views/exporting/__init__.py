"""The dialog that exports runs."""
