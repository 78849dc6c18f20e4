"""Defaults: which service a server is checked with."""

from __future__ import annotations

import pytest
from steelyard.catalogue import entries, usual


@pytest.mark.parametrize(
    ("server", "named", "service"),
    [("go", None, "wstest"), ("go", "shop-api", "shop-api"), ("spring-boot", None, "shop-api")],
)
def test_a_server_without_the_usual_service_is_checked_with_its_own(
    server: str, named: str | None, service: str
) -> None:
    assert usual.resolve_served(entries.server(server).model, named) == service
