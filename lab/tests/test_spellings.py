"""Every spelling of a request means what the request means."""

import pytest
from steelyard.catalogue import entries
from steelyard.workload import exchanges
from steelyard.workload.soap.messages import SOAP_12, TypedMessages, content
from steelyard.workload.soap.spellings import all_spellings

WSTEST = entries.service("wstest")
MEANING = TypedMessages(WSTEST.folder / WSTEST.model.schema_file)
WRITTEN = exchanges.contract_exchanges(WSTEST)


@pytest.mark.parametrize(("name", "exchange"), WRITTEN, ids=[name for name, _ in WRITTEN])
def test_every_spelling_of_a_written_request_means_the_same(name: str, exchange: exchanges.Exchange) -> None:
    wanted = MEANING.typed_values(content(exchange.request))
    spelled = list(all_spellings(exchange.request))
    assert [one.name for one in spelled if MEANING.typed_values(content(one.body)) != wanted] == [], name


def test_the_spellings_differ_from_each_other_as_bytes() -> None:
    request = dict(WRITTEN)["echoStruct/three"].request
    bodies = [spelling.body for spelling in all_spellings(request)]
    assert len(set(bodies)) == len(bodies)
    assert len(bodies) >= 10


def test_utf_16_comes_with_its_byte_order_mark_and_charset() -> None:
    spelling = next(one for one in all_spellings(WRITTEN[0][1].request) if one.name == "UTF-16")
    assert spelling.body[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert spelling.content_type == "text/xml; charset=utf-16"
    spelling = next(one for one in all_spellings(WRITTEN[0][1].request, SOAP_12) if one.name == "UTF-16")
    assert spelling.content_type == 'application/soap+xml; charset=utf-16; action=""'


def test_a_type_named_in_an_attribute_keeps_its_namespace_whatever_the_prefixes_are() -> None:
    soakit = entries.service("soakit")
    meaning = TypedMessages(soakit.folder / soakit.model.schema_file)
    request = dict(exchanges.contract_exchanges(soakit))["tv-dinner/bare"].request
    assert "xsi:type=" in request
    wanted = meaning.typed_values(content(request))
    assert [one.name for one in all_spellings(request) if meaning.typed_values(content(one.body)) != wanted] == []


@pytest.mark.parametrize("name", ["tv-dinner/bare", "sushi-boats/attributes"])
def test_what_hangs_on_a_prefix_in_an_attribute_is_bound_on_the_envelope_alone_in_one_spelling(name: str) -> None:
    soakit = entries.service("soakit")
    spelled = {
        one.name: one.body.decode("utf-16" if one.name == "UTF-16" else "utf-8")
        for one in all_spellings(dict(exchanges.contract_exchanges(soakit))[name].request)
    }
    inside = {spelling: body.partition("Envelope")[2].partition(">")[2] for spelling, body in spelled.items()}
    assert "xmlns" not in inside.pop("prefixes on the envelope")
    assert [spelling for spelling, body in inside.items() if "xmlns" not in body] == []


def test_a_request_without_such_an_attribute_has_no_spelling_for_it() -> None:
    assert "prefixes on the envelope" not in [one.name for one in all_spellings(WRITTEN[0][1].request)]
