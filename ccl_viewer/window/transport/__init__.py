"""The transport: buttons and scrubber to step through a run."""
