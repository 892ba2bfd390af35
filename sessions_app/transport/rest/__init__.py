"""REST: parse, authorise, call one action or query, render."""

from ninja import Router

from sessions_app.transport.rest import (
    agents,
    asking,
    attachments,
    audience,
    conversation,
    endings,
    events,
    grants,
    metrics,
    notifications,
    policies,
    providers,
    schemas,
    search,
    sessions,
    shared,
    sharing,
    tools,
    why,
    workspace_files,
)

router = Router()
MODULES = (
    workspace_files, sessions, audience, search, agents, conversation, attachments, asking, grants, policies,
    providers, tools, why, events, schemas, metrics, endings, sharing, shared, notifications,
)  # fmt: skip
for module in MODULES:
    router.add_router("", module.router)
