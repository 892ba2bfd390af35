"""Who may do what in a team: one table and one pure function over it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"


class Act(StrEnum):
    """What somebody may want to do with the things of a team."""

    VIEW = "view"  # see projects, sessions and what happens in them
    PROMPT = "prompt"  # start sessions and workspaces, send prompts, stop turns, answer an agent's questions
    ANSWER = "answer"  # decide permission requests
    MANAGE_SESSIONS = "manage_sessions"  # rename, archive and delete sessions of others
    MANAGE_PROJECT = "manage_project"  # create and change projects
    MANAGE_POLICY = "manage_policy"  # change what agents may do, in the team and its projects; read its audit log
    MANAGE_TEAM = "manage_team"  # members and their roles


_EVERYBODY: Final = frozenset(Role)
_WORKERS: Final = frozenset({Role.OWNER, Role.ADMIN, Role.MEMBER})
_ADMINS: Final = frozenset({Role.OWNER, Role.ADMIN})

PERMITTED: Final[Mapping[Act, frozenset[Role]]] = {
    Act.VIEW: _EVERYBODY,
    Act.PROMPT: _WORKERS,
    Act.ANSWER: _WORKERS,
    Act.MANAGE_SESSIONS: _ADMINS,
    Act.MANAGE_PROJECT: _ADMINS,
    Act.MANAGE_POLICY: _ADMINS,
    Act.MANAGE_TEAM: _ADMINS,
}


def may(role: Role | str, act: Act, *, may_approve: bool = True) -> bool:
    """`may_approve` is the membership's own switch: a member without it works, but does not decide requests."""
    if act is Act.ANSWER and role == Role.MEMBER and not may_approve:
        return False
    return Role(role) in PERMITTED[act]
