"""docs/tools.md describes every tool as the tool describes itself."""

import pytest

from tools_app.management.commands.export_tools import PAGE, render
from tools_app.registry import catalogue
from tools_app.tools_page import BEGIN, END, with_tools

REFRESH = "run `python manage.py export_tools` and commit what it writes"


def test_the_committed_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), REFRESH


def test_every_tool_and_every_parameter_has_its_row() -> None:
    made = with_tools(f"{BEGIN}{END}", catalogue())
    for tool in catalogue().values():
        assert f"| `{tool.id}`" in made
    assert "| `todos[].status` | `pending` or `in_progress` or `completed` or `cancelled` | How far it is. |" in made
    assert "| `timeout` | whole number (more than 0 to 600,000), optional |" in made


def test_what_people_wrote_around_it_stays() -> None:
    page = with_tools(f"before\n{BEGIN}old{END}\nafter", catalogue())
    assert page.startswith(f"before\n{BEGIN}\n\n| tool |")
    assert page.endswith(f"{END}\nafter")


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="has no"):
        with_tools("text", catalogue())
