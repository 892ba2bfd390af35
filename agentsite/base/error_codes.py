"""All error codes that clients can receive: in an HTTP response, in a socket frame, or as the error of a turn.

`make openapi` generates `docs/errors.md`, the API document and both clients from this enum. A value is part of the API:
it never changes, and is never reused for a different error.
"""

from enum import StrEnum
from typing import Final, Self

AGAIN: Final = "Nothing is lost. Try again in a few seconds."
OPERATOR: Final = "Ask the operators of this site to check its logs."
REVIEW: Final = "Review the other changes, then save again based on the current version."
PATH: Final = "Check that the path exists and lies in the workspace."


class ErrorCode(StrEnum):
    """The stable code of an error.

    `status` is the HTTP status, or None for an error that only ends a turn. `meaning` explains the code. `hint` is the
    next step; an error can replace it by a more specific hint.
    """

    status: int | None
    meaning: str
    hint: str

    def __new__(cls, value: str, status: int | None, meaning: str, hint: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.status, member.meaning, member.hint = status, meaning, hint
        return member

    # fmt: off
    # Each class of agentsite.base.errors
    INTERNAL_ERROR = ("internal_error", 500, "The site failed unexpectedly.",
        "Try again. If it happens again, give the request id to the operators of this site.")
    BAD_INPUT = ("bad_input", 400, "The request is not valid; `fields` names what is wrong.",
        "Correct the named fields and send the request again.")
    NOT_SIGNED_IN = ("not_signed_in", 401, "The request is not signed in, or its API token is not valid.",
        "Sign in, or send a valid API token as 'Authorization: Bearer'.")
    NOT_ALLOWED = ("not_allowed", 403, "Your role does not allow this.",
        "Ask an admin of the team for a role that may do this.")
    NOT_FOUND = ("not_found", 404, "The object does not exist, or you cannot see it.",
        "Check the id. It may have been deleted, or belong to another team.")
    STALE = ("stale", 409, "The state has changed, so the request no longer applies.",
        "Reload to see the current state, then decide again.")
    PRECONDITION_FAILED = ("precondition_failed", 412, "The version in `If-Match` is not the current one.",
        "Read the object again, then decide again.")
    TOO_LARGE = ("too_large", 413, "The request, a file or a frame is too large.", "Send less at once.")
    TOO_MANY_REQUESTS = ("too_many_requests", 429, "There were too many requests.", "Wait a moment and try again.")
    UNAVAILABLE = ("unavailable", 503, "A part of the site is down.", AGAIN)

    # Requests
    UNKNOWN_FIELD = ("unknown_field", 422, "The body has fields that the operation does not know.",
        "Remove the named fields, or check their spelling in the API document.")
    UNKNOWN_PARAMETER = ("unknown_parameter", 422, "The address has query parameters that the operation does not know.",
        "Remove the named fields, or check their spelling in the API document.")
    MALFORMED_JSON = ("malformed_json", 400, "The body or frame is not valid JSON.", "Send one JSON object in UTF-8.")
    UNSTORABLE_TEXT = ("unstorable_text", 400, "The request contains a NUL character or a lone surrogate.",
        "Remove it and send the request again.")
    METHOD_NOT_ALLOWED = ("method_not_allowed", 400, "The address does not support this method (status 405).",
        "All routes are listed at /api/docs.")
    REQUEST_FAILED = ("request_failed", 500, "The request failed. Only the HTTP status tells why.",
        "Check the request against the API document, then try again.")
    CSRF_FAILED = ("csrf_failed", 403, "The request did not carry the site's CSRF token.",
        "Send the value of the CSRF cookie in the header 'X-CSRFToken'. Reload the page if it is open.")
    IDEMPOTENCY_KEY_REUSED = ("idempotency_key_reused", 409, "The `Idempotency-Key` was used for another request.",
        "Use a new key for each new request, and the same key only to repeat a request.")
    RATE_LIMITED = ("rate_limited", 429, "The API token, person or team has made too many requests.",
        "Wait for the number of seconds in the header 'Retry-After'.")
    TOO_MANY_STREAMS = ("too_many_streams", 429, "Too many event streams are open from your address.",
        "Close some of them, then try again.")
    BAD_FRAME = ("bad_frame", 400, "A socket frame is not a JSON object with a 'type'.",
        "Send frames as the API document describes them.")
    UNKNOWN_FRAME = ("unknown_frame", 400, "The socket does not know this type of frame.",
        "Check the type's spelling in the API document.")

    # Parts of the site
    DATABASE_UNAVAILABLE = ("database_unavailable", 503, "The database is busy, full or down.", AGAIN)
    BROKER_UNAVAILABLE = ("broker_unavailable", 503, "The message broker is down.", AGAIN)
    STORAGE_UNAVAILABLE = ("storage_unavailable", 503, "The file storage is down or slow.", AGAIN)
    NOT_READY = ("not_ready", 503, "Some parts of the site are not ready; `fields` names them.", AGAIN)
    METRICS_OFF = ("metrics_off", 404, "Metrics are disabled on this site.",
        "The operators can set METRICS_TOKEN to enable them.")
    NO_SEALING_KEY = ("no_sealing_key", 503, "The site has no key to encrypt secrets with.",
        "Ask the operators of this site to set SEALING_PUBLIC_KEY.")
    WORKSPACE_SILENT = ("workspace_silent", 503, "The workspace did not answer in time.",
        "Its node may be busy or down. Nothing is lost; try again in a few seconds.")
    NODE_SILENT = ("node_silent", 503, "The node did not answer in time.",
        "It may be busy or down. Nothing is lost; try again in a few seconds.")
    PROVIDER_CHECK_SILENT = ("provider_check_silent", 503, "No agent worker checked the provider in time.",
        "It may be busy or down. Nothing has changed; try again in a minute.")

    # Accounts and access
    LOCKED_OUT = ("locked_out", 429, "There were too many wrong passwords for this account from your address.",
        "Wait, or set a new password with 'Forgot the password?'.")
    WRONG_PASSWORD = ("wrong_password", 400, "The password is wrong.", "Enter the password of this account again.")
    NOT_WITH_TOKEN = ("not_with_token", 403, "The operation cannot be called with an API token.",
        "Sign in as a person and do it in the browser.")
    SCOPE_MISSING = ("scope_missing", 403, "The API token does not have the scope of the operation.",
        "Use a token with the named scope.")
    BEYOND_TOKEN = ("beyond_token", 403, "An API token cannot create a token with more rights than its own.",
        "Request fewer rights, or create the token as a signed-in person.")
    ACCESS_OVER = ("access_over", 409, "The operator's access to the team's sessions has ended.",
        "Open a new access with its own reason.")

    # Teams
    TEAM_REMOVING = ("team_removing", 409, "The team is being deleted.",
        "Until the grace period ends, its owners can keep it.")
    LAST_OWNER = ("last_owner", 409, "A team needs an owner, and this is its last one.",
        "Make another member an owner first, or delete the team.")
    ALREADY_OWNER = ("already_owner", 409, "You own this team already.", "There is nothing left to do.")
    ALREADY_MEMBER = ("already_member", 409, "The person is a member of the team already.",
        "Change the member's role instead.")
    ALREADY_INVITED = ("already_invited", 409, "The address has an open invitation already.",
        "Send it again, or revoke it.")
    INVITATION_CLOSED = ("invitation_closed", 404, "The invitation has expired, was revoked or was accepted already.",
        "Ask the person who invited you for a new invitation.")
    INVITATION_SETTLED = ("invitation_settled", 409, "The invitation was accepted, declined or revoked already.",
        "Reload to see its state.")
    OTHER_ADDRESS = ("other_address", 403, "The invitation is for another e-mail address than yours.",
        "Sign in with that address, or ask for an invitation to yours.")
    LETTERS_OF_TEAM = ("letters_of_team", 429, "The team has sent as many invitations as it can send per day.",
        "Try again tomorrow. Links that were sent stay valid.")
    LETTERS_TO_ADDRESS = ("letters_to_address", 429, "The address was sent as many invitations as it can get per day.",
        "Try again tomorrow. Links that were sent stay valid.")
    PROJECT_REMOVING = ("project_removing", 409, "The project is being deleted.",
        "Until the grace period ends, an admin of the team can keep it.")
    NOT_REMOVING = ("not_removing", 409, "The object is not being deleted, or its grace period is over.",
        "Reload to see its state.")

    UPLOAD_TOO_LARGE = ("upload_too_large", 413, "The file is larger than the team's limits allow.",
        "Leave out what can be installed or built again, or ask an admin of the site for a higher limit disk_mib.")
    UPLOAD_REFUSED = ("upload_refused", 400, "The file cannot become a workspace.",
        "Choose a zip or tar file, or a git bundle, of a project.")
    UPLOAD_OFFSET = ("upload_offset", 409, "Another part of the upload is next; `fields.offset` says which.",
        "Read the upload, and continue with the part that begins at `received`.")
    UPLOAD_NOT_READY = ("upload_not_ready", 409, "The upload is not ready, was refused, or is used already.",
        "Wait until its state is `ready`, or send the file again.")

    # Versions that somebody else has changed
    STALE_PROVIDER = ("stale_provider", 409, "Somebody else has changed the provider.", REVIEW)
    STALE_MODELS = ("stale_models", 409, "Somebody else has changed the choice of models.", REVIEW)
    STALE_AGENT = ("stale_agent", 409, "Somebody else has changed the agent.", REVIEW)
    STALE_CONFIGURATION = ("stale_configuration", 409, "Somebody else has changed the configuration.", REVIEW)
    STALE_BUDGET = ("stale_budget", 409, "Somebody else has changed the budget.", REVIEW)
    STALE_VARIABLE = ("stale_variable", 409, "Somebody else has changed the variable.", REVIEW)
    STALE_MEMORY_NOTE = ("stale_memory_note", 409, "The note of the project's memory was changed meanwhile.", REVIEW)
    STALE_MCP_SERVER = ("stale_mcp_server", 409,
        "Somebody else has changed the MCP server, or it offers other tools.", REVIEW)
    CONFIRMATION_NEEDED = ("confirmation_needed", 409, "The rules ask a person before this call.",
        "Look at what will be done, then send 'confirmed' with the request.")
    STALE_POLICY = ("stale_policy", 409, "Somebody else has changed the policy.", REVIEW)
    EXPECTATION_FAILED = ("expectation_failed", 400, "The policy does not meet its own expectations.",
        "Change the rules or the expectations, then save again.")

    # Workspaces
    WORKSPACE_LIMIT = ("workspace_limit", 409, "The team has as many workspaces as its policies allow.",
        "Delete an unused workspace, or ask an admin of the team for a higher limit.")
    WORKSPACE_BUSY = ("workspace_busy", 409, "Tool calls are running in the workspace.",
        "Wait until they end, abort the turn, or send `force`.")
    WORKSPACE_REMOVING = ("workspace_removing", 409, "The workspace is being deleted.",
        "Ask an admin of the team to keep it, or open a session in another workspace.")
    WORKSPACE_NOT_READY = ("workspace_not_ready", 409, "The workspace has no files yet, or is being restored.",
        "Wait until it has started.")
    NO_SETUP = ("no_setup", 409, "The workspace has no set-up script.",
        "Write one in the project's settings or in `.agentsite/setup.sh`, then start the workspace.")
    NO_ARCHIVE = ("no_archive", 409, "The workspace has no archive yet.",
        "Export it first, then wait until its archive has a time.")
    ARCHIVE_ELSEWHERE = ("archive_elsewhere", 409, "The archive is in a bucket that the web server has no keys for.",
        "Ask the operators of this site for it.")

    # Sessions
    ALREADY_SETTLED = ("already_settled", 409, "The permission request or question has its answer already.",
        "Reload to see it.")
    ALREADY_APPROVED = ("already_approved", 409, "You have approved this permission request already.",
        "Another person must approve it too.")
    NOT_STOPPED = ("not_stopped", 409, "The session is not waiting for a budget.", "Reload to see its state.")
    PROMPT_TAKEN = ("prompt_taken", 409, "The agent has the prompt already, so it cannot be changed or taken back.",
        "Nothing that you wrote is lost: send it as a new prompt, or stop the turn.")
    NOT_ATTACHABLE = ("not_attachable", 400, "The file is of a kind that cannot be attached.",
        "Put it into the workspace, where the agent can read it.")
    ATTACHMENT_LIMIT = ("attachment_limit", 413, "The session has as many attachments as it can have.",
        "Open another session, or put the file into the workspace.")
    ATTACHMENT_GONE = ("attachment_gone", 404, "The content of the attachment was deleted.", "Upload the file again.")
    PUBLIC_LINKS_OFF = ("public_links_off", 403, "The policy does not allow public share links.",
        "Create a link for the team, or ask an admin to switch public links on in the policy.")
    TOO_MANY_LINKS = ("too_many_links", 409, "The session has as many share links as it can have.",
        "Revoke a link first.")
    ALREADY_REVOKED = ("already_revoked", 409, "The share link was revoked already.", "There is nothing left to do.")
    TOO_MANY_COMMENTS = ("too_many_comments", 409, "The session has as many review comments as it can have.",
        "Delete comments that are done.")
    COMMENT_SENT = ("comment_sent", 409, "The review comment was sent or deleted already.",
        "Reload the comments. What was sent can be reopened, then changed and sent again.")
    COMMENT_DRAFT = ("comment_draft", 409, "The review comment is a draft.", "Send the draft, or delete it.")
    NO_COMMENTS = ("no_comments", 409, "There are no review comments to send.", "Write a comment on a line first.")
    BUDGET_EXISTS = ("budget_exists", 409, "There is a budget for the same target and period already.",
        "Change the existing budget.")
    VARIABLE_EXISTS = ("variable_exists", 409, "There is a variable with the same name in this place already.",
        "Change the existing variable.")
    MCP_SERVER_EXISTS = ("mcp_server_exists", 409, "There is an MCP server with the same name in this place already.",
        "Change the existing server, or choose another name.")
    MCP_SERVER_SILENT = ("mcp_server_silent", 503, "Nobody reached the MCP server in time.",
        "Its workspace or the door may be starting or busy. Try again in a few seconds.")
    MCP_SIGN_IN_FAILED = ("mcp_sign_in_failed", 409, "The sign-in at the MCP server cannot begin, or has failed.",
        "Read what the server said. If it happens again, ask an admin to check the server's settings.")
    WEBHOOK_DISABLED = ("webhook_disabled", 409, "The webhook is switched off.", "Switch it on first.")

    # Repositories
    CONNECTION_EXISTS = ("connection_exists", 409, "The team has a connection with the same name already.",
        "Choose another name, or change the existing connection.")
    CONNECTION_IN_USE = ("connection_in_use", 409, "The repositories of projects are reached through the connection.",
        "Connect these projects in another way first, or revoke the connection.")
    CONNECTION_REVOKED = ("connection_revoked", 409, "The connection was revoked.",
        "An admin of the team can enter a new credential for it.")
    CONNECTION_FAILED = ("connection_failed", 409, "The forge does not accept the connection's credential.",
        "An admin of the team has to replace the credential in the team settings, Repositories.")
    STALE_CONNECTION = ("stale_connection", 409, "Somebody else has changed the connection.", REVIEW)
    STALE_REPOSITORY = ("stale_repository", 409, "Somebody else has changed the project's repository.", REVIEW)
    STALE_COMMITS = ("stale_commits", 409, "Somebody else has changed the commit settings.", REVIEW)
    NO_REPOSITORY = ("no_repository", 409, "The project has no repository.",
        "An admin of the team can connect one in the project's settings, Repository.")
    BRANCH_NOT_PUSHED = ("branch_not_pushed", 409, "The session's branch has no pushed commits for a pull request.",
        'Ask the agent: "Commit your changes and push the branch with git push." Then try again.')
    FILE_CHANGED = ("file_changed", 409, "The file changed since you opened it, or its new path exists already.",
        "Open it again and compare it with your text, or choose another path.")
    FILE_DENIED = ("file_denied", 403, "The permission rules do not let you use this file.",
        "Ask an admin of the team to change the rule that the message names.")
    TERMINALS_OFF = ("terminals_off", 403, "The policies do not allow terminals here.",
        "An admin of the team can allow them in the policy of the team or project, under Sandbox.")
    PREVIEWS_OFF = ("previews_off", 403, "Previews are not available here.",
        "The message says why. Operators set previews up, and admins of the team allow them in the policy.")
    REVERT_BUSY = ("revert_busy", 409, "The session works, or changes are being taken back.",
        "Wait until the turn has ended, or stop it; then try again.")
    REVERT_CONFLICT = ("revert_conflict", 409, "Others may have changed the file, so a person must decide.",
        "Look at the preview of the revert, and send a decision for the file.")
    NOTHING_TO_REVERT = ("nothing_to_revert", 409, "There is nothing to take back or to redo.",
        "Look at the turn's changes; after a prompt, a revert cannot be undone any more.")
    NOTHING_TO_COMMIT = ("nothing_to_commit", 409, "All changes in the workspace are committed already.",
        "There is nothing to do; push what is committed.")
    COMMIT_FAILED = ("commit_failed", 409, "git did not commit; the message has what it printed.",
        "Ask the agent to repair what the message names, then commit again.")
    PUSH_REJECTED = ("push_rejected", 409, "The branch at the forge has commits that are not in the workspace.",
        'Ask the agent: "Run git pull --rebase for the session branch and solve conflicts." Then push again.')
    PUSH_ASKS = ("push_asks", 409, "The push needs one more decision; the message says which.",
        "Confirm it, or leave it out of the commits.")
    PUSH_REFUSED = ("push_refused", 409, "The push was refused; the message says why.",
        "Change what the message names, then push again.")
    NOT_COMMITTED = ("not_committed", 409, "Some changes in the workspace are not committed.",
        "Commit them, then try again.")
    UPDATE_FAILED = ("update_failed", 409, "git did not bring in the base branch; the message says why.",
        "Ask the agent to repair what the message names, then try again.")
    NO_CONFLICTS = ("no_conflicts", 409, "No files of the workspace are in conflict.",
        "Reload to see the present state.")
    NO_PULL_REQUESTS = ("no_pull_requests", 409, "The site cannot open pull requests in the project's repository.",
        "An admin of the team can reach it through a connection to GitHub, GitLab, Gitea or Bitbucket.")
    REPOSITORY_NOT_FOUND = ("repository_not_found", 400, "The forge knows no such repository, or does not show it.",
        "Check the name, and that the connection's credential includes the repository.")
    FORGE_REFUSED = ("forge_refused", 409, "The forge refused the request; the message says why.",
        "Change what the message names, then try again.")
    FORGE_UNREACHABLE = ("forge_unreachable", 503, "The forge does not answer, or not in a way that makes sense.",
        "Check the address of the connection, or try again in a few minutes.")
    DOOR_SILENT = ("door_silent", 503, "No door answered in time, so the forge was not asked.", AGAIN)

    # Why a turn ended or waits
    STEP_KILLS_WORKER = ("step_kills_worker", None, "Several workers died or hung in the same step of the turn.",
        "Send another message to continue, perhaps with a smaller task.")
    STEP_LIMIT = ("step_limit", None, "The turn has had as many steps as the agent allows.",
        "All its work is kept. Send another message to continue.")
    AGENT_MISSING = ("agent_missing", None, "The agent of the session was deleted or renamed.",
        "Choose another agent, then send the message again.")
    NO_STRUCTURED_OUTPUT = ("no_structured_output", None, "The model ended the turn without its structured output.",
        "Send the prompt again, with a simpler schema or with another model.")
    REJECTED = ("rejected", None, "A person rejected a tool call, so the turn stopped.",
        "Tell the agent what to do instead.")
    DISMISSED = ("dismissed", None, "A person dismissed a question, so the turn stopped.",
        "Tell the agent how to continue.")
    PARENT_STOPPED = ("parent_stopped", None, "The sub-agent was stopped with the session that started it.",
        "Send a message here to continue.")
    PRICE_UNKNOWN = ("price_unknown", None, "The model has no price, but the budget requires one.",
        "Enter a price for the model, then continue.")
    BUDGET_EXHAUSTED = ("budget_exhausted", None, "The budget has no room for the next step.",
        "Ask somebody who can raise the budget, then continue.")
    MODEL_ERROR = ("model_error", None, "The model call failed.", "Send the message again.")
    MODEL_REFUSED = ("model_refused", None, "The provider refused the model call.",
        "Check the provider's key, address and models.")
    MODEL_CONTEXT_OVERFLOW = ("model_context_overflow", None, "The conversation does not fit the model's context.",
        "Choose a model with a larger context, or start a new session.")
    MODEL_UNAVAILABLE = ("model_unavailable", None, "The provider is down, overloaded or limits the rate of calls.",
        "Send the message again later, or choose another model.")
    MODEL_NOT_OFFERED = ("model_not_offered", None, "The session's model is not available to the team.",
        "Choose another model, then send the message again.")
    WORKSPACE_LOST = ("workspace_lost", None, "The workspace's files could not be restored.",
        "Start a new workspace from the project or from an archive.")

    # The sandbox; the same values as in sandbox.errors, which does not import the site
    SANDBOX_ERROR = ("sandbox_error", 503, "The sandbox failed.", AGAIN)
    SANDBOX_UNAVAILABLE = ("sandbox_unavailable", 503, "The container or its engine cannot be reached.",
        "Nothing is lost. When the container engine runs again, send the message again.")
    SANDBOX_CHECK_FAILED = ("sandbox_check_failed", 503, "A new container failed its self-check.", OPERATOR)
    IMAGE_REFUSED = ("image_refused", 503, "An image cannot be a sandbox: the message says why.", OPERATOR)
    IMAGE_NOT_ALLOWED = ("image_not_allowed", 409, "The policies do not allow this image for the project.",
        "Choose an image that is allowed, or ask for a change of the policy that the message names.")
    SANDBOX_LOST = ("sandbox_lost", 503, "The container died during a tool call, which may have run partly.",
        "Check the state of the files before you continue.")
    CLONE_FAILED = ("clone_failed", 503, "The project's repository could not be cloned.",
        "Read the message: it says what an admin of the team has to change. Then send the message again.")
    SANDBOX_REFUSED = ("sandbox_refused", 503, "The sandbox does not allow the request.", PATH)
    PATH_OUTSIDE = ("path_outside", 503, "The path leads outside the directories that tools can reach.", PATH)
    WRONG_KIND = ("wrong_kind", 503, "The path is a directory where a file is needed, or the reverse.", PATH)
    CONFLICT = ("conflict", 503, "The file has changed since it was last read.",
        "Read the file again, then decide again.")
    NOT_PERMITTED = ("not_permitted", 503, "The tool user does not have the file permission for this.", PATH)
    LIMIT_REACHED = ("limit_reached", 503, "Disk, memory, processes or output of the workspace ran out.",
        "Free some space, or ask an admin of the team for a higher limit.")
    PROTOCOL_ERROR = ("protocol_error", 503, "The runner in the container sent an invalid answer.", OPERATOR)
    # fmt: on


def code_of(value: str) -> ErrorCode:
    """Return the error code with this value; UNAVAILABLE if it is unknown.

    Values come from other processes, which may run another release.
    """
    return next((code for code in ErrorCode if code == value), ErrorCode.UNAVAILABLE)
