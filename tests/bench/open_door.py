"""Run a door (the proxy for workspaces) whose policies allow every host, without a database: `python -m
tests.bench.open_door FOLDER`."""

import asyncio
import os
import sys
from pathlib import Path
from unittest.mock import AsyncMock, patch


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentsite.settings")
    import django

    django.setup()
    from sessions_app.workers.door import rules, serving
    from tools_app.network.judging import NetworkPolicy

    everything = rules.WorkspaceRules(NetworkPolicy("open", "site"), (), ())
    unsaved = patch.object(serving, "save_traffic", AsyncMock())
    with patch.object(rules, "load_rules", lambda _: everything), unsaved:
        asyncio.run(serving.serve(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
