"""What goes on inside runs: checks, profiles, phases."""
