"""Track the state of a shell by its marks, typed input and the foreground process."""
