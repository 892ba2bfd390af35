"""A Python client for agentsite's API. It needs only httpx and pydantic, and no other package of the site.

Example:

with Client("http://localhost:8000", token="ags_...") as site:
    session = site.start_session(site.projects()[0].id, new_workspace=True)
    result = session.run("Fix the failing test", on_permission=lambda request: Once())
    print(result.text, session.diff())
"""

from agentsite.client.answers import Always, Answered, Dismiss, Once, PermissionAnswer, QuestionAnswer, Reject
from agentsite.client.client import Client
from agentsite.client.error_codes import ErrorCode
from agentsite.client.errors import ApiError, ClientError, NotConnected, TurnNotCompleted, Unreachable, UploadRefused
from agentsite.client.events import Event
from agentsite.client.session import Session, TurnResult

__all__ = [
    "Always",
    "Answered",
    "ApiError",
    "Client",
    "ClientError",
    "Dismiss",
    "ErrorCode",
    "Event",
    "NotConnected",
    "Once",
    "PermissionAnswer",
    "QuestionAnswer",
    "Reject",
    "Session",
    "TurnNotCompleted",
    "TurnResult",
    "Unreachable",
    "UploadRefused",
]
