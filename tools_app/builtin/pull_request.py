"""The `pull_request` tool: open or update the pull request of the session."""

from dataclasses import replace
from typing import Final

from pydantic import Field

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.pull_requests import DraftedText, PullRequests
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import first_line

PERMISSION: Final = "pull_request"
MAX_BODY_CHARACTERS: Final = 60_000  # GitHub accepts 65,536, with the link


class PullRequestArguments(ToolArguments):
    title: str = Field(
        default="", max_length=250, description="One line: what the change does. Default: drafted from the diff."
    )
    body: str = Field(
        default="",
        max_length=MAX_BODY_CHARACTERS,
        description="The text for reviewers, in Markdown. Default: drafted from the diff.",
    )
    draft: bool = Field(default=False, description="Whether a new one is opened as a draft. Default: false.")


class PullRequestTool(Tool[PullRequestArguments]):
    """A tool that opens or updates the session's pull request. It is safe to run twice: the second run finds the pull
    request that the first run opened."""

    id = PERMISSION
    permission = PERMISSION
    parameters = PullRequestArguments
    description = description_beside(__file__)
    requires = "pull_requests"

    async def needs(self, args: PullRequestArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """Return the permission needed to open or update the pull request. Its pattern is the branch into which the
        pull request is to be merged. If no pull request can be opened, the call is refused here, before a person is
        asked."""
        planned = await _pulls(ctx).plan()
        text = await _text(args, ctx)
        verb = f"Update pull request #{planned.number}" if planned.number else "Open a pull request"
        metadata = {
            "title": f"{verb}: {first_line(text.title)}",
            "pull_request": {
                "repository": planned.repository, "number": planned.number, "branch": planned.branch,
                "base": planned.base, "commit": planned.commit, "title": text.title, "body": text.body,
                "draft": args.draft and not planned.number,
            },
        }  # fmt: skip
        return [PermissionNeed(PERMISSION, (planned.base,), (planned.base,), metadata)]

    async def run(self, args: PullRequestArguments, ctx: ToolContext) -> ToolResult:
        text = await _text(args, ctx)
        opened = await _pulls(ctx).open(title=text.title, body=text.body, draft=args.draft)
        done = "Opened" if opened.is_new else "Updated"
        kind = "draft pull request" if opened.draft else "pull request"
        metadata = {
            "number": opened.number, "url": opened.url, "base": opened.base, "state": opened.state,
            "draft": opened.draft, "is_new": opened.is_new,
        }  # fmt: skip
        title = f"{done} {kind} #{opened.number}: {first_line(opened.title)}"
        said = [f"{done} {kind} #{opened.number} into {opened.base}: {opened.url}"]
        if not (args.title.strip() and args.body.strip()):
            said += [f"Its title is: {opened.title}", text.problem and f"No model drafted the text: {text.problem}"]
        return ToolResult(title, "\n".join(filter(None, said)), metadata)


async def _text(args: PullRequestArguments, ctx: ToolContext) -> DraftedText:
    """Return the title and the text of the pull request. A title or text that is not in the arguments is drafted by the
    small model."""
    if args.title.strip() and args.body.strip():
        return DraftedText(args.title, args.body)
    drafted = await _pulls(ctx).draft()
    return replace(
        drafted, title=args.title.strip() or drafted.title, body=args.body if args.body.strip() else drafted.body
    )


def _pulls(ctx: ToolContext) -> PullRequests:
    if ctx.pulls is None:
        raise ToolError("There is no session whose pull request could be opened here.")
    return ctx.pulls()
