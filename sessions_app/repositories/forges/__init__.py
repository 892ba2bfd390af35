"""Clients of forges: GitHub, GitLab, Gitea and Forgejo, Bitbucket, and any git server. Without Django."""
