"""The site as an MCP server at `/mcp`: each tool and resource is an operation of the REST API, called in this process
with the API token of the client. Therefore the rights, scopes, rate limits and errors of the REST API apply."""
