"""The permission engine's decision on a tool call, as stored on the call's row and in the audit log.

The judgement (`ToolCall.judgement`) has the permissions that the call needs, the decision about each with its reason,
and the versions of the policies. Explanations ("Why?") and the simulator use it. Its size is limited, because it is
stored with every call.

A repeated call needs a permission of its own, `doom_loop`; the presets ask a person. A call counts as repeated if the
model's two previous answers in the same turn made the same call, with the same tool and exactly the same arguments, and
both calls had ended before. Allowing it once also allows the next two repetitions; the third needs permission again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone

from agentsite.base.ids import to_public
from sessions_app.events.log import SessionWrite
from sessions_app.models import Message, PermissionRequest, ToolCall
from tools_app.gate import Judged, Verdict, need_as_dict
from tools_app.permission.model import Decision, Match
from tools_app.spec import PermissionNeed

MAX_NEEDS: Final = 50
MAX_PATTERNS: Final = 200  # of one need
MAX_DECISIONS: Final = 400
MAX_TRACE_RULES: Final = 50  # matches beside the deciding one; the weakest are left out
MAX_TRACE_CHARACTERS: Final = 500_000  # of all traces of a call; later decisions have no trace
MAX_TEXT_CHARACTERS: Final = 20_000  # characters of a pattern or a command
MAX_REASONS: Final = 20
MAX_REASON_CHARACTERS: Final = 500
MAX_AUDITED_CHARACTERS: Final = 400  # of one text; the tool call keeps the whole text
REPETITION: Final = "doom_loop"  # the permission of repeated calls
MAX_SHOWN_ARGUMENTS: Final = 10_000  # characters of a repeated call's arguments in the question about it
REPEATS: Final = 3
_KEPT_METADATA: Final = ("complete", "command", "text", "by_name")  # metadata that a decision may depend on


def judgement_of(verdict: Verdict, needs: Sequence[PermissionNeed], versions: tuple[int, int, int]) -> dict[str, Any]:
    """Return the value of `ToolCall.judgement`: {at, action, needs, decisions, versions, cut}.

    `versions` are the versions of the three policies (site, team, project), as in `Policies.versions`. `cut`: a value
    was truncated, so the decision about the call cannot be simulated again.
    """
    kept = [compact_need(need) for need in needs[:MAX_NEEDS]]
    return {
        "at": timezone.now().isoformat(),
        "action": verdict.action,
        "needs": kept,
        "decisions": _why_decisions(verdict.decisions[:MAX_DECISIONS]),
        "versions": dict(zip(("site", "team", "project"), versions, strict=True)),
        "cut": len(needs) > MAX_NEEDS or any(map(loses_something, needs)),
    }


def _why_decisions(decisions: Sequence[Judged]) -> list[dict[str, Any]]:
    room = MAX_TRACE_CHARACTERS
    kept = []
    for shown in map(why_decision, decisions):
        room -= sum(len(match["rule"]["permission"]) + len(match["rule"]["pattern"]) for match in shown["trace"])
        kept.append(shown if room >= 0 else {**shown, "trace": []})
    return kept


def why_decision(judged: Judged) -> dict[str, Any]:
    """Return {action, permission, pattern, rule, layer, limit, trace}: a decision with the rule that decided, its
    layer, and in `trace` the other matching rules."""
    shown = judged.as_dict()
    return {
        **shown,
        "pattern": shown["pattern"][:MAX_TEXT_CHARACTERS],
        "limit": is_of_limit(judged.decision),
        "trace": [_match(match) for match in judged.decision.trace[-MAX_TRACE_RULES:]],
    }


def _match(match: Match) -> dict[str, Any]:
    return {"rule": match.rule.as_dict(), "layer": match.layer, "limit": match.limit}


def is_of_limit(decision: Decision) -> bool:
    """Return whether the decision comes from a limit. The rules of an agent are in two layers of the same name, one
    preference and one limit. If the limit decided, the trace also contains a match of the same rule in the
    preference."""
    layer = decision.layer or ""
    twin = any(match.rule == decision.rule and match.layer == layer and not match.limit for match in decision.trace)
    return layer.endswith(" limits") or layer.startswith("parent") or twin


def compact_need(need: PermissionNeed) -> dict[str, Any]:
    """Return the permission need as a dict, truncated and without metadata that is only displayed, such as a diff."""
    metadata = {name: need.metadata[name] for name in _KEPT_METADATA if name in need.metadata}
    if reasons := need.metadata.get("reasons"):
        metadata["reasons"] = [str(reason)[:MAX_REASON_CHARACTERS] for reason in reasons[:MAX_REASONS]]
    metadata = {
        name: value[:MAX_TEXT_CHARACTERS] if isinstance(value, str) else value for name, value in metadata.items()
    }
    if spellings := need.metadata.get("spellings"):
        metadata["spellings"] = [spelling[:MAX_TEXT_CHARACTERS] for spelling in spellings[:MAX_PATTERNS]]
    if trees := need.metadata.get("trees"):
        metadata["trees"] = [_compact_tree(tree) for tree in trees[:MAX_PATTERNS]]
    return {
        **need_as_dict(need),
        "patterns": [pattern[:MAX_TEXT_CHARACTERS] for pattern in need.patterns[:MAX_PATTERNS]],
        "always": [pattern[:MAX_TEXT_CHARACTERS] for pattern in need.always[:MAX_PATTERNS]],
        "metadata": metadata,
    }


def _compact_tree(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return a truncated copy of a folder tree from a permission need's metadata. A pattern dropped from `searched` is
    treated as if it had not been searched for, so rules about it are applied more strictly."""
    lists = {name: [each[:MAX_TEXT_CHARACTERS] for each in tree[name][:MAX_PATTERNS]] for name in ("names", "searched")}
    return {**tree, "folder": tree["folder"][:MAX_TEXT_CHARACTERS], **lists}


def loses_something(need: PermissionNeed) -> bool:
    """Return whether `compact_need` truncates a pattern or value of the need that a decision may depend on."""
    spellings = need.metadata.get("spellings", ())
    texts = (*need.patterns, *spellings, *(str(need.metadata.get(name, "")) for name in _KEPT_METADATA))
    trees = need.metadata.get("trees", ())
    texts = (*texts, *(text for tree in trees for text in (tree["folder"], *tree["names"], *tree["searched"])))
    lists = (need.patterns, spellings, trees, *(tree[name] for tree in trees for name in ("names", "searched")))
    too_many = max(map(len, lists)) > MAX_PATTERNS
    return too_many or any(len(text) > MAX_TEXT_CHARACTERS for text in texts)


@dataclass(frozen=True, slots=True)
class CallDecision:
    """A decision of the permission engine. `answered` are the permission requests in which people allowed the call.
    `reason` says why a call that needs permission was refused without a request."""

    verdict: Verdict
    needs: Sequence[PermissionNeed]
    versions: tuple[int, int, int]
    answered: tuple[str, ...] = ()
    reason: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        """Return the values of the columns of `ToolCall` that store this decision."""
        deciding = self.verdict.deciding
        return {
            "decision": deciding.as_dict() if deciding else None,
            "judgement": judgement_of(self.verdict, self.needs, self.versions),
        }

    def record(self, write: SessionWrite, call: ToolCall) -> None:
        """Record the decision about the call in the team's audit log. Reads `call.session.project`."""
        write.audit(
            "call.decided", team_id=call.session.project.team_id, subject=call.public_id, data=self._for_audit(call)
        )

    def _for_audit(self, call: ToolCall) -> dict[str, Any]:
        deciding = self.verdict.deciding
        data: dict[str, Any] = {
            "session": to_public("ses", call.session_id),
            "tool": call.tool[:MAX_AUDITED_CHARACTERS],
            "action": self.verdict.action,
            "policies": list(self.versions),
        }
        if deciding is not None:
            shown = deciding.as_dict()
            data |= {name: bounded(shown[name]) for name in ("permission", "pattern", "rule", "layer")}
        if self.answered:
            data["answered"] = list(self.answered)
        if self.reason:
            data["reason"] = self.reason
        return data


def bounded(value: Any) -> Any:
    """Truncate a text, or all texts in a nested dict, to the length that the audit log keeps."""
    if isinstance(value, str):
        return value[:MAX_AUDITED_CHARACTERS]
    if isinstance(value, dict):
        return {name: bounded(item) for name, item in value.items()}
    return value


def with_previous(rows: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
    """Annotate tool calls with `was_made_before`, which is true if the model's previous answer made the same call. For
    most calls, this makes a further query unnecessary."""
    before = _answers_before(session=OuterRef(OuterRef("session")), message=OuterRef(OuterRef("message_id")))
    same = ToolCall.objects.filter(
        message=Subquery(before[:1]), tool=OuterRef("tool"), raw_arguments=OuterRef("raw_arguments")
    )
    return rows.annotate(was_made_before=Exists(same))


def _answers_before(*, session: Any, message: Any) -> QuerySet[Any, Any]:
    """Return a query for the ids of the session's finished answers before `message`, newest first. An index makes it
    fast to read only the first few ids."""
    answers = Message.objects.filter(role=Message.Role.ASSISTANT, state=Message.State.COMPLETE)
    return answers.filter(session=session, id__lt=message).order_by("-id").values("id")


def repetition_needs(call: Any) -> tuple[PermissionNeed, ...]:
    """Return the need of the permission `doom_loop` if the call, read by `with_previous`, is repeated; otherwise
    nothing. An inner call never needs it: its outer call is repeated too, and one permission request covers both
    calls."""
    if call.outer_id is not None or not call.was_made_before:
        return ()
    before = _answers_before(session=call.session_id, message=call.message_id)
    made = {"turn": call.turn_id, "tool": call.tool, "raw_arguments": call.raw_arguments}
    earlier = list(ToolCall.objects.filter(message__in=before[: REPEATS - 1], **made).values_list("id", "message_id"))
    if len({message for _, message in earlier}) < REPEATS - 1 or _was_allowed([call_id for call_id, _ in earlier]):
        return ()
    shown = {"times": REPEATS, **_shown_arguments(call)}
    return (PermissionNeed(REPETITION, (call.tool,), (call.tool,), shown),)


def _shown_arguments(call: Any) -> dict[str, Any]:
    """Return a call's arguments for the permission request: as an object or, if they are long or not a JSON object, as
    text."""
    if call.arguments and len(call.raw_arguments) <= MAX_SHOWN_ARGUMENTS:
        return {"arguments": call.arguments}
    is_cut = len(call.raw_arguments) > MAX_SHOWN_ARGUMENTS
    return {"raw_arguments": call.raw_arguments[:MAX_SHOWN_ARGUMENTS] + ("…" if is_cut else "")}


def _was_allowed(call_ids: list[Any]) -> bool:
    """Return whether a person has already approved a permission request of one of these calls for `doom_loop`, the
    permission to repeat a call."""
    yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
    answered = PermissionRequest.objects.filter(call__in=call_ids, state__in=yes).values_list("needs", flat=True)
    return any(need["permission"] == REPETITION for needs in answered for need in needs)
