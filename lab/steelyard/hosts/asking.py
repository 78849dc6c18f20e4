"""Requests to a part of a subject while it starts and runs: whether it is ready, and its request count."""

from __future__ import annotations

from http import HTTPStatus

from ..base.http_client import Answer, HttpClient, trusted_context
from . import server_certificate
from .placement import Placement
from .subject import Part, Subject


def answer_of(subject: Subject, part: Part, site: Placement, port: int, path: str, seconds: float) -> Answer:
    """A part's answer to GET `path`; raises NoAnswerError."""
    authority = server_certificate.authority(site.address) if part.secure else None
    url = site.url(port, path, secure=part.secure)
    conversation = HttpClient(url, seconds, context=trusted_context(authority))
    try:
        return conversation.get(subject.headers)
    finally:
        conversation.close()


def service_count(subject: Subject, part: Part, site: Placement, port: int, seconds: float) -> int:
    """A part's count of the service's requests; raises NoAnswerError, or ValueError where the answer is not one number."""
    counter = subject.service.model.counter
    assert counter is not None
    answer = answer_of(subject, part, site, port, counter, seconds)
    if answer.status != HTTPStatus.OK:
        raise ValueError(f"HTTP status {answer.status}")
    return int(answer.body)
