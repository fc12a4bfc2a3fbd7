"""Pictures of recordings, made with NumPy alone; Pillow sets the text."""
