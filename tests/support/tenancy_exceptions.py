"""Exceptions of the tenancy tests: fields that name no row of a team, and models without a row in the matrix."""

from collections.abc import Mapping
from typing import Final

DOCUMENTS: Final = frozenset({"document", "arguments", "output_schema"})
"""Fields with a schema of their own, which name no rows."""

PLAIN: Final = frozenset(
    {
        "news", "begin", "end", "time_zone",  # of e-mails to oneself
        # pages and filters
        "cursor", "fields",
        "command", "transport", "image", "script", "services", "state", "status", "action", "model", "place",
        # of people and prices
        "address", "password", "input", "output", "reasoning", "cache_read", "cache_write", "limit",
        "assumed_input", "assumed_output",
        # words of people
        "instructions",
        "title", "label", "labels", "argument", "folder", "text", "name", "value", "url", "events", "message", "reason",
        "answers", "email", "secret",
        "description", "suggested_prompt", "default_agent", "agent", "tool", "permission", "pattern", "arguments",
        # of reverts
        "paths", "decision", "sha256", "endpoint", "p256dh", "auth",
        # of connections and repositories
        "connection", "username", "token", "app_id", "private_key", "installation_id", "search", "repository", "ref",
        "branch_prefix", "protected", "body", "author", "committer_name", "committer_email", "history", "folders",
        "submodules",
        "path", "target", "under", "quote", "version", "introduction",  # of files and comments in the session
        "check", "comment",  # of the pull request that the path names
        "client_id", "client_secret",  # at the authorization server of an MCP server
        "hosts", "added_name",  # of secrets that are added to requests
        # of providers and models
        "kind", "base_url", "key", "default_model", "small_model", "blocked", "fallbacks", "only", "provider",
        "effort",
        "models", "test_command",  # of attempts
    }
)  # fmt: skip
"""Texts in queries and bodies that name no row."""

WITHOUT_ROW: Final[Mapping[str, str]] = {
    "SocketTicket": "lives for seconds, is shown once, and is reached by its secret alone",
    "ModelTable": "belongs to the site; everybody sees its models",
    "Node": "belongs to the site; teams see the name of the one that holds their workspace",
    "RememberedAnswer": "what one person's key was answered, found by that person and key alone",
    "DeliveryAttempt": "read with its delivery only",
    "OutgoingMail": "a letter on its way, which no route reads",
    "LooseFile": "a place in the storage that no row owns",
    "MailChoice": "of one person, and reached by nobody else",
    "MailedItem": "read by the site alone, when it writes letters",
    "PushKey": "one of the site, of which everybody gets the public half",
    "PushNotice": "read by the site alone, when it sends it",
    "OnceKey": "read by tools of its session only",
    "WorkspaceTraffic": "read with its workspace and its project only",
    "RefusedHost": "read with its project only, by those who see its session",
    "McpSecret": "of the door alone; the names are read with the server",
    "McpServerState": "read with its server only",
    "McpAccount": "read with its server only, by its person, or by the team if it is the team's",
    "McpClient": "of the door alone",
    "McpSignIn": "of one person, found by the secret in the answer of the authorization server and that person alone",
    "McpRevocation": "of the door alone",
    "SkillVersion": "read with its skill only",
    "VariableUse": "read with its variable only",
    "FileVersion": "read by tools of its session only",
    "SandboxImage": "belongs to the site; every team sees the names",
    "ProjectImage": "read with its project only",
}
"""Our models without a row of a team in the matrix, with reasons."""
