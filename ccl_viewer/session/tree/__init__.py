"""The equivalence forest of what is pinned."""
