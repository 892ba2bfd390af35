"""The repository inside a session's workspace: what is not committed or pushed, and people who commit and push it."""
