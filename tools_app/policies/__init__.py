"""Policies: what the admins of the site, a team and a project decided. Documents, versions, and what is in force."""
