"""Parts that any panel may use."""
