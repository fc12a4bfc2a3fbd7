"""The bar with the algorithm and its settings."""
