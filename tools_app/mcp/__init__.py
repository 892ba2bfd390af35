"""MCP servers: their tools, and the clients that reach them. Only this package imports the `mcp` library.

Local servers run in workspaces; the sandbox worker talks to them over stdio. Remote servers and search servers are
reached by guarded processes, which parse what comes from the network.
"""
