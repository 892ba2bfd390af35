"""Follow simple instructions: split the prompt at "then" and make one tool call for each piece. Pure functions.

If the planner does not understand a piece, the reply says so and lists the instructions that it understands.
"""

import re
from collections.abc import Sequence
from typing import Final

from deploy.demo_model import attachments, outputs, texts
from deploy.demo_model.conversation import Conversation, FinishedCall
from deploy.demo_model.tasks import Task, understand
from deploy.demo_model.wire import Reply

SPLIT: Final = re.compile(r"(?i)\s*(?:;|,?\s+(?:and )?then)\s+")
GREETINGS: Final = re.compile(
    r"(?i)^(?:hi|hello|hey|good (?:morning|day|evening)|help|who are you|what can you do|what are you)\b"
)
THANKS: Final = re.compile(r"(?i)^(?:thanks|thank you|great|nice|ok|okay)\b")


def next_step(conversation: Conversation) -> Reply:
    """Return the demo model's next reply to a prompt with simple instructions, such as "read a.py, then run ls"."""
    prompt = conversation.prompt.strip()
    if THANKS.match(prompt):
        return Reply("You are welcome.")
    tasks = [understand(piece.strip()) for piece in SPLIT.split(prompt.rstrip(" .!?"))]
    understood = [task for task in tasks if task]
    if len(understood) < len(tasks):
        if conversation.files:
            return Reply(attachments.describe(conversation.files))
        return Reply(texts.GREETING if GREETINGS.match(prompt) else texts.NOT_UNDERSTOOD)
    return _follow(conversation, understood)


def _follow(conversation: Conversation, tasks: Sequence[Task]) -> Reply:
    """Return a reply that reports the result of the last call and makes the call of the next task, if there is one."""
    made = len(conversation.done)
    report = _report(tasks[made - 1], conversation.done[-1]) if 0 < made <= len(tasks) else ""
    if report and conversation.tool_files:
        report = f"{report}\n\n{attachments.describe(conversation.tool_files)}"
    if made >= len(tasks) or (made and outputs.is_rejection(conversation.done[-1].output)):
        return Reply(report or "Done.")
    task = tasks[made]
    if not conversation.offers(task.call.name):
        missing = f"For that I need the tool `{task.call.name}`, and this agent does not offer it."
        return Reply("\n\n".join(filter(None, (report, missing))))
    return Reply("\n\n".join(filter(None, (report, task.intro))), calls=(task.call,))


def _report(task: Task, done: FinishedCall) -> str:
    if outputs.is_rejection(done.output):
        words = outputs.words_of_rejection(done.output)
        return f"Understood: “{words}”. I stop here." if words else "Understood, I leave that."
    return task.report(done)
