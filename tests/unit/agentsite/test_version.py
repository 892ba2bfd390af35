import tomllib

from agentsite import VERSION
from agentsite.base.environment import REPOSITORY


def test_the_site_says_the_version_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION


def test_the_changelog_starts_with_what_is_being_made() -> None:
    assert "## Unreleased" in (REPOSITORY / "CHANGELOG.md").read_text()
