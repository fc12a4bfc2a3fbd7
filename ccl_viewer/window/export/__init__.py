"""Export of pictures, animations, pages and data."""
