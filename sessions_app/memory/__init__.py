"""The memory of projects: notes that agents and people keep for later sessions."""
