"""Answers to a challenge for a digest are those of the standard's own example, and the secret is in no stored file."""

from __future__ import annotations

import pytest
from steelyard.base.conversation import Answer, Conversation
from steelyard.base.errors import TargetError
from steelyard.loading import digest
from steelyard.loading.asked import AskedOperation
from steelyard.models.service import Expect


def asking(method: str, path: str) -> AskedOperation:
    return AskedOperation(
        name="page",
        method=method,
        path=path,
        headers={},
        bodies=[b""],
        expect=Expect(),
        filled=False,
        changes_data=False,
    )


def test_the_answer_is_that_of_the_standards_example() -> None:
    # RFC 2069, 2.4, with the response that its errata give.
    challenge = {
        "realm": "testrealm@host.com",
        "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093",
        "opaque": "5ccc069c403ebaf9f0171e9517f40e41",
    }
    answer = digest.answer_to(challenge, asking("GET", "/dir/index.html"), "Mufasa", "CircleOfLife")
    assert answer.startswith("Digest ") and 'response="1949323746fe6a43ef61f9606e7febea"' in answer
    assert 'opaque="5ccc069c403ebaf9f0171e9517f40e41"' in answer and "CircleOfLife" not in answer


@pytest.mark.parametrize(
    ("status", "challenges", "nonce"),
    [
        (401, ('Digest realm="a", nonce="1", algorithm=MD5', 'Digest realm="a", nonce="2", algorithm=SHA-256'), "2"),
        (401, ('Basic realm="a"', 'Digest realm="a, b", qop="auth", nonce="3"'), "3"),
    ],
)
def test_the_best_digest_that_is_offered_is_taken(
    status: int, challenges: tuple[str, ...], nonce: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Conversation, "ask", lambda *_: Answer(status, b"", challenges))
    assert digest.challenge_of("http://127.0.0.1:1", asking("POST", "/x"))["nonce"] == nonce


@pytest.mark.parametrize(
    ("status", "challenges", "said"),
    [
        (200, (), "status 200"),
        (401, ('Basic realm="a"',), "another authentication"),
        (401, ('Digest nonce="1", algorithm=SHA-512-256',), "another authentication"),
    ],
)
def test_another_challenge_is_said(
    status: int, challenges: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Conversation, "ask", lambda *_: Answer(status, b"", challenges))
    with pytest.raises(TargetError, match=said):
        digest.challenge_of("http://127.0.0.1:1", asking("POST", "/x"))
