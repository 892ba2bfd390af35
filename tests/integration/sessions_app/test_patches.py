"""The changes of each call in the workspace are stored with its message."""

import pytest

from sessions_app.models import Part, Turn
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.django_db(transaction=True)


def test_exports_have_the_start_and_the_end_of_each_step_and_its_patches(site: SessionSite) -> None:
    session = site.open_session(allow=("edit",))
    site.script(calls(tool_call("write", filePath="b.txt", content="new\n")), text("Done."))
    site.run_prompt(session=session)

    answer = browser_of(site.user).get(f"/api/v1/sessions/{session.public_id}/export").json()

    kinds = [part["type"] for part in answer["parts"]]
    assert kinds == [
        "text", "step-start", "tool", "patch", "step-finish", "step-start", "text", "step-finish",
    ]  # fmt: skip
    assert len({part["id"] for part in answer["parts"]}) == len(kinds)


def patches(turn: Turn) -> list[dict[str, object]]:
    parts = Part.objects.filter(message__turn=turn, type=Part.Type.PATCH).order_by("id")
    return [part.data for part in parts]


def test_calls_that_change_files_leave_patches_and_others_do_not(site: SessionSite) -> None:
    site.write("a.txt", "one\n")
    session = site.open_session(allow=("edit", "bash"))
    site.script(
        calls(tool_call("read", filePath="a.txt")),
        calls(
            tool_call("write", filePath="b.txt", content="new\n"),
            tool_call("bash", command="echo two >> a.txt; mkdir d; echo x > d/c.txt", description="x"),
        ),
        calls(tool_call("bash", command="cat a.txt", description="x")),
        text("Done."),
    )
    turn = site.run_prompt(session=session)

    found = {file["path"]: file for patch in patches(turn) for file in patch["files"]}  # type: ignore[attr-defined]

    assert len(patches(turn)) == 2
    assert set(found) == {"a.txt", "b.txt", "d/c.txt"}
    assert found["b.txt"]["before"] is None
    assert (found["a.txt"]["before"]["size"], found["a.txt"]["after"]["size"]) == (4, 8)
    assert all(file["after"]["stored"] and not file["shared"] for file in found.values())
