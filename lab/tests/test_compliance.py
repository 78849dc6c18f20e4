"""Each assertion of the Basic Profiles is kept by one good description and broken by a small change of it, where it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import steelyard
from steelyard.base import paths
from steelyard.base.errors import ImportRefusedError
from steelyard.commands.import_ import say_compliance
from steelyard.models.outputs.own_service import ComplianceOutput
from steelyard.workload.importing.compliance.judging import ASSERTIONS, described_at, judge_compliance, judged_by

WSDL = Path(__file__).parent / "wsdl"
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
  xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:t="urn:types" xmlns:tns="urn:shop" xmlns:a="urn:abstract"
"""
ABSTRACT = (
    HEAD
    + """  targetNamespace="urn:abstract">
  <types>
    <xsd:schema targetNamespace="urn:types" elementFormDefault="qualified">
      <xsd:import namespace="urn:more" schemaLocation="more.xsd"/>
      <xsd:complexType name="Order"><xsd:sequence><xsd:element name="item" type="xsd:string"/></xsd:sequence></xsd:complexType>
      <xsd:complexType name="Large"><xsd:complexContent><xsd:extension base="t:Order"><xsd:attribute name="size" type="xsd:int"/>
      </xsd:extension></xsd:complexContent></xsd:complexType>
      <xsd:element name="order" type="t:Order"/>
      <xsd:element name="cancel" type="t:Order"/>
      <xsd:element name="ordered" type="xsd:int"/>
      <xsd:element name="refused" type="xsd:string"/>
      <xsd:element name="who" type="xsd:string"/>
    </xsd:schema>
  </types>
  <message name="Order"><part name="body" element="t:order"/></message>
  <message name="Cancel"><part name="body" element="t:cancel"/></message>
  <message name="Ordered"><part name="body" element="t:ordered"/></message>
  <message name="Who"><part name="who" element="t:who"/></message>
  <message name="Refused"><part name="fault" element="t:refused"/></message>
  <message name="Sum"><part name="x" type="xsd:int"/><part name="y" type="xsd:int"/></message>
  <message name="Summed"><part name="sum" type="xsd:int"/></message>
  <portType name="Shop">
    <operation name="order"><input message="a:Order"/><output message="a:Ordered"/><fault name="refused" message="a:Refused"/>
    </operation>
    <operation name="cancel"><input message="a:Cancel"/><output message="a:Ordered"/></operation>
  </portType>
  <portType name="Sums">
    <operation name="sum" parameterOrder="x y"><input message="a:Sum"/><output message="a:Summed"/></operation>
  </portType>
</definitions>
"""
)
MAIN = (
    HEAD
    + """  targetNamespace="urn:shop">
  <x:policy xmlns:x="urn:extension"/>
  <import namespace="urn:abstract" location="abstract.wsdl"/>
  <types/>
  <binding name="Shop" type="a:Shop">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="document"/>
    <operation name="order">
      <soap:operation soapAction="urn:order"/>
      <input>
        <soap:body use="literal"/>
        <soap:header message="a:Who" part="who" use="literal">
          <soap:headerfault message="a:Who" part="who" use="literal"/>
        </soap:header>
      </input>
      <output><soap:body use="literal" parts="body"/></output>
      <fault name="refused"><soap:fault name="refused" use="literal"/></fault>
    </operation>
    <operation name="cancel">
      <soap:operation soapAction="urn:cancel"/>
      <input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output>
    </operation>
  </binding>
  <binding name="Sums" type="a:Sums">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="rpc"/>
    <operation name="sum">
      <soap:operation soapAction=""/>
      <input>
        <soap:body use="literal" namespace="urn:sums"/>
        <soap:header message="a:Who" part="who" use="literal"/>
      </input>
      <output><soap:body use="literal" namespace="urn:sums"/></output>
    </operation>
  </binding>
  <service name="Shop">
    <port name="Shop" binding="tns:Shop"><soap:address location="http://127.0.0.1:8080/shop"/></port>
    <port name="Sums" binding="tns:Sums"><soap:address location="http://127.0.0.1:8080/sums"/></port>
  </service>
</definitions>
"""
)
MORE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" '
    'targetNamespace="urn:more"><xsd:element name="more" type="xsd:string"/></xsd:schema>\n'
)
GOOD = {"main.wsdl": MAIN, "abstract.wsdl": ABSTRACT, "more.xsd": MORE}
ARRAY = (
    '<xsd:import namespace="http://schemas.xmlsoap.org/soap/encoding/"/><xsd:complexType name="Many"><xsd:complexContent>'
    '<xsd:restriction base="enc:Array"><xsd:attribute ref="enc:arrayType"/></xsd:restriction></xsd:complexContent>'
    "</xsd:complexType>"
)
IMPORT = '<import namespace="urn:abstract" location="abstract.wsdl"/>'
HEADER = '<soap:header message="a:Who" part="who" use="literal"/>'
FAULT = '<soap:fault name="refused" use="literal"/>'
CANCEL = '<operation name="cancel"><input message="a:Cancel"/><output message="a:Ordered"/></operation>'
TRANSPORT = 'transport="http://schemas.xmlsoap.org/soap/http" style="document"'
MORE_IMPORT = '<xsd:import namespace="urn:more" schemaLocation="more.xsd"/>'
WHO = '<xsd:element name="cancel" type="t:Order"/>'
PART = '<part name="body" element="t:cancel"/>'
SUM = '<part name="sum" type="xsd:int"/>'
RPC_OUTPUT = '<output><soap:body use="literal" namespace="urn:sums"/>'
# By number: the file that is changed, what in it, and into what.
BROKEN: dict[str, tuple[str, str, str]] = {
    "R2028": ("main.wsdl", '<port name="Sums" binding', "<port binding"),
    "R2029": ("main.wsdl", '<soap:address location="http://127.0.0.1:8080/sums"/>', "<soap:address/>"),
    "R2001": ("main.wsdl", IMPORT, f'{IMPORT}<import namespace="urn:more" location="more.xsd"/>'),
    "R2002": ("main.wsdl", IMPORT, f'{IMPORT}<import namespace="urn:more" location="more.xsd"/>'),
    "R2003": ("main.wsdl", "<types/>", f"<types>{MORE_IMPORT}</types>"),
    "R2004": ("abstract.wsdl", MORE_IMPORT, '<xsd:import namespace="urn:shop" schemaLocation="main.wsdl"/>'),
    "R2005": ("main.wsdl", IMPORT, f'{IMPORT}<import namespace="urn:other" location="abstract.wsdl"/>'),
    "R2007": ("main.wsdl", IMPORT, f'{IMPORT}<import namespace="urn:other" location=""/>'),
    "R2803": ("main.wsdl", IMPORT, f'{IMPORT}<import namespace="other" location="abstract.wsdl"/>'),
    "R2010": ("more.xsd", 'encoding="UTF-8"', 'encoding="ISO-8859-1"'),
    "R2011": ("more.xsd", 'version="1.0"', 'version="1.1"'),
    "R4003": ("abstract.wsdl", 'encoding="UTF-8"', 'encoding="ISO-8859-15"'),
    "R4004": ("abstract.wsdl", 'version="1.0"', 'version="1.1"'),
    "R2022": ("main.wsdl", f"{IMPORT}\n  <types/>", f"<types/>\n  {IMPORT}"),
    "R2023": ("main.wsdl", "<types/>", '<message name="Empty"/><types/>'),
    "R2026": ("main.wsdl", "<x:policy", '<x:policy wsdl:required="true"'),
    "R2101": ("main.wsdl", 'binding="tns:Sums"', 'binding="t:Sums"'),
    "R2102": ("abstract.wsdl", MORE_IMPORT, '<xsd:element name="m" type="m:More" xmlns:m="urn:nowhere"/>'),
    "R2105": ("main.wsdl", "<types/>", '<types><xsd:schema><xsd:element name="bare"/></xsd:schema></types>'),
    "R2110": ("abstract.wsdl", MORE_IMPORT, ARRAY),
    "R2111": ("abstract.wsdl", 'name="size"', 'name="size" wsdl:arrayType="xsd:int[]"'),
    "R2112": ("abstract.wsdl", WHO, f'{WHO}<xsd:element name="ArrayOfNames" type="xsd:int"/>'),
    "R2801": ("abstract.wsdl", 'name="ordered" type="xsd:int"', 'name="ordered" type="xsd:integral"'),
    "R2201": ("main.wsdl", 'parts="body"', 'parts="body other"'),
    "R2210": ("abstract.wsdl", PART, f'{PART}<part name="b" element="t:who"/>'),
    "R2203": ("abstract.wsdl", '<part name="sum" type="xsd:int"/>', '<part name="sum" element="t:ordered"/>'),
    "R2204": ("abstract.wsdl", '<part name="body" element="t:cancel"/>', '<part name="body" type="t:Order"/>'),
    "R2205": ("abstract.wsdl", '<part name="who" element="t:who"/>', '<part name="who" type="xsd:string"/>'),
    "R2206": ("abstract.wsdl", 'element="t:cancel"', 'element="t:Order"'),
    "R2209": ("main.wsdl", 'parts="body"', 'parts=""'),
    "R2306": ("abstract.wsdl", 'element="t:cancel"', 'element="t:cancel" type="t:Order"'),
    "R2303": ("abstract.wsdl", CANCEL, '<operation name="cancel"><output message="a:Ordered"/></operation>'),
    "R2304": ("abstract.wsdl", CANCEL, CANCEL * 2),
    "R2305": ("abstract.wsdl", SUM, f'{SUM}<part name="z" type="xsd:int"/>'),
    "R2401": ("main.wsdl", f"<soap:binding {TRANSPORT}/>", ""),
    "R2701": ("main.wsdl", TRANSPORT, 'style="document"'),
    "R2702": ("main.wsdl", TRANSPORT, 'transport="http://schemas.xmlsoap.org/soap/smtp" style="document"'),
    "R2705": ("main.wsdl", 'soapAction="urn:cancel"', 'soapAction="urn:cancel" style="rpc"'),
    "R2706": ("main.wsdl", '<soap:body use="literal" parts="body"/>', '<soap:body use="encoded" parts="body"/>'),
    "R2710": ("abstract.wsdl", 'element="t:cancel"', 'element="t:order"'),
    "R2711": ("main.wsdl", "8080/sums", "8080/shop"),
    "R2716": (
        "main.wsdl",
        '<soap:body use="literal" parts="body"/>',
        '<soap:body use="literal" namespace="urn:shop"/>',
    ),
    "R2717": ("main.wsdl", RPC_OUTPUT, RPC_OUTPUT.replace("urn:", "")),
    "R2726": ("main.wsdl", HEADER, HEADER.replace("use=", 'namespace="urn:sums" use=')),
    "R2718": ("abstract.wsdl", CANCEL, ""),
    "R2740": ("main.wsdl", f'<fault name="refused">{FAULT}</fault>', ""),
    "R2720": ("main.wsdl", HEADER, HEADER.replace('part="who"', 'part="a who"')),
    "R2749": ("main.wsdl", HEADER, HEADER.replace("part=", 'parts="who" part=')),
    "R2721": ("main.wsdl", FAULT, '<soap:fault use="literal"/>'),
    "R2754": ("main.wsdl", FAULT, '<soap:fault name="denied" use="literal"/>'),
    "R2723": ("main.wsdl", FAULT, '<soap:fault name="refused" use="encoded"/>'),
}


# Its parts name elements of schemas that the schema in its types imports only by way of another.
KNOWN = {"soakit": {"R2102"}}


def changed(folder: Path, change: Callable[[str, str], str] = lambda _, text: text) -> str:
    """The place of the good description with a change of its files."""
    for name, text in GOOD.items():
        new = change(name, text)
        (folder / name).write_text(new, encoding="iso-8859-1" if "ISO-8859" in new else "utf-8")
    return str(folder / "main.wsdl")


def broken(output: ComplianceOutput, profile: str = "1.1") -> set[str]:
    return {each.number for each in output.assertions if each.verdict == "broken" and profile in each.profiles}


def test_one_good_description_breaks_nothing_and_every_assertion_applies_to_it(tmp_path: Path) -> None:
    output = judge_compliance(changed(tmp_path), ())
    told = {each.number: (each.verdict, each.breaks) for each in output.assertions if "1.1" in each.profiles}
    assert {number: verdict for number, verdict in told.items() if verdict[0] != "kept"} == {}
    assert output.conforms == ["1.1"] and output.documents == 3 and broken(output, "2.0") == {"R2401"}


def test_every_assertion_has_a_description_that_breaks_it() -> None:
    assert {assertion.number for assertion in ASSERTIONS} == BROKEN.keys() and len(BROKEN) >= 40


@pytest.mark.parametrize("number", BROKEN)
def test_a_small_change_breaks_an_assertion_where_it_says(number: str, tmp_path: Path) -> None:
    file, old, new = BROKEN[number]
    assert GOOD[file].count(old) == 1
    described = described_at(changed(tmp_path, lambda name, text: text.replace(old, new) if name == file else text), ())
    (asked,) = [each for each in ASSERTIONS if each.number == number and "1.1" in each.profiles]
    assertion = judged_by(asked, described)
    assert assertion.verdict == "broken" and assertion.broken == len(assertion.breaks)
    place, _, line = assertion.breaks[0].where.partition(", line ")
    lines = Path(place).read_text("latin-1").splitlines()
    assert Path(place).parent == tmp_path and 1 <= int(line) <= len(lines) and assertion.breaks[0].why


@pytest.mark.parametrize(("number", "kept"), [("R2711", ["1.1"]), ("R2716", [])])
def test_what_should_be_keeps_a_profile_and_what_must_be_does_not(number: str, kept: list[str], tmp_path: Path) -> None:
    file, old, new = BROKEN[number]
    place = changed(tmp_path, lambda name, text: text.replace(old, new) if name == file else text)
    output = judge_compliance(place, ())
    assert broken(output) == {number} and output.conforms == kept


def test_a_description_of_soap_1_2_keeps_profile_2_0_alone(tmp_path: Path) -> None:
    def of_soap_12(_: str, text: str) -> str:
        new = text.replace("http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/soap12/")
        return new.replace('soapAction="urn:order"', 'soapAction="urn:order" soapActionRequired="true"')

    output = judge_compliance(changed(tmp_path, of_soap_12), ())
    assert output.conforms == ["2.0"] and broken(output) == {"R2401"} and broken(output, "2.0") == set()


@pytest.mark.parametrize("path", sorted(paths.root().glob("services/*/contract/*.wsdl")), ids=lambda path: path.stem)
def test_the_halls_own_descriptions_keep_the_profile(path: Path) -> None:
    output = judge_compliance(str(path), ())
    known = KNOWN.get(path.stem, set())
    assert broken(output) == known and output.conforms == ([] if known else ["1.1"])


def test_what_the_command_prints_names_number_place_and_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    encoded = str(WSDL / "rpc-encoded.wsdl")
    ran = steelyard("import", encoded, "--compliance", "--json", folder=tmp_path)
    assert ran.code == 1 and "keeps neither Basic Profile 1.1 nor 2.0" in ran.err
    output = ComplianceOutput.model_validate_json(ran.out)
    assert output == judge_compliance(encoded, ()) and not output.conforms and list(tmp_path.glob("*.toml")) == []
    say_compliance(output)
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("R2706 broken: bodies, headers"))
    assert "rpc-encoded.wsdl, line " in lines[at + 1] and "its use is 'encoded'" in lines[at + 1]
    assert any(line.startswith("R2001 does not apply: ") for line in lines)
    assert lines[-1].startswith(
        f"{encoded} keeps neither Basic Profile 1.1 nor 2.0 in all that must be, of 52 assertions: "
    )
    assert steelyard("import", encoded, folder=tmp_path).code == 64
    assert steelyard("import", encoded, "--compliance", "--out", "x", folder=tmp_path).code == 64


def test_what_is_no_wsdl_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a/>")
    for place in (str(tmp_path / "a.xml"), str(Path(__file__).parent / "openapi" / "shop.yaml")):
        with pytest.raises(ImportRefusedError, match="is no WSDL"):
            judge_compliance(place, ())
