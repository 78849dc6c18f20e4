"""Where an imported service runs: the document says so, or --target does."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import steelyard
from small_descriptions import (
    PLAIN_TYPES,
    body_content,
    import_text,
    openapi,
    require_valid,
    schema_of,
    service_file,
    wsdl,
)
from steelyard.base.errors import ImportRefusedError

GET = "get: {operationId: a, responses: {'200': {description: fine}}}"
PATHS = f"  /a:\n    {GET}\n"
TARGET = "http://127.0.0.1:9191"


@pytest.mark.parametrize(
    ("address", "target", "expected"),
    [
        ("REPLACE_WITH_ACTUAL_URL", TARGET, (TARGET, "/")),
        ("http://server:port/", TARGET, (TARGET, "/")),
        ("", TARGET, (TARGET, "/")),
        ("http://shop.example/soap/orders?v=1", TARGET, (TARGET, "/soap/orders?v=1")),
        ("http://shop.example/soap", f"{TARGET}/new", (TARGET, "/new")),
        ("http://127.0.0.1:8080/soap", "", ("http://127.0.0.1:8080", "/soap")),
    ],
)
def test_a_target_stands_in_for_the_address_of_a_wsdl(
    address: str, target: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    import_text(wsdl(address=address), tmp_path, "orders.wsdl", target=target)
    file = service_file(tmp_path)
    assert (file["target"], file["path"]) == expected
    require_valid(body_content(tmp_path / "mine" / "samples" / "getOrder.xml"), schema_of(PLAIN_TYPES))


@pytest.mark.parametrize("address", ["REPLACE_WITH_ACTUAL_URL", ""])
def test_an_address_that_is_none_asks_for_a_target(address: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="--target URL names the server"):
        import_text(wsdl(address=address), tmp_path, "orders.wsdl")


@pytest.mark.parametrize(
    ("servers", "path"),
    [
        ("[{url: /api/v3}]", "/api/v3/a"),
        ("[]", "/a"),
        ("[{url: 'http://server:port/'}]", "/a"),
        ("[{url: 'https://one.example/v1'}, {url: 'https://two.example/v1'}]", "/v1/a"),
    ],
)
def test_a_target_stands_in_for_the_servers_of_openapi(servers: str, path: str, tmp_path: Path) -> None:
    import_text(openapi(PATHS, servers), tmp_path, "orders.yaml", target=TARGET)
    file = service_file(tmp_path)
    assert (file["target"], file["operations"]["a"]["path"]) == (TARGET, path)


@pytest.mark.parametrize("servers", ["[{url: /api/v3}]", "[]"])
def test_a_document_that_says_no_host_says_what_is_taken(servers: str, tmp_path: Path) -> None:
    outcome = import_text(openapi(PATHS, servers), tmp_path, "orders.yaml")
    assert any("is set to http://127.0.0.1:8080; --target URL names another" in note for note in outcome.notes)


def test_a_target_stands_in_for_the_server_of_requests(tmp_path: Path) -> None:
    import_text("curl http://shop.example/a\n", tmp_path, "commands", target=TARGET)
    assert service_file(tmp_path)["target"] == TARGET
    (tmp_path / "mine").rename(tmp_path / "first")
    with pytest.raises(ImportRefusedError, match="has a path"):
        import_text("curl http://shop.example/a\n", tmp_path, "commands", target=f"{TARGET}/b")


@pytest.mark.parametrize("target", ["127.0.0.1", "http://", "http://{host}/", "ftp://127.0.0.1"])
def test_a_target_that_is_no_url_is_refused(target: str, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="is not a"):
        import_text(wsdl(), tmp_path, "orders.wsdl", target=target)


def test_the_command_takes_a_target(tmp_path: Path) -> None:
    (tmp_path / "orders.wsdl").write_text(wsdl(address="REPLACE_ME"))
    ran = steelyard("import", "orders.wsdl", "--out", "mine", "--target", TARGET, folder=tmp_path)
    assert ran.code == 0 and service_file(tmp_path)["target"] == TARGET, ran.err
