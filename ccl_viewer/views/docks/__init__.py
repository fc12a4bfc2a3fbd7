"""Where panels lie, and how they hide and come back."""
