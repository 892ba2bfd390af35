"""Following small instructions: a prompt is split at "then", and each piece that is understood becomes one call.

What is not understood is said, with what would be. Pure.
"""

import re
from collections.abc import Sequence
from typing import Final

from deploy.demo_model import looking, outputs, texts
from deploy.demo_model.conversation import Conversation, Done
from deploy.demo_model.tasks import Task, understand
from deploy.demo_model.wire import Reply

SPLIT: Final = re.compile(r"(?i)\s*(?:;|,?\s+(?:and )?then)\s+")
GREETINGS: Final = re.compile(
    r"(?i)^(?:hi|hello|hey|good (?:morning|day|evening)|help|who are you|what can you do|what are you)\b"
)
THANKS: Final = re.compile(r"(?i)^(?:thanks|thank you|great|nice|ok|okay)\b")


def next_step(conversation: Conversation) -> Reply:
    prompt = conversation.prompt.strip()
    if THANKS.match(prompt):
        return Reply("You are welcome.")
    tasks = [understand(piece.strip()) for piece in SPLIT.split(prompt.rstrip(" .!?"))]
    understood = [task for task in tasks if task]
    if len(understood) < len(tasks):
        if conversation.files:
            return Reply(looking.told(conversation.files))
        return Reply(texts.GREETING if GREETINGS.match(prompt) else texts.NOT_UNDERSTOOD)
    return _follow(conversation, understood)


def _follow(conversation: Conversation, tasks: Sequence[Task]) -> Reply:
    """Every call made so far belongs to the tasks in their order."""
    made = len(conversation.done)
    told = _tell(tasks[made - 1], conversation.done[-1]) if 0 < made <= len(tasks) else ""
    if told and conversation.brought:
        told = f"{told}\n\n{looking.told(conversation.brought)}"
    if made >= len(tasks) or (made and outputs.is_rejection(conversation.done[-1].output)):
        return Reply(told or "Done.")
    task = tasks[made]
    if not conversation.offers(task.call.name):
        missing = f"For that I need the tool `{task.call.name}`, and this agent does not offer it."
        return Reply("\n\n".join(filter(None, (told, missing))))
    return Reply("\n\n".join(filter(None, (told, task.intro))), calls=(task.call,))


def _tell(task: Task, done: Done) -> str:
    if outputs.is_rejection(done.output):
        words = outputs.words_of_rejection(done.output)
        return f"Understood: “{words}”. I stop here." if words else "Understood, I leave that."
    return task.tell(done)
