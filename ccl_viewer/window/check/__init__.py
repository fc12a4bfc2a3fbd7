"""The search for memory errors, races and wrong labels."""
