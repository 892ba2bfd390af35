"""Workspace sandboxes, without Django: `Deployment` manages where a sandbox lives, `Runtime` works inside it."""
