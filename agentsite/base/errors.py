"""The errors of the API. Each has a stable code, an HTTP status, a message and a hint with the next step.

SiteError
├── BadInput            400  the request is not valid; `fields` names what is wrong
├── NotSignedIn         401
├── NotAllowed          403  the user may see the object, but the role does not allow the action
├── Missing             404  the object does not exist, or the user may not see it
├── Stale               409  the state has changed meanwhile, so the request no longer applies
├── Changed             412  the object does not have the version in `If-Match`
├── TooLarge            413
├── UnknownField        422  the request has a field or query parameter that the operation does not know
├── TooMany             429
└── Unavailable         503  a part of the site is down; the request can be repeated
"""

from collections.abc import Mapping

from agentsite.base.error_codes import ErrorCode


class SiteError(Exception):
    """Base class of all API errors. Without a `hint`, the error has the hint of its code."""

    status = 500
    code: ErrorCode = ErrorCode.INTERNAL_ERROR

    def __init__(
        self,
        message: str,
        *,
        code: ErrorCode | None = None,
        hint: str | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.hint = self.code.hint if hint is None else hint
        self.fields = dict(fields or {})


class BadInput(SiteError):
    status, code = 400, ErrorCode.BAD_INPUT


class NotSignedIn(SiteError):
    status, code = 401, ErrorCode.NOT_SIGNED_IN


class NotAllowed(SiteError):
    status, code = 403, ErrorCode.NOT_ALLOWED


class Missing(SiteError):
    status, code = 404, ErrorCode.NOT_FOUND


class Stale(SiteError):
    status, code = 409, ErrorCode.STALE


class Changed(SiteError):
    status, code = 412, ErrorCode.PRECONDITION_FAILED


class TooLarge(SiteError):
    status, code = 413, ErrorCode.TOO_LARGE


class UnknownField(SiteError):
    """A request has unknown fields. `code` tells whether these are body fields or query parameters; `fields` names
    them."""

    status, code = 422, ErrorCode.UNKNOWN_FIELD


class TooMany(SiteError):
    status, code = 429, ErrorCode.TOO_MANY_REQUESTS


class Unavailable(SiteError):
    status, code = 503, ErrorCode.UNAVAILABLE
