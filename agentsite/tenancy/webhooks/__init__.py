"""Webhooks: which events there are, how they are signed, and when they are tried again. Pure."""
