"""Fields of the sign-up form besides e-mail address and password."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from agentsite.tenancy.models import User


class SignUpFields(forms.Form):
    """`invitation` is the secret of an invitation's link."""

    name = forms.CharField(max_length=120, required=False)
    invitation = forms.CharField(max_length=200, required=False)

    def signup(self, request: HttpRequest, user: User) -> None:
        """allauth wants it; everything is saved by the adapter."""

    def clean(self) -> dict[str, Any]:
        """The password must not resemble what else the person told, which allauth does not look at here."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        password = data.get("password")
        if password:
            try:
                validate_password(password, User(email=data.get("email") or "", name=data.get("name") or ""))
            except ValidationError as error:
                self.add_error("password", error)
        return data
