"""What is drawn with: the strip of tools and the palette of values."""
