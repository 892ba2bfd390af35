"""REST of people, teams and what belongs to them: one module for each resource."""
