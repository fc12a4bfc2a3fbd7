"""What is opened and saved, and what is asked about it."""
