"""Turn, message, part, tool call: the rows that one prompt grows into.

turn   queued -> running -> (waiting -> running)* -> completed | aborted | failed
call   pending -> running -> completed | error | aborted
         \\-> waiting (permission | question | child | calls) -> pending | completed | error | aborted
"""

from django.db import models

from sessions_app.models.audience import SessionBoundQuerySet
from sessions_app.models.base import USER, Row


class ConversationQuerySet(SessionBoundQuerySet):
    pass


class Leased(models.Model):
    """A row that one worker at a time works on. The token proves who; a write with another token does nothing."""

    lease_token = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class Turn(Row, Leased):
    """`step_count` counts finished steps, `attempts` failed model calls of the present one; `not_before` is when the
    next may start. `answer_id` is the id of the present step's answer, before there is a message of that id.
    `patience` is how many seconds the turn's questions wait for a person, when whoever started it said so.
    `output_schema` is the JSON Schema that the answer must fit, when the prompt asked for one, `output` that answer.
    `compact` says that the next step makes notes of the conversation, whatever its size.

    `payer` is who sent the prompt that makes its next step run, or had a stopped turn go on: that person's budgets must
    have room. Without one it is `started_by`, who sent the first prompt.

    `waits_for` says what a waiting turn without a waiting call waits for: room in the budget `blocked_by`, of which it
    needs `least`, or a price that this budget asks for; `error` has the words.

    A sub-agent's turn has a `caller`, the tool call that waits for its end, and a `root`, the turn of a person's prompt
    above all callers."""

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
    """`interrupted` messages are shown but never sent to a model: their step was run again or given up."""

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
    state = models.CharField(max_length=16, choices=State, default=State.COMPLETE)
    finish = models.CharField(max_length=32, blank=True, default="")
    error = models.JSONField(null=True, blank=True)
    tokens = models.JSONField(default=dict)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    completed_at = models.DateTimeField(null=True, blank=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("session", "id")),)


class Part(Row):
    """One piece of a message, in the order of `index`. A tool part's text is empty; its call holds everything. The
    `data` of a file part has the attachment's view: {"attachment": {...}}. An agent part says that a prompt calls the
    agent `data["agent"]`; its text tells the model so. Compaction parts are notes that stand for everything before the
    message `data["kept_from"]`."""

    PREFIX = "prt"

    class Type(models.TextChoices):
        TEXT = "text"
        AGENT = "agent"
        REASONING = "reasoning"
        TOOL = "tool"
        RETRY = "retry"
        FILE = "file"
        COMPACTION = "compaction"

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
    """`provider_id` is the id the model gave the call; `raw_arguments` what it wrote, valid JSON or not.
    `decision` is how the permission engine decided, with rule and layer; `judgement` is all of it, for "why" and for
    the simulator: {needs, decisions with their traces, versions of the policies}. `waits_for` says whom a waiting call
    waits for: a person (permission, question), the session of a sub-agent (child), or its own calls (calls). `outer` is
    the call that made this one for itself; such a call has no part in the message, and the model only reads what the
    outer one answers. `pruned`: models are not sent its output any more."""

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
        indexes = (models.Index(fields=("state", "moved_at")), models.Index(fields=("turn", "state")))
