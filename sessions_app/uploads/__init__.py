"""Uploads: the files that a project's workspaces start with, sent by a person as an archive or a git bundle."""
