"""The demo team and its sign-in data, for sites in demo mode. Never used in production."""

from dataclasses import dataclass
from typing import Final

from agentsite.tenancy.roles import Role

DEMO_EMAIL: Final = "demo@agentsite.local"
DEMO_PASSWORD: Final = "demo-agentsite"
DEMO_TEAM: Final = ("demo", "Demo team")


@dataclass(frozen=True, slots=True)
class DemoPerson:
    email: str
    name: str
    role: Role


DEMO_PEOPLE: Final = (
    DemoPerson(DEMO_EMAIL, "Dana Demo", Role.OWNER),
    DemoPerson("member@agentsite.local", "Mika Member", Role.MEMBER),
    DemoPerson("viewer@agentsite.local", "Vera Viewer", Role.VIEWER),
)
