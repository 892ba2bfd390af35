"""Additional fields of allauth's sign-up form."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from agentsite.tenancy.models import User


class SignUpFields(forms.Form):
    """The fields of the sign-up form besides e-mail address and password. `invitation` is the secret of an invitation
    link."""

    name = forms.CharField(max_length=120, required=False)
    invitation = forms.CharField(max_length=200, required=False)

    def signup(self, request: HttpRequest, user: User) -> None:
        """Do nothing; allauth requires this method, and the account adapter saves the user."""

    def clean(self) -> dict[str, Any]:
        """Check that the password is not similar to the name or e-mail address, because allauth does not check this at
        sign-up."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        password = data.get("password")
        if password:
            try:
                validate_password(password, User(email=data.get("email") or "", name=data.get("name") or ""))
            except ValidationError as error:
                self.add_error("password", error)
        return data
