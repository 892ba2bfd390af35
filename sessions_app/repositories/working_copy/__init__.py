"""The repository inside a session's workspace: its changes that are not committed or pushed, and the endpoints with
which people commit and push them."""
