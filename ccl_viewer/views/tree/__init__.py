"""The panel of the equivalence forest."""
