"""A WAR, an executable jar or a command line becomes a service by its OpenAPI document; after an error nothing is left."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest
from command import Ran, steelyard
from steelyard.base import paths
from steelyard.catalogue import entries, own_subjects
from steelyard.catalogue.usual import resolve_operation
from steelyard.models.outputs.own_service import AddOutput
from steelyard.models.service import Expect
from steelyard.workload import load_target

DOCUMENT = Path(__file__).parent / "openapi" / "shop.yaml"  # whose server has the path /api/v1
SCHEMA = json.loads((paths.root() / "contracts" / "add-output.schema.json").read_text())
MANIFEST = "Manifest-Version: 1.0\r\nMain-Class: shop.Main\r\n"


def jar(folder: Path, manifest: str | None = MANIFEST) -> Path:
    made = folder / "shop.jar"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("shop/Main.class", b"\xca\xfe")
        if manifest is not None:
            archive.writestr("META-INF/MANIFEST.MF", manifest)
    return made


def war(folder: Path) -> Path:
    made = folder / "shop.war"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("WEB-INF/classes/a/B.class", b"\xca\xfe")
        archive.writestr("WEB-INF/jboss-web.xml", "<jboss-web><context-root>/elsewhere</context-root></jboss-web>")
    return made


def add(folder: Path, *words: str) -> Ran:
    (folder / "house").mkdir(exist_ok=True)
    environment = {"STEELYARD_PATH": str(folder / "house")}
    return steelyard("add", *words, "--name", "mine", folder=folder, environment=environment)


def added(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> AddOutput:
    """What `add` says of a program; its house is in reach afterwards."""
    ran = add(folder, *words, "--openapi", str(DOCUMENT), "--json")
    assert ran.code == 0, ran.err
    jsonschema.validate(json.loads(ran.out), SCHEMA)
    monkeypatch.setenv("STEELYARD_PATH", str(folder / "house"))
    return AddOutput.model_validate_json(ran.out)


def request_paths() -> dict[str, str]:
    """The paths of the requests that are sent to the service, by operation."""
    target = load_target.of_service(entries.service("mine"), 1, Expect())
    return {name: operation.path.partition("?")[0] for name, operation in target.operations.items()}


def test_a_jar_is_a_service_for_every_server_of_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = added(tmp_path, monkeypatch, str(jar(tmp_path)))
    assert (outcome.kind, outcome.operations) == ("jar", ["getOrder", "deleteOrder", "createOrder"])
    assert outcome.changing == ["deleteOrder", "createOrder"]
    of_jars = {name for name in entries.server_files() if entries.server(name).model.implementation == "jar"}
    assert set(outcome.servers) == of_jars != set()
    service = entries.service("mine")
    assert (service.folder / "jar" / "given.jar").read_bytes() == (tmp_path / "shop.jar").read_bytes(), "as it is"
    assert service.model.start is None and service.model.is_own
    assert request_paths()["getOrder"] == "/api/v1/orders/5"
    assert not any("`target`" in note for note in outcome.notes)


def test_a_comparison_takes_an_operation_that_changes_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added(tmp_path, monkeypatch, str(jar(tmp_path)))
    text = (entries.service("mine").folder / "service.toml").read_text()
    assert resolve_operation("mine", None) == "getOrder"
    file = entries.service("mine").file
    file.write_text(text.replace("changes_data = false", "changes_data = true"))
    assert resolve_operation("mine", None) == "getOrder", "where all change data, the first"


def test_a_jar_has_its_arguments_and_the_files_of_its_class_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a b.jar").write_bytes(b"library")
    given = jar(tmp_path, MANIFEST + "Class-Path: lib/a%20\r\n b.jar lib/none.jar\r\n\r\nName: x\r\nMain-Class: no\r\n")
    added(tmp_path, monkeypatch, f"java -jar {given} --port {{port}} 'two words'")
    folder = entries.service("mine").folder / "jar"
    assert (folder / "lib" / "a b.jar").read_bytes() == b"library"
    assert (folder / "arguments").read_text().splitlines() == ["--port", "{port}", "two words"]


def test_a_war_answers_below_its_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = added(tmp_path, monkeypatch, str(war(tmp_path)), "--path", "/rest/")
    assert (outcome.kind, outcome.path, entries.service("mine").model.path) == ("war", "/mine/rest", "/mine/rest")
    assert request_paths()["getOrder"] == "/mine/rest/orders/5"
    assert (entries.service("mine").folder / "java" / "given.war").is_file()
    assert [note for note in outcome.notes if "sets the context /elsewhere" in note]
    assert not any("sun-jaxws" in note for note in outcome.notes), "it is no SOAP service"


def test_a_command_line_is_a_folder_that_can_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = added(tmp_path, monkeypatch, f"{sys.executable} serve.py 'a b' --port {{port}}")
    assert (outcome.kind, outcome.servers) == ("command", [])
    server = own_subjects.started_server(entries.service("mine"))
    assert server is not None and server.port is None, "it gets a port of its own"
    assert server.start[-6:] == [str(tmp_path), sys.executable, "serve.py", "a b", "--port", "{port}"]
    assert own_subjects.is_own(outcome.folder)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (None, "shop.jar is not executable: it has no manifest"),
        ("Manifest-Version: 1.0\n", "its manifest has no Main-Class"),
        (MANIFEST + "Class-Path: ../other.jar\n", "names ../other.jar, which is outside of its folder"),
        (MANIFEST + "Class-Path: file:///etc/passwd\n", "which is outside of its folder"),
    ],
)
def test_a_jar_that_cannot_be_started_elsewhere_is_refused(tmp_path: Path, manifest: str | None, said: str) -> None:
    ran = add(tmp_path, str(jar(tmp_path, manifest)), "--openapi", str(DOCUMENT))
    assert ran.code == 1 and said in ran.err, ran.err
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shop.jar"], "add needs --wsdl or --openapi"),
        (["shop.jar", "--openapi", str(DOCUMENT), "--wsdl", "x.wsdl"], "exclude each other"),
        (["none.jar", "--openapi", str(DOCUMENT)], "the jar none.jar cannot be read"),
        (["none.war", "--openapi", str(DOCUMENT)], "the WAR none.war cannot be read"),
        (["none-such serve", "--openapi", str(DOCUMENT)], "'none-such' was not found on PATH"),
        (["'open quote", "--openapi", str(DOCUMENT)], "is not a command line"),
        (["shop.jar", "--openapi", "nowhere.yaml"], "nowhere.yaml"),
        (["shop.jar", "--openapi", str(DOCUMENT), "--path", "api"], "--path must begin with /"),
        (["shop.jar", "--openapi", str(DOCUMENT), "--port", "x"], "--port chooses a port of a WSDL"),
        (["shop.jar", "--openapi", str(DOCUMENT.parent.parent / "wsdl" / "ports.wsdl")], "is not an OpenAPI document"),
    ],
)
def test_what_cannot_be_added_is_named_and_leaves_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    jar(tmp_path)
    ran = add(tmp_path, *words)
    assert ran.code != 0 and said in ran.err, ran.err
    assert_nothing_left(tmp_path)


def test_a_command_line_needs_a_name(tmp_path: Path) -> None:
    words = ("add", f"{sys.executable} serve.py", "--openapi", str(DOCUMENT))
    ran = steelyard(*words, folder=tmp_path, environment={"STEELYARD_PATH": str(tmp_path)})
    assert ran.code == 64 and "a command line has no name of its own" in ran.err


def test_what_has_no_contract_is_not_checked_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added(tmp_path, monkeypatch, str(jar(tmp_path)))
    ran = steelyard("servers", "check", "go", "--service", "mine", folder=tmp_path)
    assert ran.code == 64 and "mine has sample requests and no contract to check" in ran.err


def assert_nothing_left(folder: Path) -> None:
    services = folder / "house" / "services"
    assert not services.exists() or list(services.iterdir()) == []
