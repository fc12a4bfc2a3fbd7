"""Memory accesses of a step, by buffer and line."""
