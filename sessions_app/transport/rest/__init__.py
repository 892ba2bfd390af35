"""REST endpoints. Each one parses the request, checks access, calls one action or query, and renders the result."""

from ninja import Router

from sessions_app.mcp import rest as mcp_rest
from sessions_app.mcp import session_rest as mcp_session_rest
from sessions_app.mcp import sign_in_rest as mcp_sign_in_rest
from sessions_app.memory import rest as memory_rest
from sessions_app.push import rest as push_rest
from sessions_app.repositories import project_rest
from sessions_app.repositories import rest as connections_rest
from sessions_app.repositories.commits import rest as commits_rest
from sessions_app.repositories.drafts import rest as drafts_rest
from sessions_app.repositories.pulls import rest as pulls_rest
from sessions_app.repositories.working_copy import rest as working_copy_rest
from sessions_app.spending import budgets_rest, usage_rest
from sessions_app.transport.rest import (
    account,
    agents,
    all_events,
    alternatives,
    attachments,
    audience,
    branches,
    commands,
    comparisons,
    configuration,
    configurations,
    context,
    conversation,
    deletion,
    downloads,
    events,
    explanations,
    files,
    forks,
    grants,
    images,
    json_schemas,
    mcp_tools,
    metrics,
    model_table,
    network,
    notifications,
    operator_access,
    policies,
    previews,
    providers,
    pull_request_fixes,
    queued_prompts,
    reverts,
    review_comments,
    reviews,
    search,
    send_and_wait,
    session_export,
    session_marks,
    sessions,
    setup,
    shared,
    sharing,
    skills,
    terminals,
    tools,
    turn_models,
    waiting,
    workspace_deletion,
)
from sessions_app.uploads import rest as uploads_rest
from sessions_app.variables import rest as variables_rest
from sessions_app.webhooks import rest as webhooks_rest

router = Router()
MODULES = (
    workspace_deletion, account, agents, all_events, alternatives, waiting, attachments, audience, budgets_rest,
    commands, commits_rest, comparisons, configuration, configurations,
    connections_rest, context, conversation, deletion, downloads, events, forks, grants, images, mcp_rest,
    mcp_session_rest, mcp_sign_in_rest, memory_rest, metrics, model_table, network,
    notifications, operator_access, policies, project_rest, providers, pulls_rest, push_rest, json_schemas, search,
    pull_request_fixes, queued_prompts, review_comments, reviews, branches, reverts,
    send_and_wait, session_export, session_marks, sessions, setup, shared, sharing, skills, tools, turn_models,
    uploads_rest, usage_rest, variables_rest,
    webhooks_rest, working_copy_rest, drafts_rest, explanations, files,
    mcp_tools, terminals, previews,
)  # fmt: skip
for module in MODULES:
    router.add_router("", module.router)
