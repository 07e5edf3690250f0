"""Who a request comes from: a token in its Authorization header. Sessions are REST framework's own."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from editor.models import ApiToken
from editor.tokens import find_token


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`. The user is the token's owner, and carries the token as `acting_token`."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        """The owner and the token; None without such a header. Raises AuthenticationFailed."""
        scheme, _, text = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = find_token(text.strip())
        if token is None:
            raise AuthenticationFailed("This token is not valid, or not any more. Make another on your page of tokens.")
        user: Any = token.owner
        user.acting_token = token
        return user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the documentation names it."""

    target_class = "editor.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
