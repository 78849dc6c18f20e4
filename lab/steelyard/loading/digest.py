"""Digest authentication: the server is asked once what it wants, and every request answers that.

The answer is the one without `qop`, which stays right for as long as the server takes its nonce (RFC 2069): a count that rises
with each request would have to be made while requests are sent. A server that insists on `qop` refuses, which the verification
shows; a load that is longer than the nonce is taken ends in failures of status 401.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from urllib.request import parse_http_list, parse_keqv_list

from ..base.conversation import Conversation
from ..base.errors import NoAnswerError, TargetError
from .asked import Asked, AskedOperation

_ALGORITHMS = {"SHA-256": hashlib.sha256, "MD5": hashlib.md5}  # the better one first
_UNAUTHORIZED = 401


def with_digest(asked: Asked, user: str, secret: str) -> tuple[Asked, dict[str, str]]:
    """The requests with a place for each one's answer to the server's challenge, and those answers by place; raises TargetError."""
    values: dict[str, str] = {}
    operations: dict[str, AskedOperation] = {}
    challenge: dict[str, str] | None = None
    for number, (name, operation) in enumerate(asked.operations.items(), 1):
        challenge = challenge or challenge_of(asked.address, operation)
        values[f"digest_{number}"] = answer_to(challenge, operation, user, secret)
        headers = {**operation.headers, "Authorization": f"{{{{digest_{number}}}}}"}
        operations[name] = replace(operation, headers=headers, filled=True)
    return replace(asked, operations=operations), values


def challenge_of(address: str, operation: AskedOperation) -> dict[str, str]:
    """What a server answers to a request that does not say who asks, as its directives by name; raises TargetError where it does
    not ask for a digest."""
    conversation = Conversation(f"{address}{operation.path}")
    try:
        answer = conversation.ask(operation.method, operation.path, b"", {})
    except NoAnswerError as error:
        raise TargetError(f"{address} was asked for its challenge: {error.message}", hint="is it running?") from None
    finally:
        conversation.close()
    offered = [parse_keqv_list(parse_http_list(words)) for words in map(_digest, answer.challenges) if words]
    for algorithm in _ALGORITHMS:
        for challenge in offered:
            if challenge.get("algorithm", "MD5").upper() == algorithm and "nonce" in challenge:
                return challenge
    asked = f"status {answer.status}" if answer.status != _UNAUTHORIZED else "another authentication"
    raise TargetError(
        f"{address}{operation.path} does not ask for a digest that is known here: it answers with {asked}",
        hint="--auth basic or bearer may be what it wants",
    )


def answer_to(challenge: dict[str, str], operation: AskedOperation, user: str, secret: str) -> str:
    """The value of the field Authorization for an operation's requests."""
    algorithm = challenge.get("algorithm", "MD5").upper()

    def hashed(text: str) -> str:
        return _ALGORITHMS[algorithm](text.encode()).hexdigest()

    who = hashed(f"{user}:{challenge.get('realm', '')}:{secret}")
    what = hashed(f"{operation.method}:{operation.path}")
    said = {
        "username": user,
        "realm": challenge.get("realm", ""),
        "nonce": challenge["nonce"],
        "uri": operation.path,
        "response": hashed(f"{who}:{challenge['nonce']}:{what}"),
        **({"opaque": challenge["opaque"]} if "opaque" in challenge else {}),
    }
    fields = ", ".join(f'{name}="{_quoted(value)}"' for name, value in said.items())
    return f"Digest {fields}, algorithm={algorithm}"


def _digest(challenge: str) -> str:
    """The directives of a challenge for a digest; empty for any other."""
    scheme, _, rest = challenge.strip().partition(" ")
    return rest if scheme.lower() == "digest" else ""


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
