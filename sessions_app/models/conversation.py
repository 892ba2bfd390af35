"""Turn, message, part and tool call: the rows that one prompt creates.

turn   queued -> running -> (waiting -> running)* -> completed | aborted | failed
call   pending -> running -> completed | error | aborted
         \\-> waiting (permission | question | child | calls) -> pending | completed | error | aborted
"""

from django.db import models

from sessions_app.models.base import USER, AnyRow, Row, SessionBoundQuerySet


class ConversationQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class Leased(models.Model):
    """Base class of rows on which one worker at a time works. `lease_token` identifies the worker; writes with another
    token do nothing."""

    lease_token = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class Turn(Row, Leased):
    """Everything from one prompt to the end of the work it started.

    `step_count` counts finished steps, `attempts` failed model calls of the current step; `not_before` is the earliest
    time of the next one. `answer_id` is the id of the current step's answer, set before its message exists. `patience`
    is the timeout in seconds of requests and questions for a person, if the caller set it. `output_schema` is the JSON
    Schema that the answer must match, `output` the structured output. `compact`: the next step compacts the
    conversation first.

    `payer` is the person that the turn is billed to: the person who sent the last prompt or resumed the turn. If it is
    empty, this is `started_by`, who sent the first prompt.

    `waits_for` is set while a turn waits without a waiting call: for room in the budget `blocked_by`, at least `least`
    US dollars, or for a price that this budget needs; `error` has the text.

    `alternatives` are the public ids of all turns that answer the same prompt, oldest first, or [] if there is only
    this one. While another alternative is chosen, `hidden_with` is the alternative that this turn is or follows;
    choosing that one shows this turn again. Hidden turns are not sent to models. `files_taken_back`: another answer has
    replaced this one, and the changes of this turn are no longer in the files. `files_with` are the public ids of the
    turns since the oldest answer whose changes were in the files when this turn began.

    A sub-agent's turn has a `caller`, the tool call that waits for it, and a `root`, the topmost turn, started by a
    person's prompt.
    """

    PREFIX = "trn"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        WAITING = "waiting"
        COMPLETED = "completed"
        ABORTED = "aborted"
        FAILED = "failed"

    OPEN = (State.QUEUED, State.RUNNING, State.WAITING)

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="turns")
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    error = models.JSONField(null=True, blank=True)
    step_count = models.PositiveIntegerField(default=0)
    answer_id = models.UUIDField(null=True, blank=True)
    started_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    payer = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    patience = models.PositiveIntegerField(null=True, blank=True)
    caller = models.ForeignKey("ToolCall", null=True, on_delete=models.SET_NULL, related_name="child_turns")
    root = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="branches")
    output_schema = models.JSONField(null=True, blank=True)
    output = models.JSONField(null=True, blank=True)
    compact = models.BooleanField(default=False)
    opening = models.JSONField(default=list)
    """The calls that come before the next answer of the model, which a prompt asked for: {tool, arguments, person,
    message}. `person`: a person typed the call. `message`: the prompt; a sub-agent's task has none. An entry {end:
    true} after them ends the turn without an answer."""
    command = models.JSONField(default=dict)
    """The command that the turn carries out: {name, model, variant}, or {}."""
    fallback_model = models.CharField(max_length=250, blank=True, default="")
    """The model that continues the turn, because the one before failed for good or a person chose it; "" for the
    session's model."""
    alternatives = models.JSONField(default=list)
    hidden_with = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    files_taken_back = models.BooleanField(default=False)
    files_with = models.JSONField(default=list)
    waits_for = models.CharField(max_length=16, blank=True, default="")
    blocked_by = models.ForeignKey("sessions_app.Budget", null=True, on_delete=models.SET_NULL, related_name="+")
    least = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    moved_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("state", "moved_at")),)
        constraints = (
            models.UniqueConstraint(
                fields=("session",),
                condition=models.Q(state__in=("queued", "running", "waiting")),
                name="one_open_turn",
            ),
        )


class Message(Row):
    """A prompt or an answer. `system_prompt_id` is the `SystemPrompt` that the answer was made with. `interrupted`
    messages are shown but never sent to a model: their step was repeated or abandoned."""

    PREFIX = "msg"

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"

    class State(models.TextChoices):
        STREAMING = "streaming"
        COMPLETE = "complete"
        INTERRUPTED = "interrupted"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="messages")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="messages")
    role = models.CharField(max_length=16, choices=Role)
    author = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    agent = models.CharField(max_length=64, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    effort = models.CharField(max_length=16, blank=True, default="")
    """The reasoning effort that the model was asked for; "" if none was."""
    state = models.CharField(max_length=16, choices=State, default=State.COMPLETE)
    finish = models.CharField(max_length=32, blank=True, default="")
    error = models.JSONField(null=True, blank=True)
    system_prompt_id = models.UUIDField(null=True, blank=True)
    tokens = models.JSONField(default=dict)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    unpriced_calls = models.PositiveSmallIntegerField(default=0)
    """1 if the price of the answer's model is unknown, so that `cost` says nothing."""
    completed_at = models.DateTimeField(null=True, blank=True)

    reverted_by = models.ForeignKey("Revert", null=True, on_delete=models.SET_NULL, related_name="hidden_messages")
    """The revert that hides the message from people and models; None if it is shown."""

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("session", "id")),)


class Part(Row):
    """One piece of a message, ordered by `index`. The text of a tool part is empty; its call has all data. A file part
    has the attachment's description in `data`: {"attachment": {...}}. An agent part is a mention of the agent
    `data["agent"]`; its text is sent to the model. A command part is the text of a command that the prompt names, with
    its arguments filled in, which is sent to the model after the prompt; its `data` is {command, arguments, opening,
    model}. A compaction part is a summary that replaces everything before the message `data["kept_from"]`. A patch part
    has the changes of a call in the workspace, as `sessions_app.agent.patches` describes, under the id of the call.
    Parts for the start and the end of a step are not stored, because a message is one step; exports add them
    (`sessions_app.queries.export_parts`)."""

    PREFIX = "prt"

    class Type(models.TextChoices):
        TEXT = "text"
        AGENT = "agent"
        REASONING = "reasoning"
        TOOL = "tool"
        RETRY = "retry"
        FILE = "file"
        COMMAND = "command"
        COMPACTION = "compaction"
        STEP_START = "step-start"
        STEP_FINISH = "step-finish"
        PATCH = "patch"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="+")
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="parts")
    index = models.PositiveIntegerField()
    type = models.CharField(max_length=16, choices=Type)
    text = models.TextField(blank=True, default="")
    data = models.JSONField(default=dict)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("message_id", "index")
        constraints = (models.UniqueConstraint(fields=("message", "index"), name="part_place"),)


class ToolCall(Row, Leased):
    """One use of a tool.

    `provider_id` is the id that the model gave the call; `raw_arguments` is the model's text, valid JSON or not.
    `decision` is the deciding rule with its layer; `judgement` is the full record for explanations and the simulator:
    {needs, decisions with their traces, versions of the policies}. `waits_for` is set while the call waits: for a
    person (permission, question), for a sub-agent's session (child), or for its inner calls (calls). A call that waits
    for a question of an MCP server keeps its worker and its lease. `outer` is the call that created this inner call; an
    inner call has no part in the message, and the model reads only the outer call's output. `pruned`: the output is no
    longer sent to models.
    """

    PREFIX = "call"

    class State(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        WAITING = "waiting"
        COMPLETED = "completed"
        ERROR = "error"
        ABORTED = "aborted"

    OPEN = (State.PENDING, State.RUNNING, State.WAITING)
    CHILD = "child"
    INNER = "calls"
    QUESTION = "question"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="calls")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="calls")
    part = models.OneToOneField(Part, null=True, on_delete=models.CASCADE, related_name="call")
    outer = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="inner_calls")
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="calls")
    provider_id = models.CharField(max_length=200)
    tool = models.CharField(max_length=200)
    raw_arguments = models.TextField(blank=True, default="")
    arguments = models.JSONField(default=dict)
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    waits_for = models.CharField(max_length=16, blank=True, default="")
    title = models.CharField(max_length=400, blank=True, default="")
    output = models.TextField(blank=True, default="")
    live_output = models.TextField(blank=True, default="")
    metadata = models.JSONField(default=dict)
    attachments = models.JSONField(default=list)
    pruned = models.BooleanField(default=False)
    decision = models.JSONField(null=True, blank=True)
    judgement = models.JSONField(null=True, blank=True)
    moved_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("state", "moved_at")),
            models.Index(fields=("turn", "state")),
            models.Index(fields=("tool", "id")),
        )

    @property
    def has_run(self) -> bool:
        """True if the call has run, access was refused to it while it ran, and it now waits for a person's decision
        about that access."""
        return self.state == self.State.WAITING and bool(self.output)
