"""REST: parse, authorise, call one action or query, render."""

from ninja import Router

from sessions_app.transport.rest import (
    asking,
    attachments,
    conversation,
    events,
    grants,
    metrics,
    policies,
    sessions,
    why,
    workspace_files,
)

router = Router()
for module in (workspace_files, sessions, conversation, attachments, asking, grants, policies, why, events, metrics):
    router.add_router("", module.router)
