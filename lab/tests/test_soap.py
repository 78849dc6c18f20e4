"""SOAP answers are compared by meaning, and parsed as untrusted input."""

import pytest
from steelyard.base.errors import ContractError
from steelyard.catalogue import entries
from steelyard.workload.soap import messages

WSTEST = entries.service("wstest")
XSI = "http://www.w3.org/2001/XMLSchema-instance"
MEANING = messages.TypedMessages(WSTEST.folder / WSTEST.model.schema_file)


def answer(inside: str) -> str:
    return f'<e:Envelope xmlns:e="{messages.SOAP_11.envelope}"><e:Body>{inside}</e:Body></e:Envelope>'


def struct(number: str = "7", real: str = "1.5", text: str = "x") -> str:
    return answer(
        f'<echoStructResponse xmlns="urn:steelyard:wstest"><return><varInt>{number}</varInt><varFloat>{real}</varFloat>'
        f"<varString>{text}</varString></return></echoStructResponse>"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (struct(number="7"), struct(number=" +07 ")),
        (struct(real="1.5"), struct(real="15E-1")),
        (struct(real="3.4028235E38"), struct(real="3.4028234663852886E+38")),
        (struct(real="NaN"), struct(real="NaN")),
        (struct(text="a&amp;b"), struct(text="a<![CDATA[&]]>b")),
    ],
)
def test_values_that_mean_the_same_are_no_difference(one: str, other: str) -> None:
    assert MEANING.difference(one, other) is None


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (struct(number="8"), "varInt is 8"),
        (struct(real="1.25"), "varFloat is 1.25"),
        (struct(text="y"), "varString is 'y'"),
        (struct(text="x "), "varString is 'x '"),
        (struct(number="seven"), "breaks the schema"),
        (answer('<echoVoidResponse xmlns="urn:steelyard:wstest"/>'), "the answer is a"),
        (answer("<e:Fault><faultcode>x</faultcode><faultstring>no room</faultstring></e:Fault>"), "no room"),
        (answer(""), "contains 0 elements"),
        ("<html/>", "not a SOAP 1.1 envelope"),
        ("ouch", "not XML"),
    ],
)
def test_a_difference_is_said_in_a_sentence(got: str, said: str) -> None:
    difference = MEANING.difference(got, struct())
    assert difference is not None
    assert said in difference


def test_what_was_expected_before_is_not_read_again_and_judges_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = [messages.TypedMessages(WSTEST.folder / WSTEST.model.schema_file) for _ in range(2)]
    assert fresh[0].difference(struct(number="41"), struct(number="41")) is None
    read: list[object] = []
    monkeypatch.setattr(
        fresh[1],
        "typed_values",
        lambda element: read.append(element) or messages.TypedMessages.typed_values(MEANING, element),
    )
    assert fresh[1].difference(struct(number="41"), struct(number="41")) is None and read == []
    assert "varInt is 42" in (fresh[1].difference(struct(number="42"), struct(number="41")) or "") and len(read) == 1


def test_what_is_kept_of_expected_answers_is_bounded() -> None:
    before = MEANING.difference(struct(text="first"), struct(text="first"))
    for letter in "abc":
        assert MEANING.difference(struct(text=letter * 900_000), struct(text=letter * 900_000)) is before is None
    assert sum(len(text) for _, _, text in messages._known) <= 2_000_000
    assert MEANING.difference(struct(text="first"), struct(text="first")) is None


def test_what_breaks_the_schema_is_no_right_answer_though_it_is_the_one_expected() -> None:
    assert "breaks the schema" in (MEANING.difference(struct(number="seven"), struct(number="seven")) or "")


@pytest.mark.parametrize(
    ("got", "wanted", "same"),
    [
        ("<a><b>x</b></a>", "<a><b>x</b></a>", True),
        ("<a xmlns='u'><b>x</b></a>", "<n:a xmlns:n='u'><n:b>x</n:b></n:a>", True),
        ("<a> <b>x</b>\n</a>", "<a><b>x</b></a>", True),
        ("<a>x<b/></a>", "<a><b/></a>", False),
        ("<a> </a>", "<a/>", False),
        ("<a><b/><b/></a>", "<a><b><b/></b></a>", False),
        ("<a><b>x</b></a>", "<a><b>x</b><b>x</b></a>", False),
        ("<a><b>x</b></a>", "<a><b>x </b></a>", False),
        ("<a><b/>x</a>", "<a><b/></a>", False),
        ("<a c='1'/>", "<a c='2'/>", False),
        (f"<a xmlns:i='{XSI}' xmlns:p='u' i:type='p:t'/>", f"<a xmlns:i='{XSI}' xmlns:p='v' i:type='p:t'/>", False),
    ],
)
def test_elements_are_the_same_where_nothing_but_prefixes_and_blanks_between_them_differ(
    got: str, wanted: str, same: bool
) -> None:
    assert messages._is_same(messages.parse(got), messages.parse(wanted)) == same


def test_an_expected_fault_is_right_and_an_answer_in_its_place_is_not() -> None:
    fault = answer("<e:Fault><faultcode>x</faultcode><faultstring>no room</faultstring></e:Fault>")
    assert MEANING.difference(fault, fault) is None
    assert "fault is expected" in (MEANING.difference(struct(), fault) or "")


def test_a_document_type_is_refused_and_no_file_is_read() -> None:
    hostile = '<!DOCTYPE e [<!ENTITY x SYSTEM "file:///etc/passwd">]><e>&x;</e>'
    with pytest.raises(ContractError):
        messages.parse(hostile)


def test_the_other_version_has_its_own_envelope_and_its_faults_their_own_words() -> None:
    in_12 = [text.replace(messages.SOAP_11.envelope, messages.SOAP_12.envelope) for text in (struct(), struct("8"))]
    meaning = messages.TypedMessages(WSTEST.folder / WSTEST.model.schema_file, version=messages.SOAP_12)
    assert meaning.difference(in_12[0], in_12[0]) is None
    assert "varInt is 8" in (meaning.difference(in_12[1], in_12[0]) or "")
    assert "is not a SOAP 1.2 envelope" in (meaning.difference(struct(), in_12[0]) or "")
    assert "is not a SOAP 1.1 envelope" in (MEANING.difference(in_12[0], struct()) or "")
    reason = "<e:Code><e:Value>e:Sender</e:Value></e:Code><e:Reason><e:Text xml:lang='en'>no room</e:Text></e:Reason>"
    fault = answer(f"<e:Fault>{reason}</e:Fault>").replace(messages.SOAP_11.envelope, messages.SOAP_12.envelope)
    assert meaning.difference(fault, in_12[0]) == "a SOAP fault came: no room"
    assert meaning.difference(fault, fault) is None
