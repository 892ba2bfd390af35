"""Roles in a team, and the table of the kinds of actions (`Act`) that each role permits."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"


class Act(StrEnum):
    """Kinds of actions in a team that need a permission; MEANINGS explains each."""

    VIEW = "view"
    PROMPT = "prompt"
    ANSWER = "answer"
    USE_TERMINALS = "use_terminals"
    MANAGE_SESSIONS = "manage_sessions"
    MANAGE_PROJECT = "manage_project"
    MANAGE_POLICY = "manage_policy"
    MANAGE_TEAM = "manage_team"
    MANAGE_OWNERS = "manage_owners"
    DELETE_TEAM = "delete_team"
    SHARE = "share"
    SEE_USAGE = "see_usage"
    MANAGE_BUDGETS = "manage_budgets"
    MANAGE_PROVIDERS = "manage_providers"
    MANAGE_TOKENS = "manage_tokens"
    MANAGE_WEBHOOKS = "manage_webhooks"
    MANAGE_VARIABLES = "manage_variables"
    MANAGE_CONNECTIONS = "manage_connections"
    READ_AUDIT = "read_audit"


MEANINGS: Final[Mapping[Act, str]] = {
    Act.VIEW: "see projects, sessions and what happens in them",
    Act.PROMPT: "start sessions and workspaces, send prompts, stop turns, answer an agent's questions",
    Act.ANSWER: "decide permission requests",
    Act.USE_TERMINALS: "type into terminals of workspaces, where the policies allow terminals",
    Act.MANAGE_SESSIONS: "rename, archive and delete sessions of others",
    Act.MANAGE_PROJECT: "create, change and delete projects",
    Act.MANAGE_POLICY: "change the policies and agents of the team and its projects",
    Act.MANAGE_TEAM: "manage members, roles, invitations and the team's name",
    Act.MANAGE_OWNERS: "add and remove owners",
    Act.DELETE_TEAM: "delete the team, and cancel its deletion during the grace period",
    Act.SHARE: "create share links of sessions",
    Act.SEE_USAGE: "see what models cost, for the whole team; all members can see their own costs",
    Act.MANAGE_BUDGETS: "manage budgets: how much the team, its projects and its members can spend",
    Act.MANAGE_PROVIDERS: "manage model providers, their keys and prices",
    Act.MANAGE_TOKENS: "manage the team's service accounts and their API tokens",
    Act.MANAGE_WEBHOOKS: "manage the webhooks that receive the team's events",
    Act.MANAGE_VARIABLES: "manage the variables that commands of the team and its projects get",
    Act.MANAGE_CONNECTIONS: "manage the team's connections to forges, and their credentials",
    Act.READ_AUDIT: "read the audit log, and see which operators read sessions",
}

RANKS: Final[Mapping[Role, int]] = {Role.VIEWER: 0, Role.MEMBER: 1, Role.ADMIN: 2, Role.OWNER: 3}
_EVERYBODY: Final = frozenset(Role)
_WORKERS: Final = frozenset({Role.OWNER, Role.ADMIN, Role.MEMBER})
_ADMINS: Final = frozenset({Role.OWNER, Role.ADMIN})
_OWNERS: Final = frozenset({Role.OWNER})

PERMITTED: Final[Mapping[Act, frozenset[Role]]] = {
    Act.VIEW: _EVERYBODY,
    Act.PROMPT: _WORKERS,
    Act.ANSWER: _WORKERS,
    Act.USE_TERMINALS: _WORKERS,
    Act.MANAGE_SESSIONS: _ADMINS,
    Act.MANAGE_PROJECT: _ADMINS,
    Act.MANAGE_POLICY: _ADMINS,
    Act.MANAGE_TEAM: _ADMINS,
    Act.MANAGE_OWNERS: _OWNERS,
    Act.DELETE_TEAM: _OWNERS,
    Act.SHARE: _WORKERS,
    Act.SEE_USAGE: _ADMINS,
    Act.MANAGE_BUDGETS: _ADMINS,
    Act.MANAGE_PROVIDERS: _ADMINS,
    Act.MANAGE_TOKENS: _ADMINS,
    Act.MANAGE_WEBHOOKS: _ADMINS,
    Act.MANAGE_VARIABLES: _ADMINS,
    Act.MANAGE_CONNECTIONS: _ADMINS,
    Act.READ_AUDIT: _ADMINS,
}


def may(role: Role | str, act: Act, *, may_approve: bool = True) -> bool:
    """Return whether a role permits a kind of action. Members without `may_approve` can neither decide permission
    requests nor type into terminals."""
    if act in (Act.ANSWER, Act.USE_TERMINALS) and role == Role.MEMBER and not may_approve:
        return False
    return Role(role) in PERMITTED[act]


def act_for_role(role: str) -> Act:
    """Return the permission (an `Act`) that a person must have to assign or remove this role.

    Admins manage all members except owners.
    """
    return Act.MANAGE_OWNERS if role == Role.OWNER else Act.MANAGE_TEAM
