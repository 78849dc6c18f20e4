"""Request files of other tools become a service folder; unsupported parts are listed, and no secret is written."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from answering import Reply, answering
from command import steelyard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_descriptions import SERVER, import_text, reasons, service_file
from steelyard.base.errors import ConfigurationError, ImportRefusedError
from steelyard.catalogue import entries
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.models.service import Expect
from steelyard.workload import load_target
from steelyard.workload.digest import with_digest
from steelyard.workload.importing.convert import convert_description
from steelyard.workload.importing.convert_requests import read_known_file
from steelyard.workload.importing.other_tools import READERS
from steelyard.workload.importing.other_tools.imported_requests import HeldRequest
from steelyard.workload.importing.other_tools.shell import commands_of
from steelyard.workload.importing.secrets import clean_request, names_secret

FILES = Path(__file__).parent / "foreign"
NAMES = ["commands.txt", "siege-urls.txt", "shop.har", "plan.jmx", "soapui-project.xml", "shop.postman.json"]
Seen = list[tuple[str, str, bytes, dict[str, str]]]


def imported(name: str, folder: Path, *servers: str) -> ImportOutput:
    return convert_description(str(FILES / name), folder / "mine", (), servers)


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("commands.txt", ["get-orders", "post-orders", "post-form", "delete-orders-7", "get-find", "head-root"]),
        ("siege-urls.txt", ["get-index.html", "post-orders", "post-orders-2"]),
        ("shop.har", ["get-orders", "post-login"]),
        ("plan.jmx", ["see-user", "order"]),
        ("soapui-project.xml", ["add-two", "see-sum"]),
        ("shop.postman.json", ["make-order", "see-order"]),
    ],
)
def test_a_file_becomes_a_folder_that_load_reads_whatever_its_name(
    name: str, operations: list[str], tmp_path: Path
) -> None:
    for companion in FILES.iterdir():
        shutil.copyfile(companion, tmp_path / companion.name)
    (tmp_path / name).rename(tmp_path / "renamed")
    outcome = convert_description(str(tmp_path / "renamed"), tmp_path / "mine", (), ())
    assert outcome.taken == operations and outcome.operations == len(operations) and outcome.samples_valid == 0
    service = entries.service_at(str(tmp_path / "mine")).model
    assert service.target == SERVER and list(service.operations) == operations
    assert all((tmp_path / "mine" / str(each.sample)).is_file() for each in service.operations.values())


@pytest.mark.parametrize("name", NAMES)
def test_no_secret_of_a_file_stands_in_the_folder_and_each_has_a_hole(name: str, tmp_path: Path) -> None:
    held = b"".join(path.read_bytes() for path in (FILES / name, FILES / "users.csv"))
    assert b"secret-of-" in held
    outcome = imported(name, tmp_path)
    for path in (tmp_path / "mine").rglob("*"):
        assert not path.is_file() or b"secret-of-" not in path.read_bytes(), path
    assert "secret-of-" not in outcome.model_dump_json()
    assert any(note.startswith("to fill: [data.secret_") for note in outcome.notes)
    with pytest.raises(ConfigurationError, match=r"nothing fills the placeholder \{\{secret_"):
        load_target.of_service(entries.service_at(str(tmp_path / "mine")), 1, Expect())


def test_who_asks_is_named_and_what_auth_cannot_say_goes_with_load(tmp_path: Path) -> None:
    outcome = imported("commands.txt", tmp_path)
    assert service_file(tmp_path)["secrets"] == {"auth_token": "env:MINE_TOKEN", "auth_password": "env:MINE_PASSWORD"}
    assert "to fill: MINE_TOKEN in the environment" in "\n".join(outcome.notes)
    assert "--secret-header 'X-Api-Key: env:X_API_KEY'" in reasons(outcome) and "header Cookie: cookies" in reasons(
        outcome
    )


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        *[
            (name, True)
            for name in ("password", "Password", "userPassword", "api_key", "X-Api-Key", "access_token", "sid")
        ],
        *[(name, True) for name in ("token", "clientSecret", "JSESSIONID", "new-password", "csrfToken")],
        *[(name, False) for name in ("page", "side", "pinned", "broken", "tokens", "design", "passenger", "keyboard")],
    ],
)
def test_names_of_secrets_are_told_from_others(name: str, secret: bool) -> None:
    assert names_secret(name) is secret


@pytest.mark.parametrize(
    ("body", "without"),
    [
        ("<a><password>old</password></a>", "<a><password>{{secret_password}}</password></a>"),
        ("<a><u:pin><![CDATA[1<2]]></u:pin><b>2</b></a>", "<a><u:pin><![CDATA[{{secret_pin}}]]></u:pin><b>2</b></a>"),
        (
            "<a><pin>\n<![CDATA[in <![CDATA[it]]></pin><b><![CDATA[2]]></b></a>",
            "<a><pin>\n<![CDATA[{{secret_pin}}]]></pin><b><![CDATA[2]]></b></a>",
        ),
        (
            "<pin><![CDATA[" * 50_000,
            "<pin><![CDATA[" * 50_000,
        ),  # of no length that an importer takes in does one take minutes
    ],
)
def test_secrets_in_xml_are_places_whether_text_or_character_data(body: str, without: str) -> None:
    assert clean_request(HeldRequest("line 1", "POST", "http://127.0.0.1/", body=body)).request.body == without


def test_what_is_not_taken_over_is_named_with_where_and_why(tmp_path: Path) -> None:
    expected = {
        "commands.txt": [
            "line 2: jq: only curl commands",
            "line 10: $(id) is expanded by a shell",
            "line 13: b cannot be read: No such file",
            "line 14: its option --no-such-thing",
            "line 16: its quote in line 16 does not end",
            "1 request to http://elsewhere.example:99: a service has one target; import it again with --port",
        ],
        "siege-urls.txt": [
            "line 7: ../../../../etc/hostname is outside",
            "line 8: no line above sets the variable NOWHERE",
            "line 9: 'SMASH' is not a method",
            "line 10: 'not' is not a URL",
        ],
        "shop.har": [
            "entry 4: it opens a WebSocket",
            "entry 5: its body has several parts, and the file does not hold them",
            "entry 6: its request is not an object",
        ],
        "plan.jmx": [
            "JSR223Sampler 'clean up': a script or a program; these are not run",
            "JSONPostProcessor 'take the cart' of sampler 'see user' in line 68: it has no path",
            "sampler 'see cart' in line 145: ${cart} is taken from an answer in a way that is not imported",
            "HTTPSamplerProxy 'off': it is disabled",
            "'no error' of sampler 'see user' in line 68: it forbids a text",
            "column password of users.csv: its values are secrets",
        ],
        "soapui-project.xml": [
            "step 'prepare' (groovy): a script; scripts are not run",
            "assertion 'GroovyScriptAssertion' of request 'add two' in line 31: a script; scripts are not run",
            "assertion 'Schema Compliance' of request 'add two' in line 31: import the WSDL",
            "${Source#id} is filled by a script",
        ],
        "shop.postman.json": [
            "1 statement in the test script of request 'make order': scripts are not run",
            "request 'later': Steelyard has no equivalent of {{$randomColor}}",
            "header Cookie: a cookie is a secret of its user",
            "1 request to https://elsewhere.example: a service has one target",
        ],
    }
    for name, sentences in expected.items():
        shutil.rmtree(tmp_path / "mine", ignore_errors=True)
        said = reasons(imported(name, tmp_path))
        assert [each for each in sentences if each not in said] == [], said
    assert not list(FILES.rglob("ran")), "no script was run"


def test_a_plans_data_rules_users_and_pauses_are_taken_over(tmp_path: Path) -> None:
    outcome = imported("plan.jmx", tmp_path)
    file = service_file(tmp_path)
    assert file["data"]["name"] == {"kind": "csv", "file": "data/users.csv"}
    assert file["data"]["random_1_9"] == {"kind": "uniform", "first": 1, "last": 9}
    assert (tmp_path / "mine" / "data" / "users.csv").read_text() == "id,name\n1,Ada & Co\n2,Bob\n3,Eve\n"
    user = file["operations"]["see-user"]
    assert user["path"] == "/users/{{id}}?part=a+b%26{{name}}" and user["headers"] == {"Accept": "application/json"}
    assert user["expect"] == {"status": [200], "contains": '"ok"', "matches": "[a-z]+", "jsonpath": ["$.ok"]}
    body = json.loads((tmp_path / "mine" / "samples" / "order.json").read_text().replace("{{random_1_9}}", "1"))
    assert body == {"id": "{{uuid}}", "user": "{{id}}", "password": "{{secret_password}}", "many": 1}
    notes = "\n".join(outcome.notes)
    assert "--users 8 --for 60s" in notes
    think = {"kind": "uniform", "ms": 300, "to_ms": 1000}
    assert file["sessions"]["Buyers"]["steps"] == [
        {"operation": "see-user", "think": think},
        {"operation": "order", "think": think},
        {"operation": "order", "name": "order-2", "think": think},
    ]


def test_a_projects_assertions_headers_and_load_tests_are_taken_over(tmp_path: Path) -> None:
    outcome = imported("soapui-project.xml", tmp_path)
    file = service_file(tmp_path)
    add = file["operations"]["add-two"]
    assert add["headers"] == {
        "X-Part": "7",
        "Content-Type": "text/xml; charset=utf-8",
        "SOAPAction": '"urn:calculator#Add"',
        "Authorization": "Basic {{base64('me:',auth_password)}}",
    }
    assert add["expect"]["fault"] == "absent" and add["expect"]["status"] == [200, 202]
    assert add["expect"]["xpath"] == ["//*[local-name()='AddResponse']/*[local-name()='sum']"]
    see = file["operations"]["see-sum"]
    assert (see["method"], see["path"], see["headers"]) == ("GET", "/api/sums/a%20b?full=yes", {"X-Trace": "1"})
    assert any("--users 5 --for 1800s --think 500ms..1000ms" in note for note in outcome.notes)


def test_a_project_without_tests_gives_the_requests_of_its_interfaces_that_are_filled_in(tmp_path: Path) -> None:
    text = (FILES / "soapui-project.xml").read_text()
    begin, end = text.index("  <con:testSuite"), text.index("  <con:properties>")
    with pytest.raises(ImportRefusedError, match=r"it contains \? in place of values"):
        import_text(text[:begin] + text[end:], tmp_path, "requests")
    assert import_text((text[:begin] + text[end:]).replace("<a>?</a>", "<a>1</a>"), tmp_path, "requests").taken == [
        "Add"
    ]


def test_a_har_keeps_statuses_and_forgets_what_a_browser_had_kept(tmp_path: Path) -> None:
    imported("shop.har", tmp_path)
    file = service_file(tmp_path)["operations"]
    assert file["get-orders"]["headers"] == {"Accept": "application/json"} and "expect" not in file["get-orders"]
    assert file["post-login"]["expect"] == {"status": [201]}
    assert (tmp_path / "mine" / "samples" / "post-login.form").read_text() == "user=a+b&password={{secret_password}}"


def test_a_body_of_siege_is_sent_as_its_files_name_says_and_that_is_said(tmp_path: Path) -> None:
    outcome = imported("siege-urls.txt", tmp_path)
    headers = {name: each.get("headers") for name, each in service_file(tmp_path)["operations"].items()}
    assert headers["post-orders"] == {"Content-Type": "application/x-www-form-urlencoded"}
    assert headers["post-orders-2"] == {"Content-Type": "application/json"}
    assert any(note.startswith("line 6: sent as application/json") for note in outcome.notes)


def test_another_server_is_taken_where_it_is_named(tmp_path: Path) -> None:
    assert imported("shop.har", tmp_path, "https://elsewhere.example").taken == ["get-count"]
    assert service_file(tmp_path)["target"] == "https://elsewhere.example"
    shutil.rmtree(tmp_path / "mine")
    with pytest.raises(ImportRefusedError, match="no request is addressed to"):
        imported("shop.har", tmp_path, "http://127.0.0.1:9")
    assert not (tmp_path / "mine").exists()


def test_data_fills_paths_as_urls_need_and_bodies_as_they_are(tmp_path: Path) -> None:
    imported("plan.jmx", tmp_path)
    service = tmp_path / "mine" / "service.toml"
    filled = '\n[data.secret_password]\nkind = "choice"\nvalues = ["p"]\n'
    # Without the session its requests are operations, whose places are filled before the run.
    service.write_text(service.read_text().partition("[sessions")[0] + filled)
    target = load_target.of_service(entries.service_at(str(tmp_path / "mine")), 1, Expect())
    assert list(target.operations["see-user"].paths) == [
        "/users/1?part=a+b%26Ada%20%26%20Co",
        "/users/2?part=a+b%26Bob",
        "/users/3?part=a+b%26Eve",
    ]
    assert target.operations["order"].paths == [] and len(target.operations["order"].bodies) == 3
    with pytest.raises(ConfigurationError, match="a digest covers the path"):
        with_digest(target, "me", "p")


# What a shell and curl make of these words, curl itself says: it asks the server below.
ASKED = [
    "curl -s URL/a",
    "curl -s 'URL/b?x=1&y=a%20b' -H 'X-One: 1' -H 'Accept: text/plain' -A tester -e http://from/",
    "curl -s URL/c -d a=1 -d 'b=2 3' --data-urlencode 'c=4&5' --data-urlencode '=6 7'",
    "curl -s URL/d -XPUT -H 'Content-Type: text/plain' --data-binary @FOLDER/two.txt",
    "curl -s URL/e -d @FOLDER/two.txt",
    "curl -s -G URL/f?z=0 -d a=1 --data-urlencode 'b=2 3'",
    "curl -s --json '{\"a\": 1}' URL/g",
    "curl -s $'URL/h?it\\x27s' --data-raw $'\\u00e9\\n\\'@'",
    'curl -s "URL/i" \\\n  -H "X-Quoted: a \\"b\\" \\$c" -H \'X-None;\' -H \'User-Agent:\'',
    "curl -sI URL/j",
    "curl -s -X DELETE URL/k --next -s URL/l",
    "curl -s URL/m URL/n -d x",
    "curl -s -d '' URL/o",
    "curl -s --data-urlencode 'user@host=5 6' --data-urlencode 'x@FOLDER/two.txt' URL/p",
    "curl -s --url-query 'q=b c&d' --url-query '+raw=x%20y' URL/q",
    "curl -s -b a=1 -b 'b=2; c=3' URL/r",
    "curl -s -b a=1 -H 'Cookie: z=9' URL/s",
    "curl -s -G -d x=1 'URL/t?'",
    "curl -s -G -d x=1 'URL/u?a=b&'",
    "curl -s -G --json '1' URL/v",
    "curl -s -A '' URL/w",
    "curl -s -r 0-5 URL/x",
    "curl -s -d $'\\xc3\\xa9\\303\\251 \\u00e9\\cA' URL/y",
    "curl -s -d a=1 URL/z -: URL/after",
    "curl -s --json @FOLDER/two.txt --json '{}' URL/files",
]


def test_what_is_taken_of_a_curl_command_is_what_curl_asks(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    (tmp_path / "two.txt").write_text("one\r\ntwo=2\n")
    with recording() as (url, seen):
        script = "\n".join(ASKED).replace("URL", url).replace("FOLDER/", "")
        # Only these words, which stand above, are run.
        subprocess.run(["bash", "-c", f"{script}\n"], cwd=tmp_path, check=True, capture_output=True, timeout=120)
    (tmp_path / "commands").write_text(script)
    known = read_known_file(str(tmp_path / "commands"))
    assert known is not None
    held = known.reader.read(known.content, tmp_path / "commands")
    assert [each.component for each in held.left] == []
    taken = [
        (
            each.method,
            each.url.removeprefix(url),
            each.body.encode(),
            {name.lower(): text for name, text in each.headers},
        )
        for each in held.requests
    ]
    # A space is written in one of two ways, by curl's version.
    sent = [(method, path.replace("%20", "+"), body.replace(b"%20", b"+")) for method, path, body, _ in seen]
    assert [(method, path.replace("%20", "+"), body) for method, path, body, _ in taken] == sent
    ours = ("host", "content-length")
    for (_, path, _, headers), (_, _, _, sent) in zip(taken, seen, strict=True):
        usual = {"accept": "*/*"} | {name: text for name, text in sent.items() if name == "user-agent"}
        assert usual | headers == {name: value for name, value in sent.items() if name not in ours}, path


def test_a_har_is_loaded_with_its_secrets_from_elsewhere(tmp_path: Path) -> None:
    with recording() as (url, seen):
        text = (FILES / "shop.har").read_text().replace(SERVER, url).replace('"status": 201', '"status": 200')
        (tmp_path / "shop.har").write_text(text)
        environment = {"STEELYARD_AWAKE": "no", "MINE_PASSWORD": "of-mine"}
        ran = steelyard("import", "shop.har", "--out", "mine", folder=tmp_path)
        assert ran.code == 0 and "note: to fill: MINE_PASSWORD" in ran.out, ran.err
        with (tmp_path / "mine" / "service.toml").open("a") as file:
            for hole in ("secret_session_id", "secret_password"):
                file.write(f'\n[data.{hole}]\nkind = "choice"\nvalues = ["{hole}-given"]\n')
        words = ["load", "./mine", "--users", "1", "--max-requests", "4", "--writes", "--json", "--out", "runs"]
        ran = steelyard(*words, folder=tmp_path, environment=environment)
    assert ran.out, ran.err
    loaded = json.loads(ran.out)
    # Four visits of two requests, after one of the verification.
    assert (loaded["completed"], loaded["failed"], loaded["sent"]) == (8, 0, len(seen)), loaded
    assert {(method, path, body) for method, path, body, _ in seen} == {
        ("GET", "/orders?page=1&session_id=secret_session_id-given", b""),
        ("POST", "/login", b"user=a+b&password=secret_password-given"),
    }
    assert {(method, headers.get("authorization")) for method, *_, headers in seen} == {
        ("GET", None),
        ("POST", "Basic bWU6b2YtbWluZQ=="),
    }


@contextmanager
def recording() -> Iterator[tuple[str, Seen]]:
    """A server's address, and what it is asked: method, path, body and header fields."""
    seen: Seen = []

    def answer(request: BaseHTTPRequestHandler, body: bytes) -> Reply:
        headers = {name.lower(): text for name, text in request.headers.items()}
        seen.append((request.command, request.path, body, headers))
        return 200, {}, b"ok"

    with answering(answer) as address:
        yield address, seen


BROKEN = {
    "cut.har": ((FILES / "shop.har").read_text()[:400], r"not well-formed JSON: .* in line \d+, column \d+"),
    "none.har": ('{"log": {"entries": 7}}', "no list of entries"),
    "empty.har": ('{"log": {"entries": []}}', "no request of"),
    "deep.har": ('{"log": ' + "[" * 200_000, "cannot be read as JSON|not well-formed"),
    "cut.jmx": ((FILES / "plan.jmx").read_text()[:2000], "not well-formed XML.*line"),
    "zero.jmx": ("<jmeterTestPlan>\n\0", "Invalid character: Char 0x0 out of allowed range ?, line 2"),
    "hollow.jmx": ("<jmeterTestPlan/>", "without a hashTree"),
    "entity.jmx": (
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><jmeterTestPlan>&x;</jmeterTestPlan>',
        "document type",
    ),
    "entity.xml": (
        '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<con:soapui-project xmlns:con="http://eviware.com/soapui/config">&b;</con:soapui-project>',
        "document type",
    ),
    "other.xml": ('<soapui-project xmlns="urn:else"/>', "the namespace of its root"),
    "latin.sh": ("curl http://127.0.0.1/\ncurl http://127.0.0.1/\udcff", "not UTF-8 text: see line 2"),
    "none.sh": ("curl --data x", "it has no URL"),
    "hosts.txt": ("http://[::1/x\nhttp://\n", "no request of .* line 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_a_sentence_that_says_where(name: str, tmp_path: Path) -> None:
    text, said = BROKEN[name]
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ImportRefusedError, match=said) as refused:
        convert_description(str(tmp_path / name), tmp_path / "mine", (), ())
    assert "\n" not in refused.value.message and len(refused.value.message) < 700
    assert sorted(path.name for path in tmp_path.iterdir()) == [name], "nothing is left"


def test_variables_that_multiply_end_soon(tmp_path: Path) -> None:
    text = (FILES / "plan.jmx").read_text()
    pair = (
        '<elementProp name="{0}" elementType="Argument"><stringProp name="Argument.name">{0}</stringProp>'
        '<stringProp name="Argument.value">{1}</stringProp></elementProp>'
    )
    chain = "".join(pair.format(f"v{n}", f"${{v{n + 1}}}" * 10) for n in range(18)) + pair.format("v18", "")
    grown = text.replace("</collectionProp>", f"{chain}</collectionProp>", 1).replace("/users/${id}", "/users/${v0}")
    for companion in ("users.csv",):
        shutil.copyfile(FILES / companion, tmp_path / companion)
    assert "its variables refer to each other endlessly" in reasons(import_text(grown, tmp_path, "requests"))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    name=st.sampled_from(NAMES),
    at=st.floats(0, 1),
    length=st.integers(0, 40),
    instead=st.sampled_from(["", "\0", "<", '"', "'", "{{", "${", "\\", "&", "]]>", "9" * 400, "\u2028", "[", "null"]),
)
def test_readers_take_broken_files_or_refuse_them_and_nothing_else(
    name: str, at: float, length: int, instead: str, tmp_path: Path
) -> None:
    text = (FILES / name).read_text()
    place = int(at * len(text))
    broken = (text[:place] + instead + text[place + length :]).encode()
    for reader in READERS:
        try:
            held = reader.read(broken, FILES / name)
        except ImportRefusedError as error:
            assert "\n" not in error.message.strip()
        else:
            assert all(each.component and each.why for each in held.left)
    shutil.rmtree(tmp_path / "mine", ignore_errors=True)
    (tmp_path / "broken").write_bytes(broken)
    try:
        convert_description(str(tmp_path / "broken"), tmp_path / "mine", (), ())
    except ImportRefusedError:
        assert not (tmp_path / "mine").exists()
    else:
        entries.service_at(str(tmp_path / "mine"))


@settings(max_examples=25, deadline=None)
@given(words=st.lists(st.text(st.sampled_from("ab \"'$`\\\n\t#;|&(){}<>!é^~*"), max_size=8), min_size=1, max_size=4))
def test_quoted_words_are_read_as_they_were(words: list[str]) -> None:
    (command,) = commands_of("x " + " ".join(map(shlex.quote, words)))
    assert [word.text for word in command.words[1:]] == words and not any(word.expanded for word in command.words)


def test_a_description_is_no_file_of_requests() -> None:
    wsdls = Path(__file__).parent / "wsdl"
    assert [path.name for path in wsdls.rglob("*") if path.is_file() and read_known_file(str(path)) is not None] == []
    assert read_known_file(urlsplit(SERVER).geturl()) is None


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("curl -b jar.txt URL/", "line 1: --cookie jar.txt: its cookies are in another file"),
        ("curl $'URL/\\xff'", "line 1: its quote in line 1 holds bytes that are not UTF-8 text"),
        ("curl $'URL/\\ud83d\\ude00'", "line 1: its quote in line 1 holds bytes that are not UTF-8 text"),
    ],
)
def test_a_part_of_a_command_that_a_sample_cannot_hold_is_named(command: str, why: str, tmp_path: Path) -> None:
    text = f"curl {SERVER}/fine\n{command}\n".replace("URL", SERVER)
    assert why.replace("line 1", "line 2") in reasons(import_text(text, tmp_path, "requests"))


def test_credentials_of_a_command_yield_to_its_own_header(tmp_path: Path) -> None:
    import_text(f"curl -u me:pw -H 'Authorization: Bearer abcdefghijkl' {SERVER}/\n", tmp_path, "requests")
    assert service_file(tmp_path)["auth"]["kind"] == "bearer"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_is_read_in_the_encodings_that_windows_saves(encoding: str, tmp_path: Path) -> None:
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
    (tmp_path / "commands").write_bytes((mark + f"curl {SERVER}/items -d 'name=é'\n").encode(encoding))
    outcome = convert_description(str(tmp_path / "commands"), tmp_path / "mine", (), ())
    sample = next((tmp_path / "mine" / "samples").iterdir())
    assert outcome.taken == ["post-items"] and sample.read_text(encoding="utf-8").strip() == "name=é"


def test_a_file_that_only_begins_as_utf_16_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "commands").write_bytes(f"\ufeffcurl {SERVER}/ ".encode("utf-16-le") + b"\x00")
    with pytest.raises(ImportRefusedError, match="begins as UTF-16 and is not"):
        convert_description(str(tmp_path / "commands"), tmp_path / "mine", (), ())


def test_headers_of_one_name_are_one_list(tmp_path: Path) -> None:
    import_text(f"curl -H 'X-Tag: a' -H 'Accept: text/plain' -H 'x-tag: b' {SERVER}/\n", tmp_path, "requests")
    (operation,) = service_file(tmp_path)["operations"].values()
    assert operation["headers"] == {"X-Tag": "a, b", "Accept": "text/plain"}
