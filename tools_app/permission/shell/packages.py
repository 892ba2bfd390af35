"""Packages whose programs are fetched and run: `npx name@version`."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.words import Field

_RUNNERS: Final = names("npx bunx uvx") | {"", "npm exec", "npm x", "pnpm dlx", "yarn dlx", "bun x"}
_WITH_VERSION: Final = re.compile(r"((?:@[\w.-]+/)?[\w.-]+)(?:@|==)[\w.^~*<>=+-]+")
_PROGRAMS: Final[Mapping[str, str]] = {
    "netlify-cli": "netlify", "firebase-tools": "firebase", "aws-cdk": "cdk", "eas-cli": "eas", "expo-cli": "expo",
    "heroku-cli": "heroku", "@railway/cli": "railway", "@changesets/cli": "changeset", "@vscode/vsce": "vsce",
    "@google/clasp": "clasp", "@sentry/cli": "sentry-cli", "@aws-amplify/backend-cli": "ampx", "@expo/cli": "expo",
    "@aws-amplify/cli": "amplify", "@cloudflare/wrangler": "wrangler", "@pnpm/exe": "pnpm", "@yarnpkg/cli": "yarn",
    "@shopify/cli": "shopify", "@sanity/cli": "sanity", "@jsdevtools/npm-publish": "npm-publish", "awscli": "aws",
    "huggingface_hub": "hf", "huggingface-hub": "hf", "aws-sam-cli": "sam", "awsebcli": "eb",
    "apache-libcloud": "libcloud", "@dotenvx/dotenvx": "dotenvx", "dotenv-cli": "dotenv",
}  # fmt: skip
"""Packages whose program has another name."""


def without_version(runner: str, words: Sequence[Field]) -> list[Field]:
    """Return the words with the package name and version replaced by the program that the package runner would start.

    All other commands are returned unchanged. If `runner` is empty, nothing is known about the runner.
    """
    if not words or runner not in _RUNNERS:
        return list(words)
    found = _WITH_VERSION.fullmatch(words[0].text)
    package = found[1] if found else words[0].text
    program = _PROGRAMS.get(package, package)
    return [Field(program, words[0].known), *words[1:]] if program != words[0].text else list(words)
