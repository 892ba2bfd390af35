"""`manage.py export_tools`: writes the table of tools in docs/tools.md anew."""

from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand

from agentsite.environment import REPOSITORY
from tools_app.registry import catalogue
from tools_app.tools_page import with_tools

PAGE: Final = REPOSITORY / "docs" / "tools.md"


def render(page: Path = PAGE) -> str:
    return with_tools(page.read_text(encoding="utf-8"), catalogue())


class Command(BaseCommand):
    help = "Write the table of tools in docs/tools.md anew."

    def handle(self, *_args: Any, **_options: Any) -> None:
        PAGE.write_text(render(), encoding="utf-8")
        self.stdout.write(f"{PAGE}")
