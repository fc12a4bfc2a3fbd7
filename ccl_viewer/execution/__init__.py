"""Plans, the devices that play them, and the driver."""
