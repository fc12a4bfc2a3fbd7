"""What the window shows and does, without Qt: evented models that views follow."""
