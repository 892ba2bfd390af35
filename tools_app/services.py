"""Services of a workspace: programs such as a database, which commands of the project use at the container's loopback
address.

They are declared in TOML, in the project's settings or else in `.agentsite/services.toml`:

    [postgres]
    database = "shop"

    [redis]

    [mail]
    command = "mailpit --listen 127.0.0.1:8025"
    ready = "curl -fs http://127.0.0.1:8025"

A table named after one of `PROGRAMS` may set `port` and, for databases, `database`. Any other table needs a `command`.
"""

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tools_app.text import is_clean

FILE: Final = ".agentsite/services.toml"
MAX_BYTES: Final = 16_384
MAX_SERVICES: Final = 6
DATA: Final = "~/.cache/services"
"""The folder of the services' data and logs. It is part of no archive and of no kept set-up."""
MISSING: Final = 127
"""The exit code of a start without the program."""

POSTGRES: Final = ("postgres",)
MYSQL: Final = ("mariadbd", "mysqld")
REDIS: Final = ("valkey-server", "redis-server")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}", re.ASCII)
_DATABASE: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}", re.ASCII)


class BadServices(ValueError):
    """The declaration cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service: a program that runs in the container of a workspace.

    `start` is the command that becomes the program; `ready` is a command that succeeds once the program answers.
    `program` is the program's name for people, `port` its port, or 0 if that is not known. `variables` are for commands
    that use the service. `needs` are alternative names of the program: an image needs one of them.
    """

    name: str
    program: str
    start: str
    ready: str
    port: int = 0
    variables: Mapping[str, str] = field(default_factory=dict)
    needs: Sequence[str] = ()

    @property
    def folder(self) -> str:
        return f"{DATA}/{self.name}"

    @property
    def log(self) -> str:
        return f"{self.folder}/log"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}" if self.port else ""

    def start_script(self) -> str:
        return f"root=$PWD; mkdir -p {self.folder}/data && cd {self.folder} && exec > log 2>&1 || exit 1\n{self.start}"

    def ready_script(self) -> str:
        return f"{{ {self.ready}\n}} > /dev/null 2>&1 || {{ tail -c 600 {self.log}; exit 1; }}"


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a workspace's services. `source` is `settings` or the path of the services file; `problem`
    says why the services cannot be used."""

    source: str
    text: str
    problem: str = ""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        return {"source": self.source, "text": self.text, "digest": self.digest, "problem": self.problem}


def declaration(source: str, text: str) -> Declaration:
    """Return the declaration of services in a text, with the problem that makes it invalid, if any."""
    try:
        parse_services(text)
    except BadServices as error:
        return Declaration(source, text, str(error))
    return Declaration(source, text)


def parse_services(text: str) -> tuple[Service, ...]:
    """Return the services that a text declares, in its order. Raises BadServices."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES or not is_clean(text):
        raise BadServices(f"It is not text of at most {MAX_BYTES:,} bytes.")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadServices(f"It is not valid TOML: {error}") from error
    if len(tables) > MAX_SERVICES:
        raise BadServices(f"It has {len(tables)} services. At most {MAX_SERVICES} can run.")
    services = tuple(_service(name, table) for name, table in tables.items())
    ports = [service.port for service in services if service.port]
    if len(ports) > len({*ports}):
        raise BadServices("Two services have the same port.")
    return services


def variables_of(services: Sequence[Service]) -> dict[str, str]:
    """Return the environment variables that commands get. If two services set the same variable, the first service
    wins."""
    return {name: value for service in reversed(services) for name, value in service.variables.items()}


def _service(name: str, table: object) -> Service:
    if not _NAME.fullmatch(name):
        raise BadServices(f"{name[:40]!r} is not a name of lower-case letters, digits and dashes.")
    if not isinstance(table, dict):
        raise BadServices(f"{name} is not a table. Write [{name}].")
    make = PROGRAMS.get(name)
    return _own(name, table) if make is None or "command" in table else make(name, _Fields(name, table))


def _own(name: str, table: Mapping[str, Any]) -> Service:
    fields = _Fields(name, table)
    command, ready = fields.text("command", required=True), fields.text("ready") or "true"
    port = fields.port(0)
    fields.finish()
    return Service(name, command.split()[0], f'cd "$root"\n{command}', ready, port)


class _Fields:
    """A reader of the settings of one service in the services file. `finish` refuses settings that nothing has read."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self._name = name
        self._table = dict(table)

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        value = self._table.pop(key, default)
        if not isinstance(value, str) or (required and not value.strip()):
            known = ", ".join(PROGRAMS)
            raise BadServices(f"{self._name} needs {key!r}, a text. Without a command there are {known}.")
        return value

    def port(self, default: int) -> int:
        value = self._table.pop("port", default)
        if type(value) is not int or (value != default and not 1024 <= value <= 65535):
            raise BadServices(f"The port of {self._name} is not a number from 1024 to 65535.")
        return value

    def database(self) -> str:
        value = self.text("database", "app")
        if not _DATABASE.fullmatch(value):
            raise BadServices(f"The database of {self._name} is not a name of lower-case letters, digits and _.")
        return value

    def finish(self) -> None:
        if self._table:
            raise BadServices(f"{self._name} has an unknown field {next(iter(self._table))[:40]!r}.")


def _found(*programs: str) -> str:
    """Return a shell line that sets `program` to the first of these programs that exists, or ends with `MISSING`."""
    names = " || ".join(f"command -v {name}" for name in programs)
    return f"program=$({names}) || exit {MISSING}"


def _postgres(name: str, fields: _Fields) -> Service:
    port, database = fields.port(5432), fields.database()
    fields.finish()
    start = f"""PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | tail -n 1)"
{_found(*POSTGRES)}
test -e data/PG_VERSION || initdb --pgdata=data --username=postgres --auth=trust --encoding=UTF8 --no-sync || exit 1
rm -f data/postmaster.pid
exec postgres -D data -h 127.0.0.1 -p {port} -k /tmp -c fsync=off"""
    client = f"-h 127.0.0.1 -p {port} -U postgres"
    ready = f"createdb {client} {database}; psql {client} -d {database} -c 'SELECT 1'"
    url = f"postgresql://postgres:postgres@127.0.0.1:{port}/{database}"
    variables = {
        "DATABASE_URL": url, "PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "postgres", "PGDATABASE": database,
    }  # fmt: skip
    return Service(name, "PostgreSQL", start, ready, port, variables, POSTGRES)


def _mysql(name: str, fields: _Fields) -> Service:
    port, database = fields.port(3306), fields.database()
    fields.finish()
    start = f"""PATH="$PATH:/usr/sbin:/usr/libexec"
{_found(*MYSQL)}
if ! test -d data/mysql; then
    if command -v mariadb-install-db; then
        mariadb-install-db --no-defaults --datadir="$PWD/data" --auth-root-authentication-method=normal --skip-test-db
    else
        "$program" --no-defaults --initialize-insecure --datadir="$PWD/data"
    fi || {{ rm -rf data; exit 1; }}
fi
exec "$program" --no-defaults --datadir="$PWD/data" --bind-address=127.0.0.1 --port={port} \\
    --socket=/tmp/mysql-{port}.sock --pid-file="$PWD/pid" --innodb-flush-log-at-trx-commit=0"""
    client = f"--no-defaults -h 127.0.0.1 -P {port} -u root"
    ready = f"$(command -v mariadb || command -v mysql) {client} -e 'CREATE DATABASE IF NOT EXISTS {database}'"
    variables = {
        "DATABASE_URL": f"mysql://root@127.0.0.1:{port}/{database}", "MYSQL_HOST": "127.0.0.1",
        "MYSQL_TCP_PORT": str(port), "MYSQL_USER": "root", "MYSQL_DATABASE": database,
    }  # fmt: skip
    return Service(name, "MariaDB", start, ready, port, variables, MYSQL)


def _redis(name: str, fields: _Fields) -> Service:
    port = fields.port(6379)
    fields.finish()
    start = f"""{_found(*REDIS)}
exec "$program" --bind 127.0.0.1 --port {port} --dir data"""
    ready = f"$(command -v valkey-cli || command -v redis-cli) -p {port} ping | grep -q PONG"
    return Service(name, "Redis", start, ready, port, {"REDIS_URL": f"redis://127.0.0.1:{port}/0"}, REDIS)


PROGRAMS: Final[Mapping[str, Callable[[str, _Fields], Service]]] = {
    "postgres": _postgres, "mariadb": _mysql, "mysql": _mysql, "redis": _redis, "valkey": _redis,
}  # fmt: skip
"""The programs that need no command, by the name of their table."""
