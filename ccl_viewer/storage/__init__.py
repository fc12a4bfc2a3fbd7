"""Files, temporary files, the cache and the package's own resources."""
