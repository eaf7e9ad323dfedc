"""Logs and command ledgers."""
