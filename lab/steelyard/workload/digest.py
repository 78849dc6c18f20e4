"""HTTP digest authentication (RFC 7616) with `qop=auth`: the server's challenge, and the values that the engine needs
for its answer.

Each request has a different answer, since it covers the use count of the server's nonce. So the engine computes it from
two constant hashes: of user, realm, password and nonce, and of method and path.
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit
from urllib.request import parse_http_list, parse_keqv_list

from ..base.errors import ConfigurationError, NoAnswerError, TargetError
from ..base.http_client import HttpClient
from ..models.service import OF_THE_ENGINE
from .allowed_hosts import target_of
from .load_operation import LoadOperation
from .load_target import LoadTarget

_HASHES = {"SHA-256": hashlib.sha256, "MD5": hashlib.md5}  # strongest first
_SECONDS = 30.0
# A server may refuse a nonce count that arrives long after later ones (Tomcat: after a hundred), which happens to users
# who share a nonce.
MOST_NONCES = 64


@dataclass(frozen=True)
class Challenge:
    """A server's challenge: `realm`, `nonce`, hash algorithm, and `opaque`, which is sent back unchanged."""

    realm: str
    nonce: str
    algorithm: str
    opaque: str | None

    def hash_text(self, text: str) -> str:
        """The hash of a text in hexadecimal."""
        return _HASHES[self.algorithm](text.encode()).hexdigest()

    def values(self, requests: Sequence[tuple[str, str]]) -> dict[str, str]:
        """The values of the engine's places that do not depend on the nonce: a hash of each request's method and
        path."""
        hashes = (self.hash_text(f"{method}:{path}") for method, path in requests)
        return {"digest_algorithm": self.algorithm, **numbered_values("digest_request", hashes)}

    def repeated_fields(self) -> str:
        """The challenge's fields that every answer repeats."""
        fields = f'realm="{_quote(self.realm)}", nonce="{_quote(self.nonce)}", algorithm={self.algorithm}'
        if self.opaque is not None:
            fields += f', opaque="{_quote(self.opaque)}"'
        return fields

    def key(self, user: str, password: str) -> str:
        """The constant part of every answer with this nonce."""
        return f"{self.hash_text(f'{user}:{self.realm}:{password}')}:{self.nonce}"


@dataclass
class Digest:
    """A user of digest authentication, and the user's requests by method and path.

    `first` is sent without an answer to get each challenge. `challenged` counts these requests, which are not part of a
    load's counts.
    """

    address: str
    user: str
    password: str = field(repr=False)
    requests: Sequence[tuple[str, str]]
    first: LoadOperation
    context: ssl.SSLContext | None
    addresses: Sequence[str] = ()
    challenged: int = 0

    def values(self, users: int) -> dict[str, str]:
        """The values of the engine's places, with new nonces: one per user, at most MOST_NONCES.

        Raises TargetError if there is no supported challenge.
        """
        challenges = self._challenges(min(max(1, users), MOST_NONCES))
        return {
            **challenges[0].values(self.requests),
            **numbered_values("digest_challenge", (challenge.repeated_fields() for challenge in challenges)),
            **numbered_values("digest_key", (challenge.key(self.user, self.password) for challenge in challenges)),
        }

    def _challenges(self, count: int) -> list[Challenge]:
        """Up to `count` challenges of one kind; fewer if the server changes the kind."""
        challenges: list[Challenge] = []
        try:
            talk = HttpClient(self.address, _SECONDS, context=self.context, addresses=self.addresses)
            try:
                while len(challenges) < count:
                    self.challenged += 1
                    answer = talk.ask(
                        self.first.method, self.first.path, self.first.bodies[0] or None, dict(self.first.headers)
                    )
                    if answer.status != 401:
                        raise TargetError(
                            f"{self.address}{self.first.path} answers {answer.status} to a request without credentials, and does "
                            "not require a digest",
                            hint="leave --auth out, or use the kind that the server requires",
                        )
                    challenges.append(challenge_of(answer.values_of("WWW-Authenticate")))
            finally:
                talk.close()
        except (NoAnswerError, OSError) as error:
            raise TargetError(f"{self.address} sent no challenge: {error}") from None
        return [challenge for challenge in challenges if challenge.algorithm == challenges[0].algorithm]


def numbered_values(name: str, values: Iterable[str]) -> dict[str, str]:
    """Values as the engine names them: `NAME_0`, `NAME_1`, ..."""
    return {f"{name}_{number}": value for number, value in enumerate(values)}


def with_digest(load_target: LoadTarget, user: str, password: str) -> tuple[LoadTarget, Digest]:
    """The requests with the engine's places, and their values; raises ConfigurationError, and TargetError if the target
    may not be called."""
    if not user or not user.isascii() or not user.isprintable():
        raise ConfigurationError("a digest needs a user name in ASCII", hint="--user NAME, or user in [auth]")
    operations = {}
    for number, (name, operation) in enumerate(load_target.operations.items()):
        if operation.paths or OF_THE_ENGINE.search(operation.path):
            raise ConfigurationError(
                f"the path of {name} has places, and a digest covers the path",
                hint="select other operations with --operation, or remove the place from its path",
            )
        line = (
            f'Digest username="{_quote(user)}", {{{{digest_challenge}}}}, uri="{operation.path}", qop=auth, '
            f'nc={{{{digest_count}}}}, cnonce="{{{{nonce}}}}", response="{{{{digest_answer_{number}}}}}"'
        )
        own = {key: value for key, value in operation.headers.items() if key.lower() != "authorization"}
        operations[name] = replace(operation, headers={**own, "Authorization": line}, filled=True)
    operations_of_target = list(load_target.operations.values())
    first = next(
        (operation for operation in operations_of_target if not operation.changes_data), operations_of_target[0]
    )
    requests = [(operation.method, operation.path) for operation in operations_of_target]
    authenticated = replace(load_target, operations=operations)
    addresses = [str(address) for address in target_of(load_target).addresses]
    return authenticated, Digest(
        load_target.address, user, password, requests, first, tls_context(load_target), addresses
    )


def challenge_of(fields: Sequence[str]) -> Challenge:
    """The strongest supported challenge in a server's WWW-Authenticate headers; raises TargetError with the unsupported
    ones."""
    answerable, refused = [], []
    for scheme, words in _challenges(fields):
        why = _why_not(scheme, words)
        if why is None:
            algorithm = words.get("algorithm", "MD5").upper()
            answerable.append(Challenge(words["realm"], words["nonce"], algorithm, words.get("opaque")))
        else:
            refused.append(why)
    if not answerable:
        raise TargetError(
            f"the target requires no supported digest: {'; '.join(refused) or 'it names no scheme'}",
            hint="supported are MD5 and SHA-256 with qop=auth",
        )
    return min(answerable, key=lambda challenge: list(_HASHES).index(challenge.algorithm))


def _why_not(scheme: str, words: dict[str, str]) -> str | None:
    if scheme.lower() != "digest":
        return f"scheme {scheme[:40]}"
    if words.get("algorithm", "MD5").upper() not in _HASHES:
        return f"algorithm {words['algorithm'][:40]}"
    offered = [offer.strip().lower() for offer in words.get("qop", "").split(",")]
    if "auth" not in offered:
        return f"qop {words['qop'][:40]}" if words.get("qop") else "no qop, as of RFC 2069"
    if "realm" not in words or not words.get("nonce"):
        return "a challenge without realm or nonce"
    text = "".join(words.values())
    return None if text.isprintable() and "{{" not in text else "a challenge with unprintable characters or {{"


def _challenges(fields: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Scheme and parameters of each challenge; a header may hold several, each of which begins with `SCHEME
    NAME=VALUE`."""
    challenges: list[tuple[str, list[str]]] = []
    for part in (part for line in fields for part in parse_http_list(line)):
        scheme, _, rest = part.partition(" ")
        if "=" not in scheme:
            challenges.append((scheme, [rest] if "=" in rest else []))
        elif challenges:
            challenges[-1][1].append(part)
    return [
        (scheme, {name.lower(): value for name, value in parse_keqv_list([w for w in words if "=" in w]).items()})
        for scheme, words in challenges
    ]


def _quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def tls_context(load_target: LoadTarget) -> ssl.SSLContext | None:
    """The TLS context: how a server's certificate is checked, as in the engine, and the client certificate; None
    without TLS.

    Raises ConfigurationError.
    """
    if urlsplit(load_target.address).scheme != "https":
        return None
    tls, folder = load_target.tls, load_target.folder
    try:
        context = ssl.create_default_context(cafile=None if tls.ca is None else folder / tls.ca)
        if not tls.verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if tls.certificate is not None and tls.key is not None:
            context.load_cert_chain(folder / tls.certificate, folder / tls.key)
    except OSError as error:
        raise ConfigurationError(f"the files of [tls] cannot be used: {error}") from None
    return context
