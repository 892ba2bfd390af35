"""The uses of a secret variable: set-up gets it, commands get it, or the door adds it to requests. Check the settings
of each use."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agentsite.base.errors import BadInput, NotAllowed
from sessions_app.models import Variable
from tools_app.network.added_secrets import (
    ADDED_AS,
    AddedAs,
    AddedSecret,
    header_problem,
    parameter_problem,
    parse_place,
)
from tools_app.policies.current import current_policies

UsedFor = Literal["commands", "setup", "requests"]

MAX_HOSTS: Final = 20  # of one secret
MAX_HOST_CHARACTERS: Final = 260
REQUESTS: Final = "requests"


@dataclass(frozen=True, slots=True)
class RequestPlace:
    """The settings of a secret that the door adds to requests: the hosts of these requests, and the header or query
    parameter that contains the secret. `added_name` is the name of the header or parameter; "" for the header
    Authorization."""

    hosts: Sequence[str] = ()
    added_as: AddedAs = "bearer"
    added_name: str = ""

    def checked(self) -> "RequestPlace":
        """Return a copy with the hosts and the name in canonical spelling. Raises BadInput if they are not valid."""
        hosts = list(dict.fromkeys(_checked_host(host) for host in self.hosts))
        if not 0 < len(hosts) <= MAX_HOSTS:
            problem = f"name 1 to {MAX_HOSTS} hosts"
            raise BadInput(
                f"A secret that is added to requests is for certain hosts: {problem}.", fields={"hosts": problem}
            )
        name = self.added_name.strip()
        problem = ""
        if self.added_as == "header":
            problem = header_problem(name)
        elif self.added_as == "query":
            problem = parameter_problem(name)
        elif name:
            problem = "only for a header or a parameter of your own"
        if problem:
            raise BadInput(f"The name '{name[:60]}' is not valid: {problem}.", fields={"added_name": problem})
        return RequestPlace(hosts, self.added_as, name)


def _checked_host(text: str) -> str:
    try:
        return parse_place(text)
    except ValueError as error:
        raise BadInput(str(error), fields={"hosts": str(error)}) from None


def require_free_place(row: Variable, others: Iterable[Variable]) -> None:
    """Raise BadInput if one of `others` (secrets of the same owner) is added to requests for the same host in the same
    header or query parameter as `row`."""
    mine = _header_of(row)
    for other in others:
        common = set(row.hosts) & set(other.hosts)
        if common and _header_of(other) == mine:
            raise BadInput(
                f"'{other.name}' is already added to requests for {min(common)} in the same place.",
                hint="Change the existing variable, or choose another header.",
                fields={"hosts": "already used in this place"},
            )


def added_as_of(row: Variable) -> AddedAs:
    """Return the form in which a secret is added to requests; "bearer" if the row has a form that this version does not
    know."""
    found: AddedAs = next((each for each in ADDED_AS if each == row.added_as), "bearer")
    return found


def _header_of(row: Variable) -> str:
    secret = AddedSecret("", row.name, "", (), added_as_of(row), row.added_name)
    return secret.header.lower() or f"?{row.added_name}"


def require_commands_may_get_secrets(row: Variable) -> None:
    """Raise NotAllowed if the policies that apply to a variable's project or team do not allow commands to get
    secrets."""
    team_id = row.project.team_id if row.project else row.team_id
    allowed, source = current_policies(team_id=team_id, project_id=row.project_id).secrets_in_commands
    if not allowed:
        whose = "no policy allows it" if source == "default" else f"the policy of the {source} forbids it"
        raise NotAllowed(
            f"Secrets cannot be given to commands here: {whose}.",
            hint="An admin can allow it with the policy option 'Secrets in commands' (sandbox).",
        )
