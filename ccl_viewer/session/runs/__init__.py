"""Which run is on display, and how the next is begun."""
