"""Permission checks for needs that arise while a call runs."""

from collections.abc import Awaitable, Callable, Sequence

from asgiref.sync import sync_to_async

from sessions_app.models import Session
from sessions_app.policy import judge_needs
from sessions_app.revisions import refresh_configuration
from tools_app.spec import Action, PermissionNeed


def make_judge(session: Session) -> Callable[[Sequence[PermissionNeed]], Awaitable[Action]]:
    """Return a function that decides about needs by the current rules. It is called on the background loop; its queries
    run in a thread."""

    def judge_now(needs: Sequence[PermissionNeed]) -> Action:
        refresh_configuration(session)
        return judge_needs(session, needs).action

    async def judge(needs: Sequence[PermissionNeed]) -> Action:
        return await sync_to_async(judge_now, thread_sensitive=False)(needs)

    return judge
