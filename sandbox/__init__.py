"""Workspace sandboxes: where one lives (Deployment) and what can be done inside it (Runtime). No Django."""
