"""The credentials of an OpenAPI document's operations: `[auth]` where all have the same, else a secret for each security scheme,
which only its operations carry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from ....base.text import first_names
from ...login_flows import AUTH_SECRET
from ..credentials import AUTHORIZATION, authorization, secret_variable
from ..names import one_line, unused_name
from ..other_tools.filled_texts import as_place
from .operations import SampledRequest, Scheme

_LISTED = 3  # operations that a note names
_MOST_CHARACTERS = 50  # of a secret's name


@dataclass(frozen=True)
class RestCredentials:
    """How a service folder gives operations their credentials. `wanted` has the operations of each scheme; `auth` goes with every
    request, or `places` has the name of the secret of each supported scheme."""

    wanted: Mapping[Scheme, Sequence[str]] = field(default_factory=dict)
    auth: Scheme | None = None
    places: Mapping[Scheme, str] = field(default_factory=dict)

    def fill_in(self, sample: SampledRequest) -> SampledRequest:
        """The sample with places for the secrets of its schemes; as it is where `[auth]` has them."""
        path, headers = sample.path, dict(sample.headers)
        for scheme in sample.operation.schemes:
            place = self.places.get(scheme)
            if place is None:
                continue
            if scheme.kind == "api-key" and not scheme.header:
                path += f"{'&' if '?' in path else '?'}{quote(scheme.key, safe='')}={as_place(f'{place}:url')}"
                continue
            name, value = _header(scheme, place)
            cookies = "; ".join(filter(None, (headers.get(name), value)))
            headers[name] = cookies if name == "Cookie" else value
        return replace(sample, path=path, headers=headers)

    def tables(self, name: str) -> dict[str, dict[str, str]]:
        """The tables of service.toml that name the sources of the secrets of the service `name`; none without credentials."""
        if self.places:
            return {"secrets": {place: f"env:{secret_variable(name, place)}" for place in self.places.values()}}
        if self.auth is None:
            return {}
        auth = {"kind": self.auth.kind, "secret": f"env:{secret_variable(name, 'secret')}"}
        if self.auth.kind in ("basic", "digest"):
            auth["user"] = "USER"
        if self.auth.header:
            auth["header"] = self.auth.header
        return {"auth": auth}

    @property
    def words(self) -> str:
        """The schemes with a place in the folder."""
        return "; ".join(scheme.words for scheme in ([self.auth] if self.auth else self.places))

    def notes(self, name: str) -> Iterator[str]:
        """What the user must fill in, and what was not imported."""
        for scheme, operations in self.wanted.items():
            where = f"security '{one_line(scheme.name, 60)}' of {first_names(operations, _LISTED)}: {scheme.words}"
            if scheme == self.auth:
                user = "put your name for USER in service.toml and " if scheme.kind in ("basic", "digest") else ""
                value = f"{scheme.key}=VALUE" if scheme.header == "Cookie" else "the secret"
                yield f"{where}: {user}put {value} into the variable {secret_variable(name, 'secret')}"
            elif scheme in self.places:
                value = "USER:PASSWORD" if scheme.kind == "basic" else "the secret"
                yield f"{where}: put {value} into the variable {secret_variable(name, self.places[scheme])}"
            elif scheme.kind:
                yield f"{where}; a service with digest authentication has one scheme: load these operations separately"
            else:
                yield f"{where}; it was not imported"


def credentials_of(sampled: Sequence[SampledRequest]) -> RestCredentials:
    """How the sampled operations get the credentials of their schemes."""
    wanted: dict[Scheme, list[str]] = {}
    for sample in sampled:
        for scheme in sample.operation.schemes:
            wanted.setdefault(scheme, []).append(sample.operation.name)
    supported = [scheme for scheme in wanted if scheme.kind]
    common = [
        scheme for scheme in supported if len(wanted[scheme]) == len(sampled) and (scheme.header or not scheme.key)
    ]
    digest = next((scheme for scheme in supported if scheme.kind == "digest"), None)
    if digest is not None or len(common) == len(supported) == 1:
        return RestCredentials(wanted, digest or common[0])
    used = {AUTH_SECRET}
    places = {
        scheme: unused_name("auth_" + re.sub(r"\W", "_", scheme.name, flags=re.ASCII), used, "_", _MOST_CHARACTERS)
        for scheme in supported
    }
    return RestCredentials(wanted, None, places)


def _header(scheme: Scheme, place: str) -> tuple[str, str]:
    """The header with the secret of a scheme."""
    if scheme.kind != "api-key":
        return AUTHORIZATION, authorization(scheme.kind, place)
    return scheme.header, f"{scheme.key}={as_place(place)}" if scheme.header == "Cookie" else as_place(place)
