"""Models of people, teams, projects, tokens, providers and the audit log."""

from agentsite.tenancy.models.audit import AuditChain, AuditEntry, AuditQuerySet
from agentsite.tenancy.models.idempotency import RememberedAnswer
from agentsite.tenancy.models.invitations import Invitation, InvitationQuerySet
from agentsite.tenancy.models.mail import LetterCount, OutgoingMail
from agentsite.tenancy.models.projects import Project, ProjectQuerySet
from agentsite.tenancy.models.providers import ModelChoice, Provider, ProviderQuerySet
from agentsite.tenancy.models.revisions import Revision
from agentsite.tenancy.models.service_accounts import ServiceAccount, ServiceAccountQuerySet
from agentsite.tenancy.models.teams import (
    Membership,
    MembershipQuerySet,
    Team,
    TeamQuerySet,
    User,
    UserManager,
    UserQuerySet,
)
from agentsite.tenancy.models.tokens import ApiToken, OwnedQuerySet, SocketTicket, TokenQuerySet

__all__ = [
    "ApiToken",
    "AuditChain",
    "AuditEntry",
    "AuditQuerySet",
    "Invitation",
    "InvitationQuerySet",
    "LetterCount",
    "Membership",
    "MembershipQuerySet",
    "ModelChoice",
    "OutgoingMail",
    "OwnedQuerySet",
    "Project",
    "ProjectQuerySet",
    "Provider",
    "ProviderQuerySet",
    "RememberedAnswer",
    "Revision",
    "ServiceAccount",
    "ServiceAccountQuerySet",
    "SocketTicket",
    "Team",
    "TeamQuerySet",
    "TokenQuerySet",
    "User",
    "UserManager",
    "UserQuerySet",
]
