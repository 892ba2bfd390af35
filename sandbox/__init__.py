"""Workspace sandboxes, without Django: `Deployment` creates and removes sandboxes, `Runtime` works inside one."""
