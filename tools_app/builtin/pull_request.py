"""The `pull_request` tool: open or update the pull request of the session."""

from typing import Final

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.pull_requests import PullRequests
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import first_line

PERMISSION: Final = "pull_request"
MAX_BODY_CHARACTERS: Final = 60_000  # GitHub accepts 65,536, with the link


class PullRequestArguments(ToolArguments):
    title: str = Field(min_length=1, max_length=250, description="One line: what the change does.")
    body: str = Field(min_length=1, max_length=MAX_BODY_CHARACTERS, description="The text for reviewers, in Markdown.")
    draft: bool = Field(default=False, description="Whether a new one is opened as a draft. Default: false.")


class PullRequestTool(Tool[PullRequestArguments]):
    """Running it twice has one effect: the second run finds what the first one opened."""

    id = PERMISSION
    permission = PERMISSION
    parameters = PullRequestArguments
    description = description_beside(__file__)
    requires = "pull_requests"

    async def needs(self, args: PullRequestArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """A rule's pattern is the branch that would be merged into. What cannot be opened is refused here, before
        anybody is asked."""
        planned = await _pulls(ctx).plan()
        verb = f"Update pull request #{planned.number}" if planned.number else "Open a pull request"
        metadata = {
            "title": f"{verb}: {first_line(args.title)}",
            "pull_request": {
                "repository": planned.repository, "number": planned.number, "branch": planned.branch,
                "base": planned.base, "commit": planned.commit, "title": args.title, "body": args.body,
                "draft": args.draft and not planned.number,
            },
        }  # fmt: skip
        return [PermissionNeed(PERMISSION, (planned.base,), (planned.base,), metadata)]

    async def run(self, args: PullRequestArguments, ctx: ToolContext) -> ToolResult:
        opened = await _pulls(ctx).open(title=args.title, body=args.body, draft=args.draft)
        done = "Opened" if opened.is_new else "Updated"
        kind = "draft pull request" if opened.draft else "pull request"
        metadata = {
            "number": opened.number, "url": opened.url, "base": opened.base, "state": opened.state,
            "draft": opened.draft, "is_new": opened.is_new,
        }  # fmt: skip
        title = f"{done} {kind} #{opened.number}: {first_line(opened.title)}"
        return ToolResult(title, f"{done} {kind} #{opened.number} into {opened.base}: {opened.url}", metadata)


def _pulls(ctx: ToolContext) -> PullRequests:
    if ctx.pulls is None:
        raise ToolError("There is no session whose pull request could be opened here.")
    return ctx.pulls
