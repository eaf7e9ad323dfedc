"""Run a command in a pane's shell and return its exit code and output."""
