"""Every environment variable that the site reads, in one table: name, kind, default, meaning, and who may see it.

`docs/configuration.md` shows this table and a test compares the two. Nothing else in the site reads `os.environ`.
A variable with `readers` is a secret of those roles: every other process drops it from its own environment at start,
so that not even a child process or a crash report can carry it.
"""

import hashlib
import os
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

import environ

REPOSITORY: Final = Path(__file__).resolve().parents[2]
_HOST_AND_PORT: Final = re.compile(r"([a-z0-9_.-]+|\[[0-9a-f:.]+\]):[0-9]{1,5}", re.IGNORECASE)
DEVELOPMENT_SECRET: Final = "development-only-secret-key-that-production-refuses-to-start-with"


class ProcessRole(StrEnum):
    """What this process is for. `test` sees everything; `manage` is any command a person types."""

    WEB = "web"
    AGENT = "agent"
    SANDBOX = "sandbox"
    BEAT = "beat"
    MANAGE = "manage"
    TEST = "test"


Kind = Literal["text", "flag", "number", "list", "path", "url", "secret"]


@dataclass(frozen=True, slots=True)
class Variable:
    """`default` is what an unset variable means, written as one would type it. `readers` empty: every role."""

    name: str
    kind: Kind
    default: str
    meaning: str
    readers: frozenset[ProcessRole] = frozenset()

    def visible_in(self, role: ProcessRole) -> bool:
        return not self.readers or role in self.readers or role is ProcessRole.TEST


_AGENT: Final = frozenset({ProcessRole.AGENT})
_SANDBOX: Final = frozenset({ProcessRole.SANDBOX})
_WEB: Final = frozenset({ProcessRole.WEB})
_BEAT: Final = frozenset({ProcessRole.BEAT})
_READING: Final = frozenset({ProcessRole.AGENT, ProcessRole.MANAGE})
_SERVING: Final = frozenset({ProcessRole.WEB, ProcessRole.AGENT, ProcessRole.SANDBOX, ProcessRole.BEAT})

VARIABLES: Final[tuple[Variable, ...]] = (
    Variable("AGENTSITE_ENV", "text", "development", "`development` or `production`; production refuses unsafe settings"),
    Variable("AGENTSITE_ROLE", "text", "manage", "what this process is: `web`, `agent`, `sandbox`, `beat`, `manage`"),
    Variable("AGENTSITE_STATE", "path", "var/site", "the directory of everything that the site keeps on this machine"),
    Variable("AGENTSITE_HOST", "text", "127.0.0.1", "the address that the web server listens on"),
    Variable("AGENTSITE_PORT", "number", "8000", "the port that the web server listens on"),
    Variable("AGENTSITE_URL", "url", "", "the address people use, such as `https://agents.example.org`; empty: host and port above, as `localhost` on this machine"),
    Variable("AGENTSITE_NODE", "text", "local", "the name of this Docker host; its sandbox worker serves the queue `sandbox.<name>`"),
    Variable("AGENTSITE_DEMO", "flag", "true", "shows the demo sign-in and seeds the demo team"),
    Variable("TEAM_CREATION", "text", "everybody", "who may create teams: `everybody` who signs in, or `operators` of the site"),
    Variable("AGENTSITE_LOG_LEVEL", "text", "INFO", "`DEBUG`, `INFO`, `WARNING` or `ERROR`"),
    Variable("AGENTSITE_LOG_FORMAT", "text", "", "`console` or `json`; empty: console in development, JSON in production"),
    Variable("AGENTSITE_AGENT_THREADS", "number", "16", "how many steps one agent worker runs at once"),
    Variable("AGENTSITE_SANDBOX_THREADS", "number", "16", "how many tool calls one sandbox worker runs at once"),
    Variable("METRICS_TOKEN", "secret", "", "what `GET /api/v1/metrics` wants as a bearer token; empty: there are no metrics", _WEB),
    Variable("METRICS_ADDRESS", "text", "", "`host:port` where this sandbox worker serves its node's metrics to a private network; empty: nowhere"),
    Variable("RATE_LIMIT_TOKEN", "text", "1200/minute", "how many API requests one token may make, as `1200/minute`; empty: as many as it likes"),
    Variable("RATE_LIMIT_PERSON", "text", "3000/minute", "the same for one person in browsers"),
    Variable("RATE_LIMIT_TEAM", "text", "12000/minute", "the same for all requests about one team's things together"),
    Variable("SECRET_KEY", "secret", DEVELOPMENT_SECRET, "signs sessions and tokens; at least 50 random characters"),
    Variable("SEALING_PUBLIC_KEY", "text", "", "with it every process seals what teams entrust to the site, such as keys of providers; `make run` makes a pair, elsewhere `manage.py make_sealing_keys` does"),
    Variable("SEALING_PRIVATE_KEYS", "secret", "", "with them the agent worker reads it again: the newest key first, older ones behind it until `manage.py reseal_secrets` has run", _READING),
    Variable("SECRET_KEY_FALLBACKS", "secret", "", "former secret keys, with commas between: what they signed and sealed still opens"),
    Variable("SIGN_UP", "text", "invitation", "who may make an account: `invitation`: who was invited; `open`: anybody; `closed`: nobody"),
    Variable("OIDC_ISSUER", "url", "", "an OpenID Connect provider that people may sign in with, such as `https://id.example.org/realms/staff`; empty: none"),
    Variable("OIDC_NAME", "text", "single sign-on", "what its button says after *Sign in with*"),
    Variable("OIDC_CLIENT_ID", "text", "", "the site's name there; the address to come back to is `<AGENTSITE_URL>/_allauth/oidc/oidc/login/callback/`"),
    Variable("OIDC_CLIENT_SECRET", "secret", "", "its secret there", _WEB),
    Variable("DEBUG", "flag", "false", "Django's debug mode; never in production"),
    Variable("ALLOWED_HOSTS", "list", "localhost,127.0.0.1,[::1]", "the host names that the site answers to"),
    Variable("CSRF_TRUSTED_ORIGINS", "list", "", "further origins that may send forms, such as `https://agents.example.org`"),
    Variable("TRUST_PROXY_HEADERS", "flag", "false", "believe `X-Forwarded-Proto` and `X-Forwarded-For` of the proxy in front"),
    Variable("PROXY_COUNT", "number", "1", "how many proxies of yours a request comes through; counts with TRUST_PROXY_HEADERS only"),
    Variable("SECURE_COOKIES", "flag", "false", "send cookies over HTTPS only; production insists on it"),
    Variable("EMAIL_HOST", "text", "", "the mail server (SMTP) that letters to people go through; empty: they are printed into the log"),
    Variable("EMAIL_PORT", "number", "587", "its port"),
    Variable("EMAIL_SECURITY", "text", "starttls", "how the connection to it is encrypted: `starttls`, `tls` from the start, or `none`"),
    Variable("EMAIL_USER", "text", "", "the name to sign in to it with; empty: without signing in"),
    Variable("EMAIL_PASSWORD", "secret", "", "its password", _BEAT),
    Variable("EMAIL_FROM", "text", "agentsite <agentsite@localhost>", "the sender of all letters"),
    Variable("AUDIT_DAYS", "number", "0", "entries of the audit log are kept so many days, at least 30; 0: for good; a team's owners may choose less"),
    Variable("DATABASE_URL", "url", "", "`postgres://user:password@host/name`; empty: SQLite in the state directory"),
    Variable("REDIS_URL", "url", "", "Valkey or Redis, `redis://…` or `unix:///path`; empty: an embedded Valkey"),
    Variable("MODEL_KIND", "text", "openai_compatible", "the adapter: `openai_compatible` or `litellm` (every other provider)"),
    Variable("MODEL_BASE_URL", "url", "", "the endpoint of the model; empty with no MODEL_NAME: the demo model"),
    Variable("MODEL_NAME", "text", "", "the model to ask, as its provider calls it; empty: the demo model"),
    Variable("SMALL_MODEL_NAME", "text", "", "the model for titles and other small work; empty: the same model"),
    Variable("MODEL_SEES", "list", "", "what the models can look at: `images`, `pdf`, or `nothing`; empty: what is known of each, and nothing for one that is not known"),
    Variable("MODEL_CHOICES", "list", "", "further models of the same provider that agents may ask for, by their names"),
    Variable("MODEL_CONTEXT", "number", "0", "the tokens that fit into the context of MODEL_NAME; 0: what the table of models says, if it knows"),
    Variable("MODEL_API_KEY", "secret", "", "the provider's key; only the agent worker ever sees it", _AGENT),
    Variable("PROVIDER_ALLOW", "list", "", "hosts that providers of teams may be at although they are not on the public web, each exactly, as `host:port`, such as `gpu.example:8000`; empty: none"),
    Variable("DEMO_MODEL_URL", "url", "http://127.0.0.1:8009/v1", "where the demo model listens"),
    Variable("DOCKER_HOST", "url", "", "the Docker engine; empty: the one `make run` finds or starts", _SANDBOX),
    Variable("SANDBOX_IMAGE", "text", "", "the image of new workspaces; empty: the one that `make run` builds"),
    Variable("SANDBOX_BASE_IMAGE", "text", "", "what the sandbox image is built on; empty: Debian bookworm, made from packages where no registry answers"),
    Variable("SANDBOX_LANGUAGES", "flag", "false", "the image has language servers, and models are offered `lsp`; the image that `make run` builds then gets pyright, typescript-language-server, ruff, black, prettier and shfmt, with a Node of their own (220 MB)"),
    Variable("SANDBOX_RUNTIME", "text", "runc", "the OCI runtime that containers run on"),
    Variable("SANDBOX_DISK", "text", "auto", "what holds workspaces to their disk limits: `ext4`, `btrfs`, `soft` (only watched), or `auto`: the best that works on this machine"),
    Variable("WEB_ALLOW", "list", "", "hosts that `webfetch` may reach although they are not on the public web, each exactly, as `host:port`, such as `mirror.example:8081`; empty: none"),
    Variable("WEBHOOK_ALLOW", "list", "", "hosts that webhooks may be sent to although they are not on the public web, each exactly, as `host:port`; empty: none"),
    Variable("WEB_CERTIFICATES", "path", "", "a file with further authorities (PEM) that `webfetch` and searches trust beside this machine's"),
    Variable("SEARCH_SERVER", "url", "", "the MCP server behind `websearch` and `codesearch`: an address, or `exa` for Exa's; empty: they are not offered"),
    Variable("SEARCH_KEY", "secret", "", "what that server wants as a bearer token and as `x-api-key`", _SANDBOX),
    Variable("ARCHIVE_STORAGE", "url", "", "where archives of workspaces are kept: `file:///directory` or `s3://bucket/prefix?endpoint=https://…`; empty: `archives` in the state directory"),
    Variable("ARCHIVE_S3_KEY", "secret", "", "the access key of that bucket", _SANDBOX),
    Variable("ARCHIVE_S3_SECRET", "secret", "", "its secret", _SANDBOX),
    Variable("ARCHIVE_AFTER_TURNS", "flag", "true", "archive a workspace's files when a turn in it ends; without archives, a node that is lost takes its workspaces with it"),
    Variable("ATTACHMENT_STORAGE", "url", "", "where files lie that people and tools attach, as `ARCHIVE_STORAGE`; empty: `attachments` in the state directory"),
    Variable("ATTACHMENT_S3_KEY", "secret", "", "the access key of that bucket", _SERVING),
    Variable("ATTACHMENT_S3_SECRET", "secret", "", "its secret", _SERVING),
    Variable("ATTACHMENT_DAYS", "number", "0", "attached files are deleted after so many days; 0: with their session"),
)  # fmt: skip
TABLE: Final[Mapping[str, Variable]] = {variable.name: variable for variable in VARIABLES}


class Environment:
    """Typed reading of the table. Asking for a variable that is not in it, or not for this role, is a KeyError."""

    def __init__(self, source: Mapping[str, str]) -> None:
        self._values = {variable.name: source.get(variable.name, variable.default) for variable in VARIABLES}
        self._env = environ.Env()
        self.role = ProcessRole(self._values["AGENTSITE_ROLE"])
        for name in withheld(self.role):
            del self._values[name]

    def text(self, name: str) -> str:
        return self._values[name]

    def flag(self, name: str) -> bool:
        return self._values[name].strip().lower() in environ.Env.BOOLEAN_TRUE_STRINGS

    def number(self, name: str) -> int:
        try:
            return int(self._values[name])
        except ValueError:
            raise SystemExit(f"{name} must be a whole number, not {self._values[name]!r}.") from None

    def choice(self, name: str, *known: str) -> str:
        value = self._values[name].strip().lower()
        if value not in known:
            raise SystemExit(f"{name} must be one of {', '.join(known)}, not {value!r}.")
        return value

    def words(self, name: str) -> list[str]:
        return [word.strip() for word in self._values[name].split(",") if word.strip()]

    def secrets(self, name: str) -> list[str]:
        """The words of a secret; none in a process that must not have it."""
        return self.words(name) if name in self._values else []

    def hosts(self, name: str) -> list[str]:
        """Each exactly, with its port."""
        words = self.words(name)
        for word in words:
            if _HOST_AND_PORT.fullmatch(word) is None or int(word.rpartition(":")[2]) not in range(1, 65536):
                raise SystemExit(f"{name} must be hosts with their ports, such as mirror.example:8081, not {word!r}.")
        return words

    def path(self, name: str) -> Path:
        """Relative paths start at the repository, whatever the working directory is."""
        return (REPOSITORY / Path(self._values[name]).expanduser()).resolve()

    def known_secrets(self) -> list[str]:
        """Every value that this process may see and nobody should read in a log."""
        values = [value for name, value in self._values.items() if TABLE[name].kind == "secret"]
        return [word.strip() for value in values for word in (value, *value.split(","))]

    def has(self, name: str) -> bool:
        return bool(self._values.get(name))


def withheld(role: ProcessRole) -> tuple[str, ...]:
    """The variables that a process of this role must not have."""
    return tuple(variable.name for variable in VARIABLES if not variable.visible_in(role))


def read_environment(source: MutableMapping[str, str] | None = None) -> Environment:
    """The environment of this process, after dropping from it what is not for its role."""
    source = os.environ if source is None else source
    environment = Environment(source)
    for name in withheld(environment.role):
        source.pop(name, None)
    return environment


def environment_for_child(more: Mapping[str, str]) -> dict[str, str]:
    """Of a program that this process starts: what this one has, and `more`."""
    return {**os.environ, **more}


def address_here(host: str, port: int) -> str:
    """What people on this machine type; a passkey needs a name, and a session is one name's."""
    if host in ("127.0.0.1", "0.0.0.0", "::1", "::"):  # noqa: S104 compared, not listened on
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def site_label(state: Path) -> str:
    """Containers carry it, so that two sites on one engine leave each other's alone."""
    return hashlib.sha256(str(state).encode()).hexdigest()[:12]
