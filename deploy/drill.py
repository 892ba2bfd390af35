"""Two steps of the backup drill: create data on a site, and verify it on the restored site.

python -m deploy.drill work FACTS    create data on the site at AGENTSITE_URL; describe it in the file FACTS
python -m deploy.drill check FACTS   compare the site with the file; exit with 1 and a message if something is missing
"""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import httpx

from agentsite.client import Client, ClientError, Once, Session
from deploy.demo import DemoFailed, make_token

TURN_TIMEOUT: Final = 180.0  # seconds
ATTACHMENT: Final = b"The kettle whistles at 80 degrees.\n"
READ_PROMPT: Final = "Run `cat kept.txt`"


class NotRestored(Exception):
    """Data on the restored site is missing or differs."""


def work(site: Client) -> dict[str, Any]:
    """Create a session that fixes the demo project's bug, writes a file and gets an attachment. Return its
    description."""
    project = site.projects()[0]
    session = site.start_session(project.id, new_workspace=True, title="Worth keeping")
    _run(session, project.suggested_prompt)
    _run(session, "Run `echo steeped > kept.txt`")
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note.txt"
        note.write_bytes(ATTACHMENT)
        attached = session.attach(note)
    _run(session, "Look at this file", attachments=[attached.id])
    return {"session": session.id, "attachment": attached.id, "conversation": _conversation(session)}


def check(site: Client, facts: dict[str, Any], http: httpx.Client) -> None:
    """Compare the site with `facts`, the description that `work` returned. Raises NotRestored if something is missing
    or differs."""
    session = site.session(facts["session"])
    if _conversation(session) != facts["conversation"]:
        raise NotRestored("The conversation differs from the one before the backup.")
    content = http.get(f"/api/v1/attachments/{facts['attachment']}").raise_for_status().content
    if content != ATTACHMENT:
        raise NotRestored("The attached file differs from the one before the backup.")
    output = "".join(call.output for call in _run(session, READ_PROMPT).values())
    if "steeped" not in output:
        raise NotRestored(f"The workspace's files were not restored: {output[:300]}")


def _run(session: Session, text: str, **options: Any) -> dict[str, Any]:
    """Run a prompt to its end and allow every permission request. Return its bash calls by id."""
    done = session.run(text, on_permission=lambda _: Once(), timeout=TURN_TIMEOUT, **options)
    return {call_id: call for call_id, call in done.calls.items() if call.tool == "bash"}


def _conversation(session: Session) -> str:
    """Return a digest of the session's title, texts and tool calls."""
    snapshot = session.snapshot()
    parts = [(part.id, part.type, part.text) for part in snapshot.parts]
    calls = [(call.id, call.tool, call.state, call.output) for call in snapshot.calls]
    return hashlib.sha256(json.dumps([snapshot.session.title, parts, calls]).encode()).hexdigest()


def main(verb: str, file: Path) -> int:
    address = os.environ["AGENTSITE_URL"]
    try:
        token = make_token(address, "backup drill")
        with (
            Client(address, token=token) as site,
            httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}) as http,
        ):
            if verb == "work":
                file.write_text(json.dumps(work(site)))
            else:
                check(site, json.loads(file.read_text()), http)
    except (NotRestored, DemoFailed, ClientError, httpx.HTTPError, TimeoutError) as error:
        print(f"The drill failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
