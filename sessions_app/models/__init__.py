"""The models of the app `sessions_app`. The models of MCP servers, memory, push notices, repositories, spending,
uploads, variables and webhooks are in their own folders; they are imported here so that Django finds them."""

from sessions_app.mcp.account_models import McpAccount, McpClient, McpRevocation, McpSignIn
from sessions_app.mcp.models import McpSecret, McpServer, McpServerState
from sessions_app.memory.models import MemoryNote
from sessions_app.models.agent import Agent
from sessions_app.models.asking import Grant, PermissionRequest, Question
from sessions_app.models.attachment import Attachment, LooseFile
from sessions_app.models.base import SessionGuest, SharedWith
from sessions_app.models.comparison import Comparison
from sessions_app.models.configuration import Configuration
from sessions_app.models.conversation import Message, Part, ToolCall, Turn
from sessions_app.models.event import SessionEvent
from sessions_app.models.image import ProjectImage, SandboxImage
from sessions_app.models.memory import FileVersion, OnceKey
from sessions_app.models.model_table import ModelTable
from sessions_app.models.network import RefusedHost, WorkspaceTraffic
from sessions_app.models.notification import MailChoice, MailedItem
from sessions_app.models.operator_access import OperatorAccess
from sessions_app.models.revert import Revert
from sessions_app.models.review import FileApproval, ReviewComment
from sessions_app.models.search import SearchText
from sessions_app.models.session import Session
from sessions_app.models.session_mark import SessionMark
from sessions_app.models.setup import ProjectSetup, SetupResult
from sessions_app.models.sharing import ShareLink
from sessions_app.models.skill import SkillPackage, SkillVersion
from sessions_app.models.system_prompt import SystemPrompt
from sessions_app.models.workspace import Node, Workspace, WorkspaceNote
from sessions_app.push.models import PushBrowser, PushKey, PushNotice
from sessions_app.repositories.models import Connection, ProjectRepository, TeamCommits
from sessions_app.repositories.pulls.models import PullRequest
from sessions_app.spending.models import Budget, ModelCall
from sessions_app.uploads.models import Upload
from sessions_app.variables.models import Variable, VariableUse
from sessions_app.webhooks import models as webhook_models

__all__ = [
    "Agent",
    "Attachment",
    "Budget",
    "Comparison",
    "Configuration",
    "Connection",
    "FileApproval",
    "FileVersion",
    "Grant",
    "LooseFile",
    "MailChoice",
    "MailedItem",
    "McpAccount",
    "McpClient",
    "McpRevocation",
    "McpSecret",
    "McpServer",
    "McpServerState",
    "McpSignIn",
    "MemoryNote",
    "Message",
    "ModelCall",
    "ModelTable",
    "Node",
    "OnceKey",
    "OperatorAccess",
    "Part",
    "PermissionRequest",
    "ProjectImage",
    "ProjectRepository",
    "ProjectSetup",
    "PullRequest",
    "PushBrowser",
    "PushKey",
    "PushNotice",
    "Question",
    "RefusedHost",
    "Revert",
    "ReviewComment",
    "SandboxImage",
    "SearchText",
    "Session",
    "SessionEvent",
    "SessionGuest",
    "SessionMark",
    "SetupResult",
    "ShareLink",
    "SharedWith",
    "SkillPackage",
    "SkillVersion",
    "SystemPrompt",
    "TeamCommits",
    "ToolCall",
    "Turn",
    "Upload",
    "Variable",
    "VariableUse",
    "Workspace",
    "WorkspaceNote",
    "WorkspaceTraffic",
    "webhook_models",
]
