"""What is opened, imported and written."""
