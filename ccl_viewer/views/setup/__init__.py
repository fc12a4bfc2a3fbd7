"""What is labelled, by which algorithm, where and how: the bar at the top."""
