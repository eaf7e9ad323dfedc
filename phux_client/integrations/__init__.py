"""Integrations with other libraries, each with an extra of its own."""
