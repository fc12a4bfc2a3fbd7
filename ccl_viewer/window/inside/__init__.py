"""Inside a launch: its phases."""
