"""Variables of teams, projects and people, which commands in workspaces get in their environment."""
