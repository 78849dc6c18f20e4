"""The subject of `steelyard try` from the command line, and the curl commands that it prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from command import steelyard
from steelyard.base.errors import ConfigurationError
from steelyard.base.http_client import Access
from steelyard.catalogue import entries
from steelyard.catalogue.tried import Tried, parse_subject_words
from steelyard.models.service import Exchange
from steelyard.workload import curl

URL = "http://127.0.0.1:25000/there"


def beside(wanted: Tried) -> dict[str, dict[str, str]]:
    return {part.server: part.factors for part in wanted.spec.companions}


def front(wanted: Tried) -> tuple[str, dict[str, str]]:
    (part,) = wanted.spec.parts
    return part.server, part.factors


def test_a_server_alone_runs_the_demonstrations_service() -> None:
    wanted = parse_subject_words("tomcat-metro@heap=512m", None)
    assert wanted.service.name == entries.study("demo").model.service
    assert front(wanted) == ("tomcat-metro", {"heap": "512m"}) and not beside(wanted)


def test_a_study_is_its_reference_with_all_that_stands_beside_it() -> None:
    study = entries.study("petstore").model
    reference = next(spec for spec in study.subjects if not isinstance(spec, str) and spec.label == study.reference)
    wanted = parse_subject_words("petstore", None)
    assert front(wanted) == ("wildfly", reference.parts[0].factors)
    assert beside(wanted) == {"greenmail": {}, "postgres": {"prepared_transactions": "100"}}
    assert wanted.service.name == "petstore"


def test_a_factor_chooses_among_a_studys_subjects_and_further_ones_are_laid_over_it() -> None:
    _, factors = front(parse_subject_words("petstore@variant=jms-original@mail=exim", None))
    assert factors["variant"] == "jms-original" and factors["heap"] == "500m" and factors["mail"] == "exim"
    assert "exim" in beside(parse_subject_words("petstore@mail=exim", None))


@pytest.mark.parametrize("server", ["wildfly", "tomcat-springws"])
def test_a_server_gets_beside_it_what_a_study_of_its_service_says(server: str) -> None:
    wanted = parse_subject_words(f"{server}@variant=web-service", "petstore")
    name, factors = front(wanted)
    assert name == server and factors["variant"] == "web-service" and factors["database"] == "postgresql"
    assert factors.get("profile") == ("standalone-full" if server == "wildfly" else None)
    assert set(beside(wanted)) == {"greenmail", "postgres"}


def test_a_service_that_needs_nothing_more_is_as_its_server_is() -> None:
    assert front(parse_subject_words("tomcat-metro", "soaservers")) == ("tomcat-metro", {})
    assert set(beside(parse_subject_words("tomcat-cxf", "flight"))) == {"h2"}


@pytest.mark.parametrize(
    ("words", "service", "said"),
    [
        ("petstroe", None, "there is no server or study 'petstroe'; did you mean 'petstore'?"),
        ("petstore", "wstest", "there is no server 'petstore'"),
        ("go", "wstset", "there is no service 'wstset'; did you mean 'wstest'?"),
        ("gsoap", "petstore", "gsoap cannot serve petstore, which has no implementation 'gsoap'"),
        ("h2", "wstest", "h2 is a companion and has no service of its own"),
        (
            "petstore@variant=none",
            None,
            "factor variant may be jms-original, jms-modified, web-service, ws-at, outbox, not 'none'",
        ),
        ("petstore@variant=web-service@variant=web-service", None, "is not of the form SERVER@FACTOR=VALUE"),
        ("petstore@database=h2", None, "database=h2 does not fit the companions of the study petstore"),
        (
            "wildfly@database=h2",
            "petstore",
            "database=h2 does not fit the companions of the study petstore",
        ),
    ],
)
def test_what_cannot_be_tried_is_said_in_a_sentence_before_anything_is_fetched(
    words: str, service: str | None, said: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse_subject_words(words, service)
    assert said in refused.value.message and "\n" not in refused.value.message


def test_the_command_line_says_it_in_one_line_and_a_hint(tmp_path: Path) -> None:
    ran = steelyard("try", "petstroe", folder=tmp_path)
    assert ran.code == 64 and ran.out == ""
    assert [line.split(":")[0] for line in ran.err.splitlines()] == ["error", "hint"]
    assert steelyard("try", "go", "--for", "30", folder=tmp_path).code == 64


@pytest.mark.parametrize("name", ["wstest", "petstore", "soakit"])
def test_each_operation_has_a_command_unless_it_goes_on_with_a_visit(name: str, tmp_path: Path) -> None:
    service = entries.service(name)
    asked = curl.commands(service, URL, tmp_path, access=Access({"Steelyard-Busy-Us": "5"}), deviations=())
    assert [each.operation for each in asked] == list(service.model.operations)
    later = [each.operation for each in asked if each.command is None]
    assert later == (["checkout", "signin", "order"] if name == "petstore" else [])
    for each in asked:
        words = shlex.split(each.command or "")
        if each.command is None:
            continue
        assert words[0] == "curl" and words[-1].startswith("http://127.0.0.1:25000/")
        assert "Steelyard-Busy-Us: 5" in words
        file = next((word.removeprefix("@") for word in words if word.startswith("@")), None)
        if each.body is None:
            assert file is None and not any(word.startswith("Content-Type") for word in words)
        else:
            assert file is not None and Path(file).read_text() == each.body


def test_an_exchange_that_a_product_answers_otherwise_is_not_shown(tmp_path: Path) -> None:
    service = entries.service("wstest")

    def order(*deviations: str) -> str | None:
        asked = curl.commands(service, URL, tmp_path, access=Access(), deviations=deviations)
        return next(each.body for each in asked if each.operation == "getOrder")

    usual = order()
    names = [
        f"getOrder/{path.name.removesuffix('.request.xml')}"
        for path in (service.folder / "contract/exchanges/getOrder").glob("*.request.xml")
        if path.read_text() == usual
    ]
    assert usual is not None and names and order(*names) not in (usual, None)


def test_a_method_of_its_own_and_a_path_with_a_query_are_in_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = entries.service("wstest")
    path = "/there?a=1&b='2'"
    own = [
        Exchange(operation=operation, method="PUT", path=path, headers={"X": "y z"}, request="b", answer="")
        for operation in service.model.operations
    ]
    monkeypatch.setattr(
        "steelyard.workload.exchanges.contract_exchanges", lambda _: [("own", exchange) for exchange in own]
    )
    words = shlex.split(curl.commands(service, URL, tmp_path, access=Access(), deviations=())[0].command or "")
    assert words[2:4] == ["-X", "PUT"] and "X: y z" in words and words[-1] == "http://127.0.0.1:25000/there?a=1&b='2'"
