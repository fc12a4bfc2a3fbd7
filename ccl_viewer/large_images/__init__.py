"""Images in chunks: Dask arrays, and files larger than memory."""
