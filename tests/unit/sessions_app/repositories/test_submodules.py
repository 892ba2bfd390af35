"""Allowed sources of submodules: repositories at the connection's server that admins named, and the public web."""

import pytest

from sessions_app.repositories.models import Connection, ProjectRepository
from sessions_app.repositories.submodules import Submodule, is_allowed_name, may_read, placed, read_settings


def row(
    base_url: str = "https://git.example:8443", kind: str = "gitlab", *, submodules: list[str]
) -> ProjectRepository:
    connection = Connection(kind=kind, base_url=base_url)
    return ProjectRepository(connection=connection, full_name="tea/shop", submodules=submodules)


@pytest.mark.parametrize(
    "url",
    [
        "../lib.git", "../../tea/lib", "https://git.example:8443/tea/lib.git", "git@git.example:tea/lib.git",
        "ssh://git@git.example:2222/tea/lib",
    ],
)  # fmt: skip
def test_every_spelling_of_a_repository_at_the_server_leads_to_the_door(url: str) -> None:
    allowed = placed(Submodule("lib", "lib", url), row(submodules=["tea/lib"]))
    assert allowed.address == "door:tea/lib"
    refused = placed(Submodule("lib", "lib", url), row(submodules=["tea/other"]))
    assert refused.address == ""
    assert "An admin has to add tea/lib" in refused.problem


@pytest.mark.parametrize(
    ("url", "address", "problem"),
    [
        ("https://web.example/a.git", "https://web.example/a.git", ""),
        ("https://git.example/tea/lib", "https://git.example/tea/lib", ""),  # another port is another server
        ("git://web.example/a.git", "", "neither at the connection's server nor https://"),
        ("/srv/git/a.git", "", "neither"),
        ("ext::sh -c id", "", "neither"),
        ("git@other.example:tea/lib.git", "", "neither"),
        ("https://web.example/a\tb", "", "cannot be used here"),
        ("", "", "cannot be used here"),
    ],
)
def test_other_addresses_are_of_the_public_web_or_refused(url: str, address: str, problem: str) -> None:
    found = placed(Submodule("lib", "lib", url), row(submodules=["tea/lib", "srv/*"]))
    assert found.address == address
    assert problem in found.problem


def test_a_public_repository_has_only_submodules_of_the_web() -> None:
    public = ProjectRepository(connection=None, full_name="tea/shop", submodules=[])
    assert "without a connection" in placed(Submodule("lib", "lib", "../lib.git"), public).problem
    assert placed(Submodule("lib", "lib", "https://web.example/a"), public).address == "https://web.example/a"


def test_names_and_patterns() -> None:
    assert may_read("tea/lib", ["tea/*"])
    assert not may_read("tea/deep/lib", ["tea/*"])
    assert not may_read("teapot/lib", ["tea/lib", "tea/*"])
    assert [is_allowed_name(each) for each in ("tea/lib", "tea/*", "*", "*/lib", "tea/../x", "lib")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


def test_settings_are_read_by_submodule() -> None:
    listed = "submodule.a.b.path\nlibs/a\0submodule.a.b.url\n../a\0submodule.a.b.branch\nx\0core.x\ny\0"
    assert read_settings(listed) == [Submodule("a.b", "libs/a", "../a")]
