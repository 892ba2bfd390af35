"""REST endpoints of accounts, teams and projects: one module for each resource."""
