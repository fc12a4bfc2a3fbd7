"""The list of steps, the transport, and the explanation of the step on display."""
