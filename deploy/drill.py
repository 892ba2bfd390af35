"""The two ends of the backup drill: work that is worth keeping, and the look whether all of it came back.

python -m deploy.drill work FACTS    against AGENTSITE_URL; writes what has to come back into the file
python -m deploy.drill check FACTS   ends with 1 and a sentence when something did not
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

PATIENCE: Final = 180.0
NOTE: Final = b"The kettle whistles at 80 degrees.\n"
PROVE: Final = "Run `cat kept.txt`"


class NotRestored(Exception):
    pass


def work(site: Client) -> dict[str, Any]:
    """A session with a fixed project, a file of its own, and something attached."""
    project = site.projects()[0]
    session = site.start_session(project.id, new_workspace=True, title="Worth keeping")
    _run(session, project.suggested_prompt)
    _run(session, "Run `echo steeped > kept.txt`")
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note.txt"
        note.write_bytes(NOTE)
        attached = session.attach(note)
    _run(session, "Look at this file", attachments=[attached.id])
    return {"session": session.id, "attachment": attached.id, "conversation": _conversation(session)}


def check(site: Client, facts: dict[str, Any], http: httpx.Client) -> None:
    session = site.session(facts["session"])
    if _conversation(session) != facts["conversation"]:
        raise NotRestored("The conversation is not what it was.")
    content = http.get(f"/api/v1/attachments/{facts['attachment']}").raise_for_status().content
    if content != NOTE:
        raise NotRestored("The attached file is not what it was.")
    output = "".join(call.output for call in _run(session, PROVE).values())
    if "steeped" not in output:
        raise NotRestored(f"The workspace's files did not come back: {output[:300]}")


def _run(session: Session, text: str, **options: Any) -> dict[str, Any]:
    done = session.run(text, on_permission=lambda _: Once(), timeout=PATIENCE, **options)
    return {call_id: call for call_id, call in done.calls.items() if call.tool == "bash"}


def _conversation(session: Session) -> str:
    """A digest of everything that was said and done."""
    snapshot = session.snapshot()
    said = [(part.id, part.type, part.text) for part in snapshot.parts]
    did = [(call.id, call.tool, call.state, call.output) for call in snapshot.calls]
    return hashlib.sha256(json.dumps([snapshot.session.title, said, did]).encode()).hexdigest()


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
