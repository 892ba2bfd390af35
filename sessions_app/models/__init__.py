"""Rows of the conversation side: workspaces, sessions, turns, messages, parts, tool calls, files, requests, events."""

from sessions_app.models.agent import Agent
from sessions_app.models.asking import Grant, PermissionRequest, Question
from sessions_app.models.attachment import Attachment, LooseFile
from sessions_app.models.audience import SessionGuest, SharedWith
from sessions_app.models.budget import Budget
from sessions_app.models.conversation import Message, Part, ToolCall, Turn
from sessions_app.models.event import SessionEvent
from sessions_app.models.memory import FileVersion, OnceKey
from sessions_app.models.model_call import ModelCall
from sessions_app.models.notification import MailChoice, MailedItem
from sessions_app.models.operator_access import OperatorAccess
from sessions_app.models.search import SearchText
from sessions_app.models.session import Session
from sessions_app.models.sharing import ShareLink
from sessions_app.models.workspace import Node, Workspace, WorkspaceNote

__all__ = [
    "Agent",
    "Attachment",
    "Budget",
    "FileVersion",
    "Grant",
    "LooseFile",
    "MailChoice",
    "MailedItem",
    "Message",
    "ModelCall",
    "Node",
    "OnceKey",
    "OperatorAccess",
    "Part",
    "PermissionRequest",
    "Question",
    "SearchText",
    "Session",
    "SessionEvent",
    "SessionGuest",
    "ShareLink",
    "SharedWith",
    "ToolCall",
    "Turn",
    "Workspace",
    "WorkspaceNote",
]
