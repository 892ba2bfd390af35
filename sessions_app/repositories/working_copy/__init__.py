"""The repository inside a session's workspace: its changes that are not committed or pushed, and how people commit and
push them."""
