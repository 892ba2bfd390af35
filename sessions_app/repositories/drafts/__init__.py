"""Drafts of commit messages and pull requests, which a small model writes from the diff."""
