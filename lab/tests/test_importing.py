"""A WSDL becomes a folder whose samples are all valid; hostile or impossible input is reported, and nothing else is opened."""

from __future__ import annotations

import json
import signal
import time
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import xmlschema
from answering import Reply, answering
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from steelyard.base.errors import ImportRefusedError
from steelyard.catalogue import entries
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.workload.importing import documents, wsdl
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.importing.new_folder import folder_at
from steelyard.workload.importing.values import UnmetError, text_for

WSDLS = Path(__file__).parent / "wsdl"
SOAP = {"soap": "http://schemas.xmlsoap.org/soap/envelope/", "soap12": "http://www.w3.org/2003/05/soap-envelope"}
XSD = "http://www.w3.org/2001/XMLSchema"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
BILLION = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">{}]>'.format(
    "".join(f'<!ENTITY {n} "{"&a;" * 10}">' for n in "bcdefgh")
)


def imported(name: str, folder: Path, **options: Any) -> ImportOutput:
    return convert_description(str(WSDLS / name), folder / "mine", options.get("also", ()), options.get("ports", ()))


def body_of(folder: Path, operation: str) -> etree._Element:
    root = etree.parse(folder / "mine" / "samples" / f"{operation}.xml").getroot()
    (body,) = root.findall("soap:Body", SOAP) or root.findall("soap12:Body", SOAP)
    return body


def valid(folder: Path, operation: str) -> bool:
    """Judged anew, by the files that were written."""
    schema = xmlschema.XMLSchema(str(folder / "mine" / "contract" / "schema.xsd"), allow="local")
    (content,) = body_of(folder, operation)
    for element in content:
        if element.get(f"{{{XSI}}}type", "").startswith(
            ("xsd:", "n2:Days")
        ):  # as declared, which an encoded request says again
            del element.attrib[f"{{{XSI}}}type"]
    declared = schema.maps.elements[content.tag]
    return bool(declared.is_valid(etree.fromstring(etree.tostring(content))))


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("types.wsdl", ["everything"]),
        ("rpc-literal.wsdl", ["shift", "ping"]),
        ("rpc-encoded.wsdl", ["ForecastByDay"]),
        ("ports.wsdl", ["Add", "Add.Soap12"]),
        ("attachments.wsdl", ["find"]),
        ("unmet.wsdl", ["good"]),
        ("imports/main.wsdl", ["getOrder", "createOrder"]),
    ],
)
def test_every_operation_that_is_taken_over_has_a_valid_sample(
    name: str, operations: list[str], tmp_path: Path
) -> None:
    found = imported(name, tmp_path)
    assert found.taken == operations and found.operations == found.samples_valid == len(operations)
    assert all(valid(tmp_path, operation) for operation in operations)
    service = entries.service_at(str(tmp_path / "mine"))
    assert list(service.model.operations) == operations and service.model.target == "http://127.0.0.1:8080"
    assert all((service.folder / str(one.sample)).is_file() for one in service.model.operations.values())


def test_the_services_own_wsdl_has_five_operations(tmp_path: Path) -> None:
    contract = entries.service("wstest").folder / "contract" / "wstest.wsdl"
    found = convert_description(str(contract), tmp_path / "mine", (), ())
    assert (found.operations, found.samples_valid, found.left_out, found.changing) == (5, 5, [], [])


def test_what_is_not_taken_over_is_named_with_its_reason(tmp_path: Path) -> None:
    left = {one.what: one.why for one in imported("attachments.wsdl", tmp_path).left_out}
    assert "MIME" in left["operation attach of port P"] and "MTOM" in left["port Mtom"]
    assert "2 parts" in left["operation typed of port P"]


def test_what_cannot_be_met_is_said_per_type_and_never_sent(tmp_path: Path) -> None:
    left = {one.what: one.why for one in imported("unmet.wsdl", tmp_path).left_out}
    assert "type Never" in left["operation never"] and "[a-z]{3}" in left["operation never"]
    assert "type Endless" in left["operation endless"] and "5000 elements" in left["operation wide"]
    assert sorted(path.name for path in (tmp_path / "mine" / "samples").iterdir()) == ["good.xml"]


def test_recursion_ends_choices_are_taken_and_abstract_types_have_a_concrete_one(tmp_path: Path) -> None:
    imported("types.wsdl", tmp_path)
    (root,) = body_of(tmp_path, "everything")
    n = "{urn:example:types}"
    tree = root.find(f"{n}tree")
    assert tree is not None and tree.find(f"{n}left") is None
    assert tree.find(f"{n}right").get(f"{{{XSI}}}nil") == "true"  # type: ignore[union-attr]
    assert root.find(f"{n}shape").get(f"{{{XSI}}}type") == "n1:Circle"  # type: ignore[union-attr]
    assert root.find(f"{n}dog") is not None and root.find(f"{n}mail") is not None and root.find(f"{n}phone") is None
    assert root.find(f"{n}note") is not None and len(root.findall(f"{n}pair")) == 2


def test_an_encoded_request_says_each_values_type_and_its_arrays_members(tmp_path: Path) -> None:
    imported("rpc-encoded.wsdl", tmp_path)
    (root,) = body_of(tmp_path, "ForecastByDay")
    assert root.get(f"{{{SOAP['soap']}}}encodingStyle") == "http://schemas.xmlsoap.org/soap/encoding/"
    assert [child.get(f"{{{XSI}}}type") for child in root][:4] == [
        "xsd:decimal",
        "xsd:decimal",
        "xsd:date",
        "xsd:integer",
    ]
    known = root.find("known")
    assert known is not None and known.get("{http://schemas.xmlsoap.org/soap/encoding/}arrayType") == "n2:Day[1]"
    assert [child.tag for child in known] == ["item"] and known.get("href") is None


def test_each_port_has_its_version_headers_and_addressing(tmp_path: Path) -> None:
    imported("ports.wsdl", tmp_path)
    described = tomllib.loads((tmp_path / "mine" / "service.toml").read_text())["operations"]
    assert described["Add"]["headers"]["SOAPAction"] == '"urn:example:ports#Add"'
    assert described["Add.Soap12"]["headers"] == {
        "Content-Type": 'application/soap+xml; charset=utf-8; action="urn:example:ports#Add"'
    }
    assert described["Add.Soap12"]["path"] == "/ports12"
    text = (tmp_path / "mine" / "samples" / "Add.Soap12.xml").read_text()
    assert "urn:example:ports:T:AddRequest" in text and "urn:uuid:{{uuid}}" in text
    assert "session" in (tmp_path / "mine" / "samples" / "Add.xml").read_text()


def test_a_name_that_changes_something_is_marked(tmp_path: Path) -> None:
    assert imported("imports/main.wsdl", tmp_path).changing == ["createOrder"]


def test_a_message_as_papers_print_it_is_refused_for_both_reasons(tmp_path: Path) -> None:
    ran = steelyard("import", str(WSDLS / "message-as-printed.xml"), "--out", "mine", folder=tmp_path)
    assert ran.code != 0 and not (tmp_path / "mine").exists()
    assert (
        "not well-formed" in ran.err
        and "<startDate> has the type xsd:date and the invalid value '2026-05-11T12:00'" in ran.err
    )


def minimal(schema: str, before: str = "") -> str:
    text = (WSDLS / "unmet.wsdl").read_text().partition("?>")[2]
    head, _, rest = text.partition("<types>")
    _, _, tail = rest.partition("</types>")
    return f"{before}{head}<types>{schema}</types>{tail}"


SPACE = 'targetNamespace="urn:example:unmet"'
ITSELF = '<xs:simpleType name="A"><xs:restriction base="tns:A"/></xs:simpleType>'
BACKTRACKS = (
    '<xs:simpleType name="A"><xs:restriction base="xs:string"><xs:minLength value="40"/><xs:pattern value="(a+)+b"/>'
    '<xs:maxLength value="39"/></xs:restriction></xs:simpleType><xs:element name="good" type="tns:A"/>'
)


def importing(location: str) -> str:
    return minimal(f'<xs:schema><xs:import namespace="u" schemaLocation="{location}"/></xs:schema>')


HOSTILE = {
    "entities.wsdl": (BILLION + "<d>&h;</d>", "document type"),
    "attribute.wsdl": (BILLION + '<d a="&h;"/>', "XML|document type"),
    "outside.wsdl": ('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>', "document type"),
    "deep.wsdl": ("<a>" * 100_000 + "</a>" * 100_000, "well-formed|deep"),
    "binary.wsdl": ("\0\1\2", "is of no kind that is read"),
    "empty.wsdl": ("", "is empty"),
    "page.wsdl": ("<html><body/></html>", "is a page in HTML"),
    "other.wsdl": ("<service/>", "is not a WSDL"),
    "two.wsdl": ('<description xmlns="http://www.w3.org/ns/wsdl"/>', "2.0"),
    "file.wsdl": (importing("file:///etc/passwd"), "imports"),
    "above.wsdl": (importing("../../../etc/passwd"), "outside its own folder"),
    "remote.wsdl": (importing("http://192.0.2.1/x.xsd"), "was not named"),
    "loop.wsdl": (minimal(f"<xs:schema {SPACE}>{ITSELF}</xs:schema>"), "not declared"),
    "backtracks.wsdl": (minimal(f"<xs:schema {SPACE}>{BACKTRACKS}</xs:schema>"), "not valid|imported"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_description_is_refused_in_words_and_in_time(name: str, tmp_path: Path) -> None:
    text, reason = HOSTILE[name]
    (tmp_path / name).write_text(text)
    begun = time.process_time()
    with pytest.raises(ImportRefusedError, match=reason):
        convert_description(str(tmp_path / name), tmp_path / "mine", (), ())
    assert time.process_time() - begun < 30, "of processor time, whatever else the machine does"
    assert sorted(path.name for path in tmp_path.iterdir()) == [name], "nothing is left"


GOOD = '<xs:element name="good" type="xs:string"/>'


def test_schemas_that_import_each_other_in_a_circle_are_read_once_each(tmp_path: Path) -> None:
    schema = f'<xs:schema {SPACE}><xs:include schemaLocation="a.xsd"/>{GOOD}</xs:schema>'
    (tmp_path / "circle.wsdl").write_text(minimal(schema))
    space = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" {SPACE}>'
    for name, others in {"a": "ab", "b": "ab"}.items():
        includes = "".join(f'<xs:include schemaLocation="./{other}.xsd"/>' for other in others)
        (tmp_path / f"{name}.xsd").write_text(f"{space}{includes}</xs:schema>")
    read = documents.read_all(str(tmp_path / "circle.wsdl"))
    assert [Path(document.place).name for document in read] == ["circle.wsdl", "a.xsd", "b.xsd"]


@pytest.mark.parametrize(
    ("bound", "least", "reason"),
    [
        ("MOST_BYTES", 4000, "is larger than|could not be read"),
        ("MOST_DOCUMENTS", 3, "imports more than"),
        ("MOST_BYTES_TOGETHER", 3000, "imports more than"),
    ],
)
def test_what_is_huge_is_refused_from_files_and_from_servers(
    bound: str, least: int, reason: str, server: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds themselves are made small: documents of as many MiB would say nothing more."""
    monkeypatch.setattr(documents, bound, least)
    url, _ = server
    large = "types.wsdl" if bound == "MOST_BYTES" else "imports/main.wsdl"
    assert bound != "MOST_BYTES" or (WSDLS / large).stat().st_size > least
    for place in (str(WSDLS / large), f"{url}/{large}"):
        with pytest.raises(ImportRefusedError, match=reason):
            documents.read_all(place)


def test_nothing_in_a_description_makes_anything_ask_a_server(server: tuple[str, list[str]], tmp_path: Path) -> None:
    """Hints at schemas, style sheets, parts to include, what stands under a namespace that is known: none of it is asked for."""
    url, asked = server
    known = "http://www.w3.org/XML/1998/namespace"
    schema = (
        f'<xs:schema {SPACE} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x {url}/hint.xsd" '
        f'xsi:noNamespaceSchemaLocation="{url}/none.xsd"><xs:import namespace="{known}" schemaLocation="{url}/xml.xsd"/>'
        f'<xs:annotation><xs:appinfo><i:include xmlns:i="http://www.w3.org/2001/XInclude" href="{url}/part.xml"/></xs:appinfo>'
        f"</xs:annotation>{GOOD}{GOOD.replace('good', 'answer')}</xs:schema>"
    )
    style = f'<?xml-stylesheet type="text/xsl" href="{url}/style.xsl"?>'
    (tmp_path / "hints.wsdl").write_text(minimal(schema, before=style))
    outcome = convert_description(str(tmp_path / "hints.wsdl"), tmp_path / "mine", (), ())
    assert outcome.samples_valid > 0 and asked == []


def test_a_link_that_leads_to_itself_is_no_defect_of_the_import(tmp_path: Path) -> None:
    from steelyard.workload.importing import bounded

    (tmp_path / "plan.jmx").symlink_to("plan.jmx")
    with pytest.raises(ImportRefusedError, match="is a symbolic link that leads to itself"):
        bounded.convert_in_bounds(str(tmp_path / "plan.jmx"), tmp_path / "mine", (), ())


def test_what_takes_too_much_memory_or_time_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from steelyard.workload.importing import bounded

    text = minimal(
        "".join(
            f'<xs:schema targetNamespace="urn:{n}">{"<xs:element name=" + chr(34) + "e" + chr(34) + "/>"}</xs:schema>'
            for n in range(50)
        )
    )
    (tmp_path / "wide.wsdl").write_text(text)
    monkeypatch.setattr(bounded, "_WALL_SECONDS", 0.05)
    with pytest.raises(ImportRefusedError, match="not read within"):
        bounded.convert_in_bounds(str(tmp_path / "wide.wsdl"), tmp_path / "mine", (), ())
    assert not (tmp_path / "mine").exists()


def test_an_import_that_is_ended_while_it_writes_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steelyard.workload.importing import bounded

    slow, user = tmp_path / "slow", tmp_path / "user"
    slow.mkdir()
    user.mkdir()
    (slow / "sitecustomize.py").write_text(
        "import pathlib, tempfile, time\n"
        "mkdtemp = tempfile.mkdtemp\n"
        "def slow(*words, **options):\n"
        "    made = mkdtemp(*words, **options)\n"
        f"    pathlib.Path({str(slow / 'begun')!r}).touch()\n"
        "    time.sleep(60)\n"
        "    return made\n"
        "tempfile.mkdtemp = slow\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(slow), prepend=":")
    monkeypatch.setattr(bounded, "_WALL_SECONDS", 4)
    with pytest.raises(ImportRefusedError, match="not read within"):
        bounded.convert_in_bounds(str(WSDLS / "types.wsdl"), user / "mine", (), ())
    assert (slow / "begun").exists() and list(user.iterdir()) == []


@pytest.mark.parametrize("when", ["in it", "at its end"])
def test_ctrl_c_leaves_a_folder_whole_or_not_at_all(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename

    def interrupted(self: Path, to: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), folder_at(tmp_path / "mine") as made:
        (made / "service.toml").touch()
        if when == "in it":
            signal.raise_signal(signal.SIGINT)
    assert [path.name for path in tmp_path.rglob("*")] == ([] if when == "in it" else ["mine", "service.toml"])


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """Serves the test's WSDLs, and keeps what it was asked for."""
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler, _: bytes) -> Reply:
        asked.append(request.path)
        if request.path == "/elsewhere":
            return 302, {"Location": "/types.wsdl"}, b""
        path = WSDLS / request.path.partition("?")[0].lstrip("/")
        return (200, {}, path.read_bytes()) if path.is_file() else (404, {}, b"")

    with answering(answer) as address:
        yield address, asked


def test_a_description_is_read_from_its_server_each_document_once(
    server: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, asked = server
    found = convert_description(f"{url}/imports/main.wsdl?wsdl", tmp_path / "mine", (), ())
    assert found.operations == 2 and found.documents == 5
    assert sorted(path.rpartition("/")[2] for path in asked) == [
        "abstract.wsdl",
        "lines.xsd",
        "main.wsdl",
        "main.wsdl?wsdl",
        "orders.xsd",
        "parties.xsd",
    ]
    assert any("gives http://127.0.0.1:8080 as the service's address" in note for note in found.notes)


def test_redirects_and_missing_documents_are_refused(server: tuple[str, list[str]], tmp_path: Path) -> None:
    url, asked = server
    for path, reason in (("elsewhere", "302"), ("nothing.wsdl", "404")):
        with pytest.raises(ImportRefusedError, match=reason):
            convert_description(f"{url}/{path}", tmp_path / "mine", (), ())
    assert asked == ["/elsewhere", "/nothing.wsdl"]


def test_another_server_is_asked_only_where_it_was_named(server: tuple[str, list[str]], tmp_path: Path) -> None:
    url, asked = server
    schema = f'<xs:schema><xs:import namespace="urn:example:parties" schemaLocation="{url}/imports/parties.xsd"/></xs:schema>'
    (tmp_path / "far.wsdl").write_text(minimal(schema))
    with pytest.raises(ImportRefusedError, match="no request was sent"):
        documents.read_all(str(tmp_path / "far.wsdl"))
    assert asked == []
    assert len(documents.read_all(str(tmp_path / "far.wsdl"), [url])) > 1 and asked


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").write_text("mine")
    with pytest.raises(ImportRefusedError, match="not empty"):
        imported("types.wsdl", tmp_path)
    assert (tmp_path / "mine" / "precious").read_text() == "mine"


def test_the_command_says_what_it_took_over_as_json_and_in_words(tmp_path: Path) -> None:
    said = steelyard("import", str(WSDLS / "ports.wsdl"), "--out", "mine", folder=tmp_path)
    assert said.code == 0 and "not imported: port Get" in said.out and "next:" in said.out
    ran = steelyard(
        "import", str(WSDLS / "ports.wsdl"), "--out", "other", "--port", "Soap12", "--json", folder=tmp_path
    )
    assert json.loads(ran.out)["taken"] == ["Add"]
    assert steelyard("import", str(WSDLS / "ports.wsdl"), "--out", "third", "--port", "Nope", folder=tmp_path).code != 0


def schema_of(facets: str, base: str) -> Any:
    text = f'<xs:schema xmlns:xs="{XSD}"><xs:simpleType name="T"><xs:restriction base="xs:{base}">{facets}'
    return xmlschema.XMLSchema(f"{text}</xs:restriction></xs:simpleType></xs:schema>").types["T"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(least=st.integers(-(10**6), 10**6), width=st.integers(0, 1000), digits=st.integers(0, 3))
def test_a_number_between_any_two_bounds_is_found(least: int, width: int, digits: int) -> None:
    kind = schema_of(
        f'<xs:minInclusive value="{least}"/><xs:maxInclusive value="{least + width}"/><xs:fractionDigits value="{digits}"/>',
        "decimal",
    )
    assert kind.is_valid(text_for(kind))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    least=st.integers(0, 300),
    more=st.integers(0, 50),
    base=st.sampled_from(["string", "token", "NMTOKEN", "hexBinary", "base64Binary"]),
)
def test_a_text_of_any_length_is_found(least: int, more: int, base: str) -> None:
    kind = schema_of(f'<xs:minLength value="{max(1, least)}"/><xs:maxLength value="{max(1, least) + more}"/>', base)
    assert kind.is_valid(text_for(kind))


@pytest.mark.parametrize(
    "pattern",
    [r"[A-Z]{3}\d{2}", r"\p{Lu}\i\c*", r"(a|b)?c+", r"[\w-[\d]]{4}", r"\+\d{1,3} \d{4,10}", r".{5}", r"\$x\^"],
)
def test_a_pattern_is_met(pattern: str) -> None:
    kind = schema_of(f'<xs:pattern value="{pattern}"/>', "string")
    assert kind.is_valid(text_for(kind))


def test_a_type_that_nothing_meets_says_what_it_asks_for() -> None:
    with pytest.raises(UnmetError, match="pattern x"):
        text_for(schema_of('<xs:pattern value="x"/><xs:minLength value="2"/>', "string"))


def test_overloaded_operations_have_names_of_their_own() -> None:
    found = wsdl.read_wsdl(documents.read_all(str(WSDLS / "ports.wsdl")))
    assert len({one.name for one in found.operations}) == len(found.operations) == 3
