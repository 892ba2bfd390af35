"""Base of the forge's HTTP APIs: requests with their caller and repository, error answers, and routes."""

import json
import subprocess
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from deploy.demo_forge.git_http import login_of
from deploy.demo_forge.model import ForgeRepository, PullRequest

if TYPE_CHECKING:
    from deploy.demo_forge.server import Forge

Answer = Callable[["Call"], Awaitable[Any] | Any]


class Refusal(Exception):
    """An error response: its status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Call:
    """One request to the API, with the login of its caller and its JSON body."""

    def __init__(self, forge: "Forge", request: Request, login: str, body: dict[str, Any]) -> None:
        self.forge, self.request, self.login, self.body = forge, request, login, body
        self.query = request.query_params
        self.path = request.path_params

    @property
    def number(self) -> int:
        return int(self.path["number"])

    def visible(self) -> list[ForgeRepository]:
        """Return the repositories that the caller is a member of."""
        return [each for each in self.forge.repositories.values() if self.login in each.readers | each.writers]

    def repository(self, *, writing: bool = False) -> ForgeRepository:
        found = self.forge.repositories.get(self.path["name"].lower())
        if found is None or not found.may_read(self.login):
            raise Refusal(404, "Not Found")
        if writing and not found.may_write(self.login):
            raise Refusal(403, "Resource not accessible by personal access token")
        return found

    def pull(self) -> tuple[ForgeRepository, PullRequest]:
        repository = self.repository()
        found = next((each for each in repository.pulls if each.number == self.number), None)
        if found is None:
            raise Refusal(404, "Not Found")
        return repository, found

    def open_pull(self, *, head: str, base: str, title: str, body: str, draft: bool) -> PullRequest:
        repository = self.repository(writing=True)
        heads = repository.heads()
        if head not in heads or base not in heads:
            raise Refusal(422, f"Validation Failed: there is no branch {head if head not in heads else base}")
        if heads[head] == heads[base]:
            raise Refusal(422, f"No commits between {base} and {head}")
        if self.forge.refuses_second_pull and any(
            each.state == "open" and each.head == head and not each.fork for each in repository.pulls
        ):
            raise Refusal(422, f"A pull request already exists for {head}.")
        made = PullRequest(len(repository.pulls) + 1, title, body, head, base, draft, self.login)
        repository.pulls.append(made)
        return made

    def file(self, repository: ForgeRepository, path: str, ref: str = "") -> str:
        ref = ref or self.query.get("ref") or repository.default_branch
        try:
            return repository.git("show", f"{ref}:{path}")
        except subprocess.CalledProcessError:
            raise Refusal(404, "Not Found") from None


class Api(Protocol):
    """One API of the forge: its path, its routes, and the shape of its errors."""

    prefix: str

    def routes(self) -> list[tuple[str, str, Answer]]:
        """Return the routes as (method, path, handler)."""
        ...

    def error(self, message: str) -> dict[str, Any]:
        """Return the JSON body of an error response with this message."""
        ...


def endpoint(
    forge: "Forge", api: Api, answer: Answer, *, signed: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a handler as an endpoint that checks the caller, unless the request is `signed`, and returns the answer as
    JSON."""

    async def serve(request: Request) -> Response:
        login = "" if signed else login_of(request, forge.login)
        if not login and not signed:
            return JSONResponse(api.error("Bad credentials"), 401)
        received = await request.body()
        try:
            answered = answer(Call(forge, request, login or "", json.loads(received) if received else {}))
        except Refusal as refusal:
            return JSONResponse(api.error(refusal.message), refusal.status)
        return answered if isinstance(answered, Response) else JSONResponse(answered)

    return serve
