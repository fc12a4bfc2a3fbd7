"""The diagram of a component's trees."""
