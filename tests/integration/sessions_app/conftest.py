from tests.support.model_server import model_server
from tests.support.repositories import forge_site, repo
from tests.support.session_site import local_deployment, site
from tests.support.task_pump import pump

__all__ = ["forge_site", "local_deployment", "model_server", "pump", "repo", "site"]
