"""The errors of the interface: each has a stable code, a status, a plain sentence and a next step.

SiteError
├── BadInput            400  the request cannot be understood; `fields` names what is wrong
├── NotSignedIn         401
├── NotAllowed          403  you see it, your role may not do it
├── Missing             404  not there, or not yours: the same answer
├── Stale               409  somebody or something was faster; look again
├── Changed             412  it is not what the request says it looked at
├── TooLarge            413
├── UnknownField        422  the request names something that the operation does not know
├── TooMany             429
└── Unavailable         503  a part of the site is down; nothing is lost, try again
"""

from collections.abc import Mapping

from agentsite.base.error_codes import ErrorCode


class SiteError(Exception):
    """Without a `hint` of its own the error has that of its code."""

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
    """`code` says whether it is a field of the body or a query parameter; `fields` names them."""

    status, code = 422, ErrorCode.UNKNOWN_FIELD


class TooMany(SiteError):
    status, code = 429, ErrorCode.TOO_MANY_REQUESTS


class Unavailable(SiteError):
    status, code = 503, ErrorCode.UNAVAILABLE
