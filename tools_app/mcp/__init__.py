"""MCP client. Only this package imports the `mcp` library, and it runs only in guarded processes."""
