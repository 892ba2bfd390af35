"""REST endpoints. Each one parses the request, checks access, calls one action or query, and renders the result."""

from ninja import Router

from sessions_app.repositories import project_rest
from sessions_app.repositories import rest as connections_rest
from sessions_app.repositories.commits import rest as commits_rest
from sessions_app.repositories.pulls import rest as pulls_rest
from sessions_app.repositories.working_copy import rest as working_copy_rest
from sessions_app.spending import budgets_rest, usage_rest
from sessions_app.transport.rest import (
    account,
    agents,
    all_events,
    attachments,
    audience,
    conversation,
    deletion,
    downloads,
    events,
    explanations,
    forks,
    grants,
    images,
    json_schemas,
    metrics,
    network,
    notifications,
    operator_access,
    policies,
    providers,
    pull_request_fixes,
    search,
    send_and_wait,
    session_export,
    sessions,
    setup,
    shared,
    sharing,
    tools,
    waiting,
    workspace_deletion,
)
from sessions_app.uploads import rest as uploads_rest
from sessions_app.variables import rest as variables_rest
from sessions_app.webhooks import rest as webhooks_rest

router = Router()
MODULES = (
    workspace_deletion, account, agents, all_events, waiting, attachments, audience, budgets_rest, commits_rest,
    connections_rest, conversation, deletion, downloads, events, forks, grants, images, metrics, network,
    notifications, operator_access, policies, project_rest, providers, pulls_rest, json_schemas, search,
    pull_request_fixes,
    send_and_wait, session_export, sessions, setup, shared, sharing, tools, uploads_rest, usage_rest, variables_rest,
    webhooks_rest, working_copy_rest, explanations,
)  # fmt: skip
for module in MODULES:
    router.add_router("", module.router)
