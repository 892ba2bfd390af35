"""Draft commit messages and pull requests from fixed texts and file names, because the demo model cannot describe a
diff."""

import re
from collections.abc import Mapping
from typing import Any, Final

from deploy.demo_model.conversation import Conversation, read_conversation
from deploy.demo_model.wire import Reply
from deploy.demo_project import fix

_DRAFT_REQUEST: Final = "You draft the message of a commit"
_FILE: Final = re.compile(r"^> [\d-]+ [\d-]+ (.+)$", re.MULTILINE)


def is_draft_request(body: Mapping[str, Any]) -> bool:
    """Return whether a draft is requested: no tools are offered and the system prompt asks for one."""
    return not body.get("tools") and _DRAFT_REQUEST in read_conversation(body).system


def draft(conversation: Conversation) -> Reply:
    """Return a draft of a commit message or pull request, made from the names of the changed files."""
    paths = _FILE.findall(conversation.prompt)
    if fix.PATH in paths:
        return Reply(f"Give the bulk discount for ten packets\n\n{fix.WHY[:1].upper()}{fix.WHY[1:]}.")
    if not paths:
        return Reply("Change nothing")
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return Reply(f"Change {paths[0]}{more}\n\n" + "\n".join(f"- {path}" for path in paths))
