"""Commit settings: author, committer, further lines, signatures."""
