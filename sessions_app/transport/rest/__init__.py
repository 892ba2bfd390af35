"""REST: parse, authorise, call one action or query, render."""

from ninja import Router

from sessions_app.transport.rest import (
    account,
    agents,
    all_events,
    asking,
    attachments,
    audience,
    budgets,
    conversation,
    endings,
    events,
    forking,
    grants,
    metrics,
    notifications,
    operator_access,
    policies,
    providers,
    schemas,
    search,
    send_and_wait,
    session_export,
    sessions,
    shared,
    sharing,
    tools,
    usage,
    webhooks,
    why,
    workspace_files,
)

router = Router()
MODULES = (
    workspace_files, account, agents, all_events, asking, attachments, audience, budgets, conversation, endings,
    events, forking, grants, metrics, notifications, operator_access, policies, providers, schemas, search,
    send_and_wait,
    session_export, sessions, shared, sharing, tools, usage, webhooks, why,
)  # fmt: skip
for module in MODULES:
    router.add_router("", module.router)
