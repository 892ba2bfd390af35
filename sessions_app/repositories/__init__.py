"""Connections of teams to forges, the repositories of projects, and pull requests."""
