"""`manage.py export_tools`: regenerate the tables of tools in docs/tools.md."""

from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand

from agentsite.base.environment import REPOSITORY
from tools_app.registry import catalogue
from tools_app.tools_page import with_tools

PAGE: Final = REPOSITORY / "docs" / "tools.md"


def render(page: Path = PAGE) -> str:
    """Return the text of docs/tools.md (`page`) with the tables of tools brought up to date."""
    return with_tools(page.read_text(encoding="utf-8"), catalogue())


class Command(BaseCommand):
    help = "Regenerate the tables of tools in docs/tools.md."

    def handle(self, *_args: Any, **_options: Any) -> None:
        PAGE.write_text(render(), encoding="utf-8")
        self.stdout.write(f"{PAGE}")
