"""The errors of the interface: each has a stable code, a status, a plain sentence and a next step.

SiteError
├── BadInput            400  the request cannot be understood; `fields` names what is wrong
├── NotSignedIn         401
├── NotAllowed          403  you see it, your role may not do it
├── Missing             404  not there, or not yours: the same answer
├── Stale               409  somebody or something was faster; look again
├── Changed             412  it is not what the request says it looked at
├── TooLarge            413
├── TooMany             429
└── Unavailable         503  a part of the site is down; nothing is lost, try again
"""

from collections.abc import Mapping


class SiteError(Exception):
    status = 500
    code = "internal_error"
    hint = "Try again. If it happens again, give the request id to the people who run this site."

    def __init__(
        self, message: str, *, code: str | None = None, hint: str | None = None, fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.hint = self.hint if hint is None else hint
        self.fields = dict(fields or {})


class BadInput(SiteError):
    status, code, hint = 400, "bad_input", "Correct the named fields and send the request again."


class NotSignedIn(SiteError):
    status, code, hint = 401, "not_signed_in", "Sign in, or send a valid API token as 'Authorization: Bearer'."


class NotAllowed(SiteError):
    status, code, hint = 403, "not_allowed", "Ask an admin of the team for a role that may do this."


class Missing(SiteError):
    status, code, hint = 404, "not_found", "Check the id. It may have been deleted, or belong to another team."


class Stale(SiteError):
    status, code, hint = 409, "stale", "Reload to see the current state, then decide again."


class Changed(SiteError):
    status, code, hint = 412, "precondition_failed", "Read it again, then decide again."


class TooLarge(SiteError):
    status, code, hint = 413, "too_large", "Send less at once."


class TooMany(SiteError):
    status, code, hint = 429, "too_many_requests", "Wait a moment and try again."


class Unavailable(SiteError):
    status, code, hint = 503, "unavailable", "Nothing is lost. Try again in a few seconds."
