"""The table of all environment variables: the name, kind, default and meaning of each, and the process roles that may
read it.

`docs/configuration.md` shows this table, and a test compares the two. No other module reads `os.environ`.
A process whose role is not one of a variable's `readers` removes the variable from its environment at startup, so that
it cannot leak through a child process or a crash report.
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
    """The role of a process. `test` may read every variable; `manage` is the role of any command that a person runs."""

    WEB = "web"
    AGENT = "agent"
    SANDBOX = "sandbox"
    BEAT = "beat"
    DOOR = "door"
    PREVIEW = "preview"
    MANAGE = "manage"
    TEST = "test"


Kind = Literal["text", "flag", "number", "list", "path", "url", "secret"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable.

    `default` is the value of an unset variable, as text. If `readers` is empty, every role may read the variable.
    """

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
_GIVING: Final = frozenset({ProcessRole.SANDBOX, ProcessRole.MANAGE})
_ADDING: Final = frozenset({ProcessRole.DOOR, ProcessRole.MANAGE})
_SERVING: Final = frozenset({ProcessRole.WEB, ProcessRole.AGENT, ProcessRole.SANDBOX, ProcessRole.BEAT})

VARIABLES: Final[tuple[Variable, ...]] = (
    Variable("AGENTSITE_ENV", "text", "development", "`development` or `production`; production refuses to start with unsafe settings"),
    Variable("AGENTSITE_ROLE", "text", "manage", "the role of this process: `web`, `agent`, `sandbox`, `door`, `preview`, `beat` or `manage`"),
    Variable("AGENTSITE_STATE", "path", "var/site", "the directory that holds all local state of the site"),
    Variable("AGENTSITE_HOST", "text", "127.0.0.1", "the address that the web server listens on"),
    Variable("AGENTSITE_PORT", "number", "8000", "the port that the web server listens on"),
    Variable("AGENTSITE_URL", "url", "", "the public address of the site, such as `https://agents.example.org`; empty: built from AGENTSITE_HOST and AGENTSITE_PORT, with `localhost` for local addresses"),
    Variable("AGENTSITE_PREVIEW_PORT", "number", "0", "the port, at AGENTSITE_HOST, that the preview server listens on; 0: `make run` takes the port after AGENTSITE_PORT, or another free one"),
    Variable("AGENTSITE_PREVIEW_URL", "url", "", "the address of previews, with `{id}` as a label of its host name, such as `https://{id}.preview.example.net`; empty: `{id}.preview.localhost` at AGENTSITE_PREVIEW_PORT, if AGENTSITE_URL is on `localhost`; `none`: no previews"),
    Variable("AGENTSITE_NODE", "text", "local", "the name of this Docker host; its sandbox worker serves the queue `sandbox.<name>`"),
    Variable("AGENTSITE_DEMO", "flag", "true", "show the demo sign-in and create the demo team"),
    Variable("TEAM_CREATION", "text", "everybody", "who may create teams: `everybody` who signs in, or only `operators` of the site"),
    Variable("AGENTSITE_LOG_LEVEL", "text", "INFO", "the lowest level that is logged: `DEBUG`, `INFO`, `WARNING` or `ERROR`"),
    Variable("AGENTSITE_LOG_FORMAT", "text", "", "the log format: `console` or `json`; empty: console in development, JSON in production"),
    Variable("AGENTSITE_AGENT_THREADS", "number", "16", "how many steps one agent worker runs at the same time"),
    Variable("AGENTSITE_SANDBOX_THREADS", "number", "16", "how many tool calls one sandbox worker runs at the same time"),
    Variable("METRICS_TOKEN", "secret", "", "the bearer token that `GET /api/v1/metrics` requires; empty: the metrics endpoint is off", _WEB),
    Variable("METRICS_ADDRESS", "text", "", "`host:port` on which this sandbox worker serves the metrics of its node, for a private network only; empty: not served"),
    Variable("RATE_LIMIT_TOKEN", "text", "1200/minute", "how many API requests one API token may make, such as `1200/minute`; empty: no limit"),
    Variable("RATE_LIMIT_PERSON", "text", "3000/minute", "how many API requests one person may make from browsers, such as `3000/minute`; empty: no limit"),
    Variable("RATE_LIMIT_TEAM", "text", "12000/minute", "how many API requests may be made to the resources of one team in total, such as `12000/minute`; empty: no limit"),
    Variable("SECRET_KEY", "secret", DEVELOPMENT_SECRET, "the key that signs browser sessions and tokens; at least 50 random characters"),
    Variable("SEALING_PUBLIC_KEY", "text", "", "the public key with which every process encrypts what teams entrust to the site, such as provider keys; `make run` creates a key pair, otherwise run `manage.py make_sealing_keys`"),
    Variable("SEALING_PRIVATE_KEYS", "secret", "", "the private keys with which the agent worker decrypts what was encrypted with SEALING_PUBLIC_KEY; comma-separated, newest first; keep older keys until `manage.py reseal_secrets` has run", _READING),
    Variable("VARIABLES_PUBLIC_KEY", "text", "", "the public key with which every process encrypts secret variables of projects and teams; without it, variables cannot be secret; created like SEALING_PUBLIC_KEY"),
    Variable("VARIABLES_PRIVATE_KEYS", "secret", "", "the private keys with which sandbox workers decrypt secret variables; comma-separated, newest first; a pair of its own, because sandbox workers must not decrypt provider keys", _GIVING),
    Variable("DOOR_PUBLIC_KEY", "text", "", "the public key with which every process encrypts secrets that the door adds to requests; without it, there are none; created like SEALING_PUBLIC_KEY"),
    Variable("DOOR_PRIVATE_KEYS", "secret", "", "the private keys with which the doors decrypt these secrets; comma-separated, newest first; a pair of its own, because these secrets never enter a workspace, and sandbox workers must not decrypt them", _ADDING),
    Variable("SECRET_KEY_FALLBACKS", "secret", "", "former values of SECRET_KEY, comma-separated; what they signed or encrypted stays valid"),
    Variable("SIGN_UP", "text", "invitation", "who may create an account: `invitation` (only people with an invitation), `open` (anybody) or `closed` (nobody)"),
    Variable("OIDC_ISSUER", "url", "", "the issuer URL of an OpenID Connect provider for signing in, such as `https://id.example.org/realms/staff`; empty: no OpenID Connect sign-in"),
    Variable("OIDC_NAME", "text", "single sign-on", "the name of the OpenID Connect provider on its button, after *Sign in with*"),
    Variable("OIDC_CLIENT_ID", "text", "", "the client id of the site at the OpenID Connect provider; register the redirect URI `<AGENTSITE_URL>/_allauth/oidc/oidc/login/callback/` there"),
    Variable("OIDC_CLIENT_SECRET", "secret", "", "the client secret of the site at the OpenID Connect provider", _WEB),
    Variable("DEBUG", "flag", "false", "Django's debug mode; production refuses it"),
    Variable("ALLOWED_HOSTS", "list", "localhost,127.0.0.1,[::1]", "the host names that the site answers to"),
    Variable("CSRF_TRUSTED_ORIGINS", "list", "", "further origins that may send forms, such as `https://agents.example.org`"),
    Variable("TRUST_PROXY_HEADERS", "flag", "false", "trust the headers `X-Forwarded-Proto` and `X-Forwarded-For` of a reverse proxy"),
    Variable("PROXY_COUNT", "number", "1", "how many of your own proxies each request passes through; only used with TRUST_PROXY_HEADERS"),
    Variable("SECURE_COOKIES", "flag", "false", "send cookies over HTTPS only; production requires it"),
    Variable("EMAIL_HOST", "text", "", "the SMTP server for outgoing e-mail; empty: e-mails are written to the log"),
    Variable("EMAIL_PORT", "number", "587", "the port of the SMTP server"),
    Variable("EMAIL_SECURITY", "text", "starttls", "the encryption of the connection to the SMTP server: `starttls`, `tls` (from the start) or `none`"),
    Variable("EMAIL_USER", "text", "", "the user name at the SMTP server; empty: no authentication"),
    Variable("EMAIL_PASSWORD", "secret", "", "the password at the SMTP server", _BEAT),
    Variable("EMAIL_FROM", "text", "agentsite <agentsite@localhost>", "the sender of all e-mails"),
    Variable("AUDIT_DAYS", "number", "0", "how many days entries of the audit log are kept, at least 30; 0: without limit; the owners of a team can choose fewer days"),
    Variable("DATABASE_URL", "url", "", "the database, `postgres://user:password@host/name`; empty: SQLite in the state directory"),
    Variable("REDIS_URL", "url", "", "the Valkey or Redis server, `redis://…` or `unix:///path`; empty: an embedded Valkey"),
    Variable("MODEL_KIND", "text", "openai_compatible", "the adapter for the model provider: `openai_compatible`, or `litellm` for all other providers"),
    Variable("MODEL_BASE_URL", "url", "", "the base URL of the model provider; if this and MODEL_NAME are empty, the demo model is used"),
    Variable("MODEL_NAME", "text", "", "the model to use, under the name its provider gives it; empty: the demo model"),
    Variable("SMALL_MODEL_NAME", "text", "", "the model for titles and other small tasks; empty: the model of MODEL_NAME"),
    Variable("MODEL_SEES", "list", "", "the input types that the models accept: `images`, `pdf` or `nothing`; empty: what is known about each model, and nothing for unknown models"),
    Variable("MODEL_EFFORTS", "list", "", "the reasoning efforts that the models take, such as `low,medium,high`, or `nothing`; empty: what is known about each model, and nothing for unknown models"),
    Variable("MODEL_CHOICES", "list", "", "the names of further models of the same provider that agents may use"),
    Variable("MODEL_CONTEXT", "number", "0", "the context length of MODEL_NAME in tokens; 0: the value in the site's table of models, if the model is listed there"),
    Variable("MODEL_API_KEY", "secret", "", "the API key of the model provider; only the agent worker sees it", _AGENT),
    Variable("MODEL_TABLE_URL", "url", "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json", "where operators have the table of models with prices and abilities read, in the format of litellm; `none`: only the bundled table is used"),
    Variable("PROVIDER_ALLOW", "list", "", "hosts outside the public web at which model providers of teams are allowed, each exactly as `host:port`, such as `gpu.example:8000`; empty: none"),
    Variable("COPILOT_CLIENT_ID", "text", "", "the id of the OAuth client with which teams sign in to GitHub Copilot; it must be one that GitHub permits to use Copilot; empty: no sign-in, teams enter a token"),
    Variable("GITLAB_CLIENT_ID", "text", "", "the id of the OAuth application with which teams sign in to GitLab Duo at gitlab.com; empty: no sign-in, teams enter a personal access token"),
    Variable("DEMO_MODEL_URL", "url", "http://127.0.0.1:8009/v1", "the URL that the demo model listens on"),
    Variable("DOCKER_HOST", "url", "", "the address of the Docker engine; empty: the engine that `make run` finds or starts", _SANDBOX),
    Variable("SANDBOX_IMAGE", "text", "", "the container image of new workspaces; empty: the image that `make run` builds"),
    Variable("SANDBOX_BASE_IMAGE", "text", "", "the base image of the sandbox image; empty: Debian bookworm, built from packages if no registry can be reached"),
    Variable("SANDBOX_BROWSER", "flag", "false", "whether the sandbox image has a browser, so that the tool `browser` is offered to models; `make run` then adds the Debian package chromium-headless-shell to the image (550 MB)"),
    Variable("SANDBOX_LANGUAGES", "flag", "false", "whether the sandbox image has language servers, so that the tool `lsp` is offered to models; `make run` then adds pyright, typescript-language-server, ruff, black, prettier and shfmt to the image (100 MB)"),
    Variable("SANDBOX_RUNTIME", "text", "runc", "the OCI runtime of the containers"),
    Variable("SANDBOX_DISK", "text", "auto", "how the disk limit of a workspace is enforced: `ext4`, `btrfs`, `soft` (usage is only watched) or `auto` (the best of them that works on this machine)"),
    Variable("WEB_ALLOW", "list", "", "hosts outside the public web that `webfetch` may reach, and from which configuration may be read, each exactly as `host:port`, such as `mirror.example:8081`; empty: none"),
    Variable("NETWORK_ALLOW", "list", "", "hosts outside the public web that programs in workspaces may reach if the network mode and the rules allow them, each exactly as `host:port`, such as `mirror.example:8081`; empty: none"),
    Variable("NETWORK_CERTIFICATES", "path", "", "a PEM file with certificate authorities that programs in workspaces trust in addition to those of Debian; it becomes part of the sandbox image, and doors verify hosts with it that they add secrets for"),
    Variable("WEBHOOK_ALLOW", "list", "", "hosts outside the public web that webhooks may be sent to, each exactly as `host:port`; empty: none"),
    Variable("PUSH_ALLOW", "list", "", "further push services of browsers that notices may be sent to, each exactly as `host:port`, such as `push.example.org:443`, also outside the public web; empty: only those of Chrome, Edge, Firefox and Safari"),
    Variable("VAPID_PUBLIC_KEY", "text", "", "the public key with which the site identifies itself at push services, 65 bytes in base64url; empty: a key pair is created on first use and stored encrypted"),
    Variable("VAPID_PRIVATE_KEY", "secret", "", "the private key of VAPID_PUBLIC_KEY, 32 bytes in base64url; only the agent worker sees it", _AGENT),
    Variable("WEB_CERTIFICATES", "path", "", "a PEM file with certificate authorities that `webfetch` and the search tools trust in addition to those of this machine"),
    Variable("SEARCH_SERVER", "url", "", "the MCP server for `websearch` and `codesearch`: a URL, or `exa` for the server of Exa; empty: both tools are not offered"),
    Variable("SEARCH_KEY", "secret", "", "the key for SEARCH_SERVER, sent as bearer token and as `x-api-key`", _SANDBOX),
    Variable("ARCHIVE_STORAGE", "url", "", "the storage of workspace archives: `file:///directory` or `s3://bucket/prefix?endpoint=https://…`; empty: `archives` in the state directory"),
    Variable("ARCHIVE_S3_KEY", "secret", "", "the access key of the bucket in ARCHIVE_STORAGE", _SANDBOX),
    Variable("ARCHIVE_S3_SECRET", "secret", "", "the secret key of the bucket in ARCHIVE_STORAGE", _SANDBOX),
    Variable("ARCHIVE_AFTER_TURNS", "flag", "true", "archive the files of a workspace after each turn; without archives, the loss of a node means the loss of its workspaces"),
    Variable("ATTACHMENT_STORAGE", "url", "", "the storage of files that people and tools attach, in the format of ARCHIVE_STORAGE; empty: `attachments` in the state directory"),
    Variable("ATTACHMENT_S3_KEY", "secret", "", "the access key of the bucket in ATTACHMENT_STORAGE", _SERVING),
    Variable("ATTACHMENT_S3_SECRET", "secret", "", "the secret key of the bucket in ATTACHMENT_STORAGE", _SERVING),
    Variable("ATTACHMENT_DAYS", "number", "0", "how many days attached files are kept; 0: as long as their session"),
)  # fmt: skip
TABLE: Final[Mapping[str, Variable]] = {variable.name: variable for variable in VARIABLES}


class Environment:
    """Typed access to the environment variables.

    Raises KeyError for a variable that is not in the table or that this role may not read, and SystemExit for a value
    of the wrong type.
    """

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
        """Return the comma-separated values of a secret variable; an empty list if this role may not read it."""
        return self.words(name) if name in self._values else []

    def hosts(self, name: str) -> list[str]:
        """Return the comma-separated `host:port` values of a variable. Raises SystemExit if a value has no valid
        port."""
        words = self.words(name)
        for word in words:
            if _HOST_AND_PORT.fullmatch(word) is None or int(word.rpartition(":")[2]) not in range(1, 65536):
                raise SystemExit(
                    f"{name} must be a comma-separated list of host:port, such as mirror.example:8081, not {word!r}."
                )
        return words

    def path(self, name: str) -> Path:
        """Return the value of a variable as an absolute path. Relative values are relative to the repository, not to
        the working directory."""
        return (REPOSITORY / Path(self._values[name]).expanduser()).resolve()

    def known_secrets(self) -> list[str]:
        """Return the values of all secrets that this process can read, which must not appear in its logs."""
        values = [value for name, value in self._values.items() if TABLE[name].kind == "secret"]
        return [word.strip() for value in values for word in (value, *value.split(","))]

    def has(self, name: str) -> bool:
        return bool(self._values.get(name))


def withheld(role: ProcessRole) -> tuple[str, ...]:
    """Return the names of the variables that a process of this role must not have."""
    return tuple(variable.name for variable in VARIABLES if not variable.visible_in(role))


def read_environment(source: MutableMapping[str, str] | None = None) -> Environment:
    """Read this process's environment, and remove from `source` each variable that its role may not read.

    `source` is `os.environ` by default.
    """
    source = os.environ if source is None else source
    environment = Environment(source)
    for name in withheld(environment.role):
        source.pop(name, None)
    return environment


def environment_for_child(more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a child process: the environment of this process, updated with `more`."""
    return {**os.environ, **more}


def address_here(host: str, port: int) -> str:
    """Return the URL under which browsers on this machine reach the site.

    Local and unspecified addresses are replaced by `localhost`, because passkeys need a host name, and the cookies of a
    session belong to one host name.
    """
    if host in ("127.0.0.1", "0.0.0.0", "::1", "::"):  # noqa: S104 compared only
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def site_label(state: Path) -> str:
    """Return the label of this site's containers, which distinguishes two sites that share one Docker engine."""
    return hashlib.sha256(str(state).encode()).hexdigest()[:12]
