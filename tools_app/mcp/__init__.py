"""MCP: the only place that knows the `mcp` library, which no process of the site but a guarded one imports."""
