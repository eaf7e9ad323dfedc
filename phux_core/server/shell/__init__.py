"""Track what a shell is doing, from its marks, typed input and the foreground process."""
