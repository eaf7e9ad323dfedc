"""Push events, text and attach frames to clients."""
