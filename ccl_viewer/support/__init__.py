"""Small helpers that depend on no other package."""
