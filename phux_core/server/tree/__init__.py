"""Sessions, windows and panes: records, layout changes, and how panes start and end."""
