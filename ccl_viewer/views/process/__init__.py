"""The program around the window: threads, signals, faults."""
