"""The credentials of imported requests: `[auth]` where all requests have the same, else a secret for each user, which only the
requests of that user carry."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .other_tools.filled_texts import as_place
from .other_tools.imported_requests import HeldCredentials

AUTHORIZATION = "Authorization"
_SECRETS = {"basic": "auth_password", "bearer": "auth_token"}  # by kind, the place of the first secret
_IN_A_LITERAL = re.compile(r"[ -~]{0,200}")


@dataclass(frozen=True)
class CredentialUse:
    """How a service folder gives requests their credentials: `auth` goes with every request, or `places` has the name of the
    secret of each user."""

    auth: HeldCredentials | None = None
    places: Mapping[HeldCredentials, str] = field(default_factory=dict)

    def header(self, credentials: HeldCredentials | None) -> tuple[tuple[str, str], ...]:
        """The header of a request with these credentials; none where `[auth]` gives it, or the request has none."""
        if credentials is None or credentials not in self.places:
            return ()
        return ((AUTHORIZATION, authorization(credentials.kind, self.places[credentials], credentials.user)),)

    def carries(self, credentials: HeldCredentials | None) -> bool:
        """Whether a request with these credentials gets them, and no others."""
        return credentials == self.auth or credentials in self.places or (credentials is None and self.auth is None)


def authorization(kind: str, place: str, user: str = "") -> str:
    """The value of the header Authorization for the secret of a place. Without a `user` a basic one's secret is `USER:PASSWORD`."""
    if kind == "bearer":
        return f"Bearer {as_place(place)}"
    literal = user.replace("\\", "\\\\").replace("'", "\\'")
    computed = f"base64('{literal}:',{place})" if user else f"base64({place})"
    return f"Basic {as_place(computed)}"


def auth_variable(service: str, credentials: HeldCredentials) -> str:
    """The environment variable for the secret of a service's `[auth]`."""
    return secret_variable(service, "token" if credentials.kind == "bearer" else "password")


def secret_variable(service: str, place: str) -> str:
    """The environment variable for the secret that fills a place of a service's requests."""
    plain = re.sub(r"\W", "_", service, flags=re.ASCII).upper()
    return f"{'_' if plain[:1].isdecimal() else ''}{plain}_{place.removeprefix('auth_').upper()}"


def credential_use(held: Sequence[HeldCredentials | None]) -> CredentialUse:
    """How the requests with these credentials, one each, get them. Digests and user name tokens have no header of their own: where
    there are any, the first user's go with every request."""
    users = list(dict.fromkeys(each for each in held if each is not None))
    own = all(each.kind in _SECRETS and _IN_A_LITERAL.fullmatch(each.user) for each in users)
    if not users or not own or (len(users) == 1 and None not in held):
        return CredentialUse(users[0] if users else None)
    places: dict[HeldCredentials, str] = {}
    for each in users:
        first = _SECRETS[each.kind]
        alike = sum(other.kind == each.kind for other in places)
        places[each] = first if not alike else f"{first}_{alike + 1}"
    return CredentialUse(None, places)
