"""Run a command in a pane's shell and return its exit status and output."""
