"""Commit settings: author, committer, additional lines, signatures."""
