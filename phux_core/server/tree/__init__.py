"""Sessions, windows and panes: records, documents, layout changes, and how panes start and end."""
