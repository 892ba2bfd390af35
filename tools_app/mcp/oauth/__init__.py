"""Sign-in at remote MCP servers with OAuth 2.1: the SDK's flow in steps, in a guarded process."""
