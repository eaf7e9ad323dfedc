"""x."""

HOSTS = {"claude-code": 1}
