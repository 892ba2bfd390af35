"""The language servers that are used where a sandbox has them. A table; `docs/tools.md` tells people about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

OUR_FOLDER: Final = "/opt/languages"
"""Where the image has what was put into it for languages, when it was asked to; see `sandbox.image.languages`."""


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """`languages`: the protocol's name of the language by a file's extension. `roots`: files in a project's folder.

    `options` go with the first request, `settings` answer what it asks about itself, by section. `consent` is a
    command: a server that runs code of the project as that command does, starts only where the command may run.
    `consent_elsewhere` is one for the server of any image but ours, which is set up so that it needs none.
    """

    id: str
    argv: tuple[str, ...]
    languages: Mapping[str, str]
    roots: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    consent: str = ""
    consent_elsewhere: str = ""

    def consent_for(self, program: str) -> str:
        """Empty when it needs none."""
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
"""MiB: less than half of what a workspace has by default, so that a server never costs the tests their memory."""

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
    """Those that know files of this name; the first that the sandbox has is used."""
    extension = extension_of(path)
    return (server for server in SERVERS if extension in server.languages)


def extension_of(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
