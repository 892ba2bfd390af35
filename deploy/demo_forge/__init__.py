"""A forge on this machine for the demo and the tests: real git over HTTP, and the parts of the APIs of GitHub, GitLab,
Gitea and Bitbucket that the site uses.

with forge() as site:
    account = site.account("kim")
    repository = site.repository("tea/shop", {"README.md": "# Tea\\n"}, readers=[account], writers=[account])
    ... clone repository.clone_url with account.token as the password ...
    assert repository.heads()["main"]
"""

from deploy.demo_forge.model import Account, App, ForgeRepository, LfsFiles, PullRequest
from deploy.demo_forge.server import Forge, forge

__all__ = ["Account", "App", "Forge", "ForgeRepository", "LfsFiles", "PullRequest", "forge"]
