"""Temporary read access to one session with a stated reason: the form in which an operator requests it, and the page
that shows the session."""

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils.html import format_html

from agentsite.base.errors import Missing, SiteError
from agentsite.base.ids import from_public
from agentsite.operators.base import ReadOnlyAdmin
from agentsite.operators.site import operator_of, operators
from sessions_app.actions import operator_access as actions
from sessions_app.events.schema import SnapshotView, ToolCallView
from sessions_app.models import OperatorAccess, Session


class AccessForm(forms.ModelForm):  # type: ignore[type-arg]
    session_id = forms.CharField(max_length=36, help_text="The id of the session (ses_…), as in its URL")
    minutes = forms.IntegerField(min_value=1, max_value=actions.MAX_MINUTES, initial=actions.MAX_MINUTES)
    reason = forms.CharField(
        min_length=actions.MIN_REASON_CHARACTERS,
        max_length=actions.MAX_REASON_CHARACTERS,
        help_text="The members of the team can read this reason.",
    )

    class Meta:
        model = OperatorAccess
        fields = ("session_id", "reason", "minutes")

    def clean_session_id(self) -> str:
        text: str = self.cleaned_data["session_id"]
        try:
            found = Session.objects.filter(pk=from_public(Session.PREFIX, text)).exists()
        except Missing:
            found = False
        if not found:
            raise forms.ValidationError("This session does not exist.")
        return text


@admin.register(OperatorAccess, site=operators)
class Accesses(ReadOnlyAdmin):
    form = AccessForm
    list_display = (
        "reason",
        "operator",
        "session_of",
        "created_at",
        "expires_at",
        "revoked_at",
        "readings",
        "read",
        "close",
    )
    list_select_related = ("operator", "session")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("session_id", "reason", "minutes")
        return (
            "operator",
            "session_of",
            "reason",
            "created_at",
            "expires_at",
            "revoked_at",
            "readings",
            "read",
            "close",
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else self.get_fields(request, obj)

    @admin.display(description="Session")
    def session_of(self, obj: OperatorAccess) -> str:
        return obj.session.public_id

    @admin.display(description="Read")
    def read(self, obj: OperatorAccess) -> str:
        if not obj.is_alive:
            return "expired"
        return format_html('<a href="{}">Read the session</a>', reverse("admin:read_session", args=(obj.pk,)))

    @admin.display(description="End")
    def close(self, obj: OperatorAccess) -> str:
        if not obj.is_alive:
            return "ended"
        page = reverse("admin:end_access", args=(obj.pk,))
        return format_html('<a href="{}" aria-label="End access now: {}">End access now</a>', page, obj.public_id)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        """Redirect to the admin page of the session for which an operator access was just created."""
        return HttpResponseRedirect(reverse("admin:read_session", args=(obj.pk,)))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        row = actions.open_operator_access(actor=operator_of(request), **form.cleaned_data)
        obj.__dict__.update(row.__dict__)

    def get_urls(self) -> list[Any]:
        read, end = self.admin_site.admin_view(self.show_session), self.admin_site.admin_view(self.end)
        return [
            path("<uuid:access_id>/session/", read, name="read_session"),
            path("<uuid:access_id>/end/", end, name="end_access"),
            *super().get_urls(),
        ]

    def end(self, request: HttpRequest, access_id: Any) -> HttpResponse:
        """Show a confirmation page on GET, and end the access on POST."""
        access = get_object_or_404(OperatorAccess.objects.of_operator(operator_of(request)), pk=access_id)
        if request.method != "POST":
            context = {**self.admin_site.each_context(request), "title": "End this access?", "access": access}
            return render(request, "operators/end_access.html", context)
        actions.end_operator_access(actor=operator_of(request), access=access)
        messages.success(request, "The access has ended. To read the session again, open a new access with a reason.")
        return HttpResponseRedirect(reverse("admin:sessions_app_operatoraccess_changelist"))

    def show_session(self, request: HttpRequest, access_id: Any) -> HttpResponse:
        access = get_object_or_404(OperatorAccess.objects.of_operator(operator_of(request)), pk=access_id)
        try:
            snapshot = actions.read_by_operator(actor=operator_of(request), access=access)
        except SiteError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(reverse("admin:sessions_app_operatoraccess_changelist"))
        shown = {"title": f"Session {access.session.public_id}", "access": access, "lines": _lines(snapshot)}
        context = {**self.admin_site.each_context(request), **shown}
        return render(request, "operators/session.html", context)


def _lines(snapshot: SnapshotView) -> list[dict[str, str]]:
    """Return the conversation of a snapshot as plain-text lines in order, with each tool call at its place."""
    roles = {message.id: message.role for message in snapshot.messages}
    calls = {call.id: call for call in snapshot.calls}
    lines = []
    for part in snapshot.parts:
        call = calls.pop(part.call_id or "", None)
        if call is not None:
            lines.append(_line_of(call))
        elif text := part.text or (_as_json(part.data) if part.data else ""):
            lines.append({"who": roles.get(part.message_id, ""), "kind": part.type, "text": text})
    return lines + [_line_of(call) for call in calls.values()]


def _line_of(call: ToolCallView) -> dict[str, str]:
    return {"who": call.tool, "kind": call.state, "text": _as_json(call.model_dump(mode="json"))}


def _as_json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False)
