"""MCP servers of the site, of teams and projects: models, actions, REST."""
