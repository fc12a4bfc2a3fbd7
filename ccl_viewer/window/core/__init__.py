"""Models that several features share, without Qt."""
