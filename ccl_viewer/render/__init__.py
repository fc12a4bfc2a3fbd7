"""Pictures of recordings, drawn with NumPy; Pillow draws text."""
