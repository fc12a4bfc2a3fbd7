"""The panel of the kernel's source."""
