"""Commit a change and push the branch, if the prompt asks for that. Pure functions."""

import re
from typing import Final

from deploy.demo_model import texts
from deploy.demo_model.conversation import Conversation, FinishedCall
from deploy.demo_model.wire import Call, Reply, call

WANTED: Final = re.compile(r"(?i)\bcommit\b|\bpush\b")
PUSHING: Final = re.compile(r"(?i)\bpush\b")
COMMIT: Final = "git commit -qam 'Give the bulk discount for ten packets'"
PUSH: Final = "git push"
ALLOWED_NOW: Final = "Run the command again"
FAILED: Final = re.compile(r"(?m)^(?:fatal|error):|\[(?:remote )?rejected\]|\(Exit code [1-9]")


def is_wanted(conversation: Conversation) -> bool:
    return conversation.offers("bash") and bool(WANTED.search(conversation.prompt))


def is_own(done: FinishedCall) -> bool:
    """Return whether a finished call is the commit or the push that this module requests."""
    return done.command in (COMMIT, PUSH)


def first_step(report: str) -> Reply:
    return Reply(f"{report}\n\nI'll commit the change.", calls=(_run(COMMIT, "Commit the change"),))


def next_step(conversation: Conversation) -> Reply:
    """Return the demo model's reply after its commit or its push."""
    last = conversation.done[-1]
    if last.command == PUSH and ALLOWED_NOW in last.output:
        return Reply("The push is allowed now.", calls=(_run(PUSH, "Push the branch"),))
    if FAILED.search(last.output):
        return Reply(texts.GIT_FAILED.format(command=last.command, output=last.output.strip()[-500:]))
    if last.command == COMMIT and PUSHING.search(conversation.prompt):
        return Reply("Committed. I'll push the branch.", calls=(_run(PUSH, "Push the branch"),))
    return Reply(texts.PUSHED if last.command == PUSH else texts.COMMITTED)


def _run(command: str, description: str) -> Call:
    return call("bash", command=command, description=description)
