"""A WAR and its WSDL become a service in the user's folder; after an error nothing is left."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import jsonschema
import pytest
from command import Ran, steelyard
from steelyard.base import paths
from steelyard.catalogue import entries
from steelyard.workload import exchanges, refusals
from steelyard.workload.body_formats import meaning_of

WSDLS = Path(__file__).parent / "wsdl"
SCHEMA = json.loads((paths.root() / "contracts" / "add-output.schema.json").read_text())
METRO = '<endpoints xmlns="http://java.sun.com/xml/ns/jax-ws/ri/runtime" version="2.0">{}</endpoints>'
ENDPOINT = '<endpoint name="{0}" implementation="a.B" url-pattern="/{0}"/>'
ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{}</s:Body></s:Envelope>'


def war(folder: Path, **members: str) -> Path:
    """A WAR with these files of its WEB-INF, `sun_jaxws` for sun-jaxws.xml."""
    made = folder / "shop.war"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("WEB-INF/classes/a/B.class", b"\xca\xfe")
        for name, text in members.items():
            archive.writestr(f"WEB-INF/{name.replace('_', '-')}.xml", text)
    return made


def add(folder: Path, *words: str) -> Ran:
    (folder / "house").mkdir(exist_ok=True)
    return steelyard("add", *words, folder=folder, environment={"STEELYARD_PATH": str(folder / "house")})


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What `add` says of a WAR with one endpoint; its house is in reach afterwards."""
    ran = add(
        tmp_path,
        str(war(tmp_path, sun_jaxws=METRO.format(ENDPOINT.format("Sums")))),
        *("--wsdl", str(WSDLS / "ports.wsdl"), "--port", "Soap11", "--name", "mine", "--json"),
    )
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    jsonschema.validate(outcome, SCHEMA)
    monkeypatch.setenv("STEELYARD_PATH", str(tmp_path / "house"))
    return dict(outcome)


def test_a_war_is_a_service_that_every_jakarta_server_can_run(added: dict[str, object], tmp_path: Path) -> None:
    service = entries.service("mine")
    assert (added["path"], service.model.path) == ("/mine/Sums", "/mine/Sums")
    assert service.model.target is None and service.model.not_judged.keys() >= {"the values of answers"}
    given = service.folder / "java" / "given.war"
    assert given.read_bytes() == (tmp_path / "shop.war").read_bytes(), "taken as it is"
    servers = {name for name in entries.server_files() if entries.server(name).model.implementation == "java"}
    licensed = {name for name in servers if entries.server(name).model.licence is not None}
    assert set(added["servers"]) == servers - licensed  # type: ignore[call-overload]
    for operation in service.model.operations:
        made = list(exchanges.generate_exchanges(service, operation, seed=1, count=5, parameters={}))
        assert len(made) == 5 and {exchange.operation for exchange in made} == {operation}
    assert refusals.bad_requests(service, tmp_path / "secret") == []


@pytest.mark.usefixtures("added")
def test_an_answer_is_right_that_is_the_operations_and_keeps_the_schema() -> None:
    service = entries.service("mine")
    meaning = meaning_of(service)
    operation, model = next(iter(service.model.operations.items()))
    space = 'xmlns="urn:example:ports"'
    right = ENVELOPE.format(f"<{model.answer_element} {space}><sum>2</sum></{model.answer_element}>").encode()
    assert meaning.difference(right, "", operation) is None
    for wrong, said in (
        (right.replace(b"<sum>2</sum>", b"<sum>two</sum>"), "breaks the schema"),
        (ENVELOPE.format(f"<Other {space}/>").encode(), "expected"),
        (ENVELOPE.format("<s:Fault><faultstring>no</faultstring></s:Fault>").encode(), "a SOAP fault came: no"),
        (b"<html/>", "not a SOAP 1.1 envelope"),
    ):
        assert said in (meaning.difference(wrong, "", operation) or ""), wrong
    # Where somebody wrote down the right values, they count.
    assert meaning.difference(right.replace(b">2<", b">3<"), right.decode(), operation) is not None


@pytest.mark.usefixtures("added")
def test_a_written_answer_beside_a_sample_is_expected() -> None:
    service = entries.service("mine")
    (name, exchange), *_ = exchanges.contract_exchanges(service)
    assert exchange.answer == ""
    sample = next((service.folder / "contract" / "exchanges").glob("*/sample.request.xml"))
    sample.with_name("sample.answer.xml").write_text("<right/>")
    assert "<right/>" in [each.answer for _, each in exchanges.contract_exchanges(service)], name


def test_what_moves_or_hides_an_endpoint_is_noted(tmp_path: Path) -> None:
    given = war(tmp_path, jboss_web="<jboss-web><context-root>/elsewhere</context-root></jboss-web>")
    ran = add(tmp_path, str(given), "--wsdl", str(WSDLS / "ports.wsdl"), "--port", "Soap11")
    assert ran.code == 0, ran.err
    assert "WEB-INF/jboss-web.xml sets the context /elsewhere" in ran.out
    assert "it has no WEB-INF/sun-jaxws.xml" in ran.out


@pytest.mark.parametrize(
    ("members", "words", "said"),
    [
        ({}, ["--path", "Orders"], "must begin with /"),
        ({"sun_jaxws": "<endpoints"}, [], "is not XML"),
        (
            {"sun_jaxws": METRO.format(ENDPOINT.format("A") + ENDPOINT.format("B"))},
            [],
            "has several endpoints (/A, /B)",
        ),
        ({}, ["--name", "wstest"], "the service 'wstest' exists already"),
        ({}, ["--port", "Nowhere"], "no port 'Nowhere'"),
    ],
)
def test_what_cannot_be_added_is_said_and_leaves_nothing(
    members: dict[str, str], words: list[str], said: str, tmp_path: Path
) -> None:
    port = [] if "--port" in words else ["--port", "Soap11"]
    ran = add(tmp_path, str(war(tmp_path, **members)), "--wsdl", str(WSDLS / "ports.wsdl"), *port, *words)
    assert ran.code != 0 and said in ran.err, ran.err
    services = tmp_path / "house" / "services"
    assert not services.exists() or list(services.iterdir()) == []


@pytest.mark.parametrize("content", [b"no archive", b""], ids=["text", "empty"])
def test_what_is_no_war_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "no.war").write_bytes(content)
    ran = add(tmp_path, "no.war", "--wsdl", str(WSDLS / "ports.wsdl"))
    assert ran.code != 0 and "cannot be read" in ran.err
    with zipfile.ZipFile(tmp_path / "plain.war", "w") as archive:
        archive.writestr("index.html", "")
    ran = add(tmp_path, "plain.war", "--wsdl", str(WSDLS / "ports.wsdl"))
    assert ran.code != 0 and "it has no WEB-INF" in ran.err
