"""Policies of the site, teams and projects: their documents, their versions, and the policies in force."""
