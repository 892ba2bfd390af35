"""REST endpoints of accounts, teams and projects, in one module for each resource."""
