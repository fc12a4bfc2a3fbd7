"""What the window says of work, failures and states."""
