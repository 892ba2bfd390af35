"""Every action that the audit log knows, and what each means: one table, which `docs/audit.md` shows.

A test reads the actions out of the code; one that is not in here fails it.
"""

from collections.abc import Mapping
from typing import Final

ACTIONS: Final[Mapping[str, str]] = {
    # people, in the site's own chain
    "account.signed_up": "somebody made an account",
    "account.signed_in": "somebody signed in",
    "account.signed_out": "somebody signed out",
    "account.password_changed": "a password was changed",
    "account.password_reset": "a forgotten password was replaced",
    "account.address_changed": "an e-mail address was changed",
    "account.address_confirmed": "it was confirmed",
    "account.factor_added": "a second factor was added",
    "account.factor_removed": "it was removed",
    "account.factor_renewed": "its recovery codes were renewed",
    "account.factor_refused": "a second factor was wrong",
    "account.provider_linked": "an account of another site may sign in",
    "account.provider_unlinked": "it may not any more",
    "account.locked_out": "too many sign-ins for one account failed, so it is closed for a while",
    "account.renamed": "somebody changed their name",
    "account.sign_in_failed": "a sign-in failed",
    # teams and who belongs to them
    "team.created": "a team was made",
    "team.renamed": "a team has another name",
    "team.transferred": "somebody else owns the team",
    "team.removing": "a team will be deleted after some days",
    "team.kept": "it will not, after all",
    "team.deleted": "a team was deleted, with its own chain",
    "member.changed": "a member's role, or whether they may approve",
    "member.left": "somebody left the team",
    "member.removed": "somebody was removed from the team",
    "invitation.created": "somebody was invited",
    "invitation.resent": "the invitation was sent again",
    "invitation.accepted": "it was accepted",
    "invitation.revoked": "it was taken back",
    # programs
    "service_account.created": "a team has a service account more",
    "service_account.changed": "its name or its role changed",
    "service_account.removed": "it was removed, with its tokens",
    "token.created": "an API token was made",
    "token.revoked": "an API token was revoked",
    # projects, agents, policies
    "project.created": "a project was made",
    "project.changed": "its name, its description or its defaults",
    "project.removing": "it will be deleted after some days",
    "project.kept": "it will not, after all",
    "project.deleted": "it was deleted",
    "agent.created": "somebody made an agent",
    "agent.changed": "somebody changed one",
    "agent.removed": "somebody removed one",
    "policy.saved": "a policy has a new version, with its difference",
    "policy.rolled_back": "an earlier version of a policy is in force again",
    # models, keys, money
    "provider.created": "a provider of models was added",
    "provider.changed": "it was changed",
    "provider.removed": "it was removed",
    "provider.failing": "its key or its address does not work any more",
    "provider.works_again": "it works again",
    "provider.key_replaced": "its key was replaced",
    "provider.key_removed": "its key was removed",
    "models.chosen": "which models a team or project uses",
    "secrets.resealed": "what is sealed was sealed with a new key",
    # what agents do, and who said yes
    "call.decided": "a tool call was allowed, asked or denied, and by which rule",
    "request.approved": "the first of two people said yes",
    "request.answered": "a permission request was answered",
    "request.expired": "nobody answered it in time",
    "grant.added": 'an "always" made a grant',
    "grant.revoked": "a grant was taken back",
    "session.audience_changed": "who sees a session",
    # workspaces
    "workspace.stop": "somebody stopped one by force",
    "workspace.restart": "somebody restarted one",
    "workspace.rebuild": "somebody rebuilt one",
    "workspace.remove": "somebody removed one; it is deleted after some days",
    "workspace.keep": "it is not, after all",
    "workspace.deleted": "it was deleted",
    "workspace.export": "somebody had an archive of its files made",
    "workspace.download": "somebody took the archive away",
    # the log itself, and the site
    "audit.exported": "somebody took a copy of the audit log",
    "audit.kept": "for how long the team's entries are kept",
    "audit.cut": "entries that were too old are gone; their number and the digest of the last",
    "site.backed_up": "the site was copied",
    "site.restored": "the site was made anew from a copy",
}
