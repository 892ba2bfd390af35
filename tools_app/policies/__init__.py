"""Policies of the site, teams and projects: their documents, their versions, and what is currently in force."""
