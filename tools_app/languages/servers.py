"""The table of language servers that are used if the sandbox has them. It is documented in `docs/tools.md`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

OUR_FOLDER: Final = "/opt/languages"
"""Where the sandbox image has the language servers, if it was built with them; see `sandbox.image.languages`."""


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A language server, and the settings with which it is started."""

    id: str
    argv: tuple[str, ...]
    languages: Mapping[str, str]
    """The protocol's language id for each file extension."""
    roots: tuple[str, ...] = ()
    """Files that mark the folder of a project."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The initialization options."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The configuration that the server requests, by section."""
    env: Mapping[str, str] = field(default_factory=dict)
    consent: str = ""
    """A command that runs code of the project just as the server does. The server starts only if the agent may run this
    command without asking a person. Empty: it always may start."""
    consent_elsewhere: str = ""
    """The same for a server that is not in `OUR_FOLDER`. The one in `OUR_FOLDER` is set up so that it runs no code of
    the project."""

    def consent_for(self, program: str) -> str:
        """Return the shell command that the rules must allow before `program` is started as the server; "" if no
        consent is needed."""
        is_ours = program.startswith(f"{OUR_FOLDER}/")
        return self.consent or ("" if is_ours else self.consent_elsewhere)


_PYTHON: Final = {".py": "python", ".pyi": "python"}
_PYTHON_ROOTS: Final = ("pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")
_PYTHON_SETTINGS: Final = {
    "python": {
        "analysis": {
            "autoSearchPaths": True,
            "diagnosticMode": "openFilesOnly",
            "useLibraryCodeForTypes": True,
            "extraPaths": [".venv/lib/python3/site-packages"],
        }
    }
}
_SCRIPTS: Final = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
_NODE_MEMORY: Final = {"NODE_OPTIONS": "--max-old-space-size=512"}
"""In MiB: less than half of a workspace's default memory, so that enough is left for running tests."""

SERVERS: Final = (
    ServerSpec(
        "pyright",
        ("pyright-langserver", "--stdio"),
        _PYTHON,
        _PYTHON_ROOTS,
        settings=_PYTHON_SETTINGS,
        env=_NODE_MEMORY,
    ),
    ServerSpec(
        "basedpyright",
        ("basedpyright-langserver", "--stdio"),
        _PYTHON,
        _PYTHON_ROOTS,
        settings={"basedpyright": _PYTHON_SETTINGS["python"]},
        env=_NODE_MEMORY,
    ),
    ServerSpec("pylsp", ("pylsp",), _PYTHON, _PYTHON_ROOTS, consent="python -m pylsp"),
    ServerSpec(
        "typescript",
        ("typescript-language-server", "--stdio"),
        _SCRIPTS,
        ("tsconfig.json", "jsconfig.json", "package.json"),
        options={
            "disableAutomaticTypingAcquisition": True,
            "hostInfo": "agentsite",
            "maxTsServerMemory": 512,
            "tsserver": {"path": f"{OUR_FOLDER}/node_modules/typescript/lib/tsserver.js"},
        },
        env=_NODE_MEMORY,
        consent_elsewhere="npx tsc",
    ),
    ServerSpec("gopls", ("gopls",), {".go": "go", ".mod": "go.mod"}, ("go.work", "go.mod"), consent="go build ./..."),
    ServerSpec("rust-analyzer", ("rust-analyzer",), {".rs": "rust"}, ("Cargo.toml",), consent="cargo check"),
    ServerSpec(
        "clangd",
        ("clangd", "--background-index=false"),
        {".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp"},
        ("compile_commands.json", "compile_flags.txt", ".clangd"),
    ),
    ServerSpec("bash", ("bash-language-server", "start"), {".sh": "shellscript", ".bash": "shellscript"}),
    ServerSpec("yaml", ("yaml-language-server", "--stdio"), {".yaml": "yaml", ".yml": "yaml"}),
    ServerSpec("lua", ("lua-language-server",), {".lua": "lua"}, (".luarc.json",), consent="lua"),
    ServerSpec("zig", ("zls",), {".zig": "zig"}, ("build.zig",), consent="zig build"),
    ServerSpec("ruby", ("ruby-lsp",), {".rb": "ruby"}, ("Gemfile",), consent="bundle exec ruby"),
    ServerSpec("php", ("intelephense", "--stdio"), {".php": "php"}, ("composer.json",)),
    ServerSpec("java", ("jdtls",), {".java": "java"}, ("pom.xml", "build.gradle"), consent="mvn compile"),
    ServerSpec("haskell", ("haskell-language-server-wrapper", "--lsp"), {".hs": "haskell"}, consent="cabal build"),
    ServerSpec("ocaml", ("ocamllsp",), {".ml": "ocaml", ".mli": "ocaml.interface"}, consent="dune build"),
    ServerSpec("terraform", ("terraform-ls", "serve"), {".tf": "terraform"}, consent="terraform init"),
)


def servers_for(path: str) -> Iterable[ServerSpec]:
    """Return the language servers for a file, by the extension of its path, in order of preference."""
    extension = extension_of(path)
    return (server for server in SERVERS if extension in server.languages)


def extension_of(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
