"""Logins that take requests of their own, as steps that each user of a session makes once, and again after status 401."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from ..models.job import JsonCapture, RegexCapture
from ..models.service import Auth, Expect, ServiceStep

AUTH_SECRET = "auth_secret"  # the place of the secret, which the engine alone fills
UNAUTHORIZED = 401
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_SECRET = f"{{{{{AUTH_SECRET}:url}}}}"


@dataclass(frozen=True)
class LoginFlow:
    """The steps of a login, and the headers of all requests after it."""

    steps: Sequence[ServiceStep]
    headers: Mapping[str, str] = field(default_factory=dict)


def login_flow(auth: Auth | None) -> LoginFlow | None:
    """The login that `[auth]` describes; None where each request holds its credentials itself."""
    if auth is None or not auth.takes_requests:
        return None
    return _form_login(auth) if auth.kind == "form-login" else _oauth_token(auth)


def _oauth_token(auth: Auth) -> LoginFlow:
    """A token of OAuth 2.0 (RFC 6749): by client credentials with the secret in the body (4.4, 2.3.1), by a password (4.3), or
    by a refresh token (6)."""
    if auth.kind == "client-credentials":
        words, secret = {"grant_type": "client_credentials", "client_id": auth.user}, "client_secret"
    elif auth.kind == "password-grant":
        words, secret = {"grant_type": "password", "username": auth.user, "client_id": auth.client}, "password"
    else:
        words, secret = {"grant_type": "refresh_token", "client_id": auth.user}, "refresh_token"
    body = urlencode({name: value for name, value in (words | {"scope": auth.scope}).items() if value})
    token = ServiceStep(
        name="auth-token",
        path=auth.path,
        headers=_FORM,
        body=f"{body}&{secret}={_SECRET}",
        expect=_plain(200),
        once=True,
        captures={"access_token": JsonCapture(path=["access_token"])},
    )
    return LoginFlow([token], {"Authorization": "Bearer {{access_token}}"})


def _form_login(auth: Auth) -> LoginFlow:
    """A form with user name and password. With a CSRF field its page is read first; cookies identify the user."""
    body = f"{urlencode({auth.user_field: auth.user})}&{quote(auth.password_field)}={_SECRET}"
    steps = []
    if auth.csrf_field is not None:
        expression = rf'name="{auth.csrf_field}"[^>]*?value="([^"]+)"'
        page = ServiceStep(
            name="auth-form",
            path=auth.path,
            expect=_plain(200),
            once=True,
            captures={"auth_csrf": RegexCapture(expression=expression)},
        )
        steps.append(page)
        body += f"&{quote(auth.csrf_field)}={{{{auth_csrf:url}}}}"
    login = ServiceStep(
        name="auth-login",
        path=auth.path,
        headers=_FORM,
        body=body,
        expect=_plain(200, 204, 302, 303),
        once=True,
    )
    return LoginFlow([*steps, login])


def _plain(*statuses: int) -> Expect:
    """These statuses, and no other rule of the service: its rules are for its operations."""
    return Expect.model_validate({"status": list(statuses), "fault": "any", "schema": False})
