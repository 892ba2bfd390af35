"""`SitePlan`: the processes of a site, its state directory, and the environment variables of each process."""

import contextlib
import hashlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from honcho.environ import parse_procfile

from agentsite.base.environment import REPOSITORY, TABLE, Environment, ProcessRole, address_here, withheld
from agentsite.base.preview_address import preview_address
from deploy.launcher.sealing_keys import FILES, sealing_keys

SECRET_NAMES: Final = frozenset(
    name for name, variable in TABLE.items() if variable.readers or variable.kind == "secret"
) | {"DATABASE_URL"}
# Changes in these files may require a migration or new seed data.
_SCHEMA_FILES: Final = ("agentsite/**/migrations/*.py", "sessions_app/migrations/*.py", "tools_app/migrations/*.py")
_SEED_FILES: Final = ("requirements.lock", "agentsite/tenancy/demo_team.py", "deploy/demo_project/__init__.py")


class LaunchError(Exception):
    """The site cannot start. The message contains the reason and a next step."""


@dataclass(frozen=True, slots=True)
class SitePlan:
    """One site on this machine. `base` contains the environment variables of all processes, including secrets."""

    state: Path
    host: str
    port: int
    base: Mapping[str, str]
    commands: Mapping[str, str]
    demo_model: bool

    @property
    def address(self) -> str:
        return address_here(self.host, self.port)

    @property
    def log_file(self) -> Path:
        return self.state / "logs" / "site.log"

    def environment_of(self, name: str) -> dict[str, str]:
        """Return the environment variables of a process: `base` without the secrets of other roles, and its own role.

        A process that is not a role, such as Valkey, gets no secrets at all.
        """
        role = ProcessRole(name) if name in frozenset(ProcessRole) else ProcessRole.MANAGE
        hidden = frozenset(withheld(role) if name == role else SECRET_NAMES)
        return {**{key: value for key, value in self.base.items() if key not in hidden}, "AGENTSITE_ROLE": role.value}


def make_plan(environ: Mapping[str, str]) -> SitePlan:
    """Build the plan from environment variables. Creates the sealing keys at the first start."""
    environment = Environment({**environ, "AGENTSITE_ROLE": ProcessRole.TEST.value})
    state = environment.path("AGENTSITE_STATE")
    demo_model = not environment.has("MODEL_NAME")
    model_url = environ.get("DEMO_MODEL_URL") or f"http://127.0.0.1:{_free_port()}/v1"
    base = {
        **{name: variable.default for name, variable in TABLE.items() if name.startswith("AGENTSITE_")},
        **environ,
        **_key_pairs(environment, state),
        "AGENTSITE_STATE": str(state),
        "DEMO_MODEL_URL": model_url,
        "DEMO_MODEL_PORT": str(urlsplit(model_url).port or 80),
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
        "PYTHONUNBUFFERED": "1",
    }
    preview_port = environment.number("AGENTSITE_PREVIEW_PORT") or _port_after(environment)
    base["AGENTSITE_PREVIEW_PORT"] = str(preview_port)
    unwanted = {"valkey"} if environment.has("REDIS_URL") else set()
    if not _has_previews(environment, preview_port):
        unwanted.add("preview")
    if not demo_model:
        unwanted.add("model")
    return SitePlan(
        state=state,
        host=environment.text("AGENTSITE_HOST"),
        port=environment.number("AGENTSITE_PORT"),
        base=base,
        commands={name: command for name, command in _procfile().items() if name not in unwanted},
        demo_model=demo_model,
    )


def _key_pairs(environment: Environment, state: Path) -> dict[str, str]:
    missing = (pair for pair in FILES if not environment.has(f"{pair}_PUBLIC_KEY"))
    return {name: value for pair in missing for name, value in sealing_keys(state, pair).items()}


def _has_previews(environment: Environment, port: int) -> bool:
    address = address_here(environment.text("AGENTSITE_HOST"), environment.number("AGENTSITE_PORT"))
    site = environment.text("AGENTSITE_URL") or address
    return bool(preview_address(environment.text("AGENTSITE_PREVIEW_URL"), port, site))


def _port_after(environment: Environment) -> int:
    """Return the port number after the site's port, or another free port if that number is in use."""
    port = environment.number("AGENTSITE_PORT") + 1
    with contextlib.closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((environment.text("AGENTSITE_HOST"), port))
        except (OSError, OverflowError):
            return _free_port()
    return port


def _procfile() -> Mapping[str, str]:
    processes: Mapping[str, str] = parse_procfile((REPOSITORY / "Procfile").read_text()).processes
    return processes


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def require_free_port(plan: SitePlan) -> None:
    """Raise LaunchError if the site's port is in use."""
    with contextlib.closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((plan.host, plan.port))
        except OSError as error:
            raise LaunchError(
                f"Port {plan.port} on {plan.host} is not free ({error.strerror}). Stop what uses it, or choose another:"
                f" AGENTSITE_PORT={plan.port + 1} make run"
            ) from None


def database_fingerprint(plan: SitePlan) -> str:
    """Return a hash that changes whenever the database may need a migration or new seed data."""
    files = [path for pattern in _SCHEMA_FILES for path in REPOSITORY.glob(pattern)]
    files += [REPOSITORY / name for name in _SEED_FILES]
    digest = hashlib.sha256(os.fsencode(plan.base.get("DATABASE_URL", "")) + plan.base["AGENTSITE_DEMO"].encode())
    for path in sorted(files):
        digest.update(os.fsencode(path.relative_to(REPOSITORY)) + path.read_bytes())
    return digest.hexdigest()
