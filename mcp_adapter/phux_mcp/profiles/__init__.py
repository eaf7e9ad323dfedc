"""The tools of two other systems, with their names, parameters and texts, over phux's terminals."""
