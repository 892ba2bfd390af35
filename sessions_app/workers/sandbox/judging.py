"""What the rules say of something that a call comes to need while it runs."""

from collections.abc import Awaitable, Callable, Sequence

from asgiref.sync import sync_to_async

from sessions_app.models import Session
from sessions_app.policy import judge_needs
from tools_app.spec import Action, PermissionNeed


def judge_of(session: Session) -> Callable[[Sequence[PermissionNeed]], Awaitable[Action]]:
    """By the rules as they are then. Called on the background loop; the queries run in a thread."""

    async def judge(needs: Sequence[PermissionNeed]) -> Action:
        return (await sync_to_async(judge_needs, thread_sensitive=False)(session, needs)).action

    return judge
