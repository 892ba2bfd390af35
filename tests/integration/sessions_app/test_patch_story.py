"""A tool call that patches several files, followed from the model's answer to the result that the model gets, through
workers, permission gate and sandbox."""

import pytest

from sessions_app.models import PermissionRequest, ToolCall, Turn
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.workers import finish, taken, until_called

pytestmark = pytest.mark.one_database

PATCH = """\
*** Begin Patch
*** Add File: docs/notes.md
+# Notes
*** Update File: src/app.py
@@ def total(items):
-    return sum(items, 1)
+    return sum(items)
*** Update File: old_name.py
*** Move to: new_name.py
*** Delete File: gone.py
*** End Patch
"""
WITH_SECRET = PATCH.replace("*** Delete File: gone.py", "*** Update File: .env\n@@\n-DEBUG=1\n+DEBUG=0")


def prepare(site: SessionSite) -> None:
    site.write("src/app.py", "def total(items):\n    return sum(items, 1)\n")
    site.write("old_name.py", "x = 1\n")
    site.write("gone.py", "")
    site.write(".env", "DEBUG=1\n")


def names(site: SessionSite) -> list[str]:
    return sorted(str(path.relative_to(site.files)) for path in site.files.rglob("*") if path.is_file())


def test_a_patch_changes_all_its_files_with_one_call(site: SessionSite) -> None:
    prepare(site)
    session = site.open_session()
    before = snapshot_of(session.id)
    script = site.script(
        calls(tool_call("read", filePath="src/app.py")), calls(tool_call("apply_patch", patchText=PATCH)), text("Done.")
    )
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.COMPLETED
    assert names(site) == [".env", "docs/notes.md", "new_name.py", "src/app.py"]
    assert (site.files / "src/app.py").read_text() == "def total(items):\n    return sum(items)\n"
    call = site.calls(turn)[1]
    assert call.title == "Patched 4 files"
    assert [(file["path"], file["change"]) for file in call.metadata["files"]] == [
        ("docs/notes.md", "add"),
        ("gone.py", "delete"),
        ("old_name.py", "move"),
        ("src/app.py", "update"),
    ]
    told = script.requests(at_least=3)[2]["body"]["messages"][-1]["content"]
    assert "- moved old_name.py to new_name.py" in told
    verify_events(session.id, before)


def test_one_question_stands_for_the_whole_patch_and_nothing_is_written_before_the_answer(site: SessionSite) -> None:
    prepare(site)
    site.script(calls(tool_call("apply_patch", patchText=WITH_SECRET)), text("Done."))
    turn = site.run_prompt()
    need, reading = site.open_request().needs
    assert (reading["permission"], reading["patterns"]) == ("read", [".env"])
    assert (need["permission"], need["patterns"]) == ("edit", [".env"])
    assert need["metadata"]["title"] == "Patch 4 files"
    assert "-DEBUG=1\n+DEBUG=0\n" in need["metadata"]["diff"]
    assert "+# Notes\n" in need["metadata"]["diff"]
    assert "docs/notes.md" not in names(site)
    site.reply("once")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert PermissionRequest.objects.count() == 1
    assert (site.files / ".env").read_text() == "DEBUG=0\n"
    assert "docs/notes.md" in names(site)


def test_a_patch_that_became_another_while_the_question_waited_is_asked_anew(site: SessionSite) -> None:
    prepare(site)
    site.script(calls(tool_call("apply_patch", patchText=WITH_SECRET)), text("Done."))
    site.run_prompt()
    site.write("src/app.py", "import os\n\n\ndef total(items):\n    return sum(items, 1)\n")
    site.reply("once")
    site.pump.run()
    assert (site.files / ".env").read_text() == "DEBUG=1\n"
    site.reply("once")
    site.pump.run()
    assert (site.files / ".env").read_text() == "DEBUG=0\n"
    assert (site.files / "src/app.py").read_text().startswith("import os\n")


def test_a_patch_that_fits_one_file_no_longer_changes_none_and_the_model_is_told(site: SessionSite) -> None:
    prepare(site)
    script = site.script(
        calls(tool_call("read", filePath="src/app.py")), calls(tool_call("apply_patch", patchText=PATCH)), text("Hm.")
    )
    turn = site.prompt(site.open_session())
    site.pump.run(until=ToolCall.objects.filter(tool="apply_patch").exists)
    site.write("src/app.py", "def total(items):\n    return 0\n")
    site.pump.run()
    before = [".env", "gone.py", "old_name.py", "src/app.py"]
    assert names(site) == before
    told = script.requests(at_least=3)[2]["body"]["messages"][-1]["content"]
    assert "Hunk 1 of src/app.py" in told
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED, ToolCall.State.ERROR]


def test_a_patch_whose_worker_died_is_not_repeated_and_the_model_is_told_that_it_was_all_or_nothing(
    site: SessionSite,
) -> None:
    prepare(site)
    script = site.script(calls(tool_call("apply_patch", patchText=PATCH)), text("I look."))
    call = until_called(site, site.open_session())
    taken(call)
    site.abandon()
    site.recover(later=0)
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    told = script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    assert told.startswith("interrupted: either all files of the patch were changed or none.")
    assert "gone.py" in names(site)
