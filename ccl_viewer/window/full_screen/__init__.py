"""Full screen for a projector."""
