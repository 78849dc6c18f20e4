"""Forms of several parts are sent as curl sends them, however they were written down, and their secrets are never stored."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_descriptions import import_text, reasons, service_file
from steelyard.base.errors import ImportRefusedError
from steelyard.catalogue import entries
from steelyard.models.service import Expect
from steelyard.workload import load_target
from steelyard.workload.importing.other_tools.curl_commands import CurlCommands
from steelyard.workload.importing.other_tools.imported_requests import HeldRequest, ImportedRequests
from steelyard.workload.importing.other_tools.powershell import PowerShellCalls
from steelyard.workload.importing.path_ids import fold_ids
from steelyard.workload.importing.requests_folder import ImportedOperation
from steelyard.workload.importing.secrets import clean_request
from test_importing_requests import recording

FORMS = [
    "-F name=value -F 'empty='",
    "-F 'quoted=\"a;b \\\"c\\\"\"' -F 'spaced=  a b  ' -F 'odd\"name=x'",
    "-F 'data={\"a\":1};type=application/json' -F 'cut=a;unknown=b'",
    "-F file=@note.txt -F picture=@note.png -F other=@note.bin",
    "-F 'file=@note.txt;type=text/x-odd; charset=utf-8' -F 'renamed=@note.txt;filename=other.html'",
    "-F 'text=<note.txt' -F 'page=<note.html' -F 'named=x;filename=a.pdf'",
    "--form-string 'literal=@note.txt;type=text/html' -F x=1",
    "-F a=1 -H 'Content-Type: multipart/form-data' -X PUT",
    "-F 'lines=@lines.txt'",
]


def without_boundary(text: str, content_type: str) -> tuple[str, str]:
    boundary = content_type.partition("boundary=")[2]
    assert boundary and content_type.startswith("multipart/form-data")
    return text.replace(boundary, "BOUNDARY"), content_type.replace(boundary, "BOUNDARY")


@pytest.mark.parametrize("options", FORMS)
def test_a_form_of_curl_is_byte_for_byte_what_curl_sends_but_for_its_boundary(options: str, tmp_path: Path) -> None:
    for name in ("note.txt", "note.png", "note.bin", "note.html"):
        (tmp_path / name).write_text(f"this is {name}, über\n")
    (tmp_path / "lines.txt").write_bytes(b"one\r\ntwo\nthree")
    with recording() as (url, seen):
        command = f"curl {options} {url}/form"
        subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    held = CurlCommands().read(command.encode(), tmp_path / "commands")
    assert not held.left
    (method, _, body, headers), request = seen[0], held.requests[0]
    sent = {name.lower(): value for name, value in request.headers}
    assert request.method == method
    assert without_boundary(request.body, sent["content-type"]) == without_boundary(
        body.decode(), headers["content-type"]
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("-F a=1 -d b=2", "which curl refuses"),
        ("-F 'a=(;type=multipart/mixed' -F b=1 -F '=)'", "parts in a part"),
        ("-F 'a=@x.txt,y.txt'", "several files"),
        ("-F 'a=b;headers=\"X: y\"'", "has headers, which are not supported"),
        ("-F 'a=@-'", "the output of another command"),
        ("-F 'a=@../x.txt'", "outside the folder"),
        ("-F 'a=@none.txt'", "cannot be read"),
        ("-F name", "has no value"),
    ],
)
def test_a_form_that_a_sample_cannot_hold_is_left_out_with_the_reason(
    options: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ImportRefusedError, match=reason):
        import_text(f"curl {options} http://127.0.0.1/\n", tmp_path, "commands")


def har(posted: dict[str, Any]) -> str:
    request = {"method": "POST", "url": "http://127.0.0.1:8080/form", "headers": [], "postData": posted}
    return json.dumps({"log": {"entries": [{"request": request, "response": {"status": 200}}]}})


def test_a_form_of_a_har_is_taken_whole_or_made_of_its_parts(tmp_path: Path) -> None:
    body = '--b1\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b1--\r\n'
    import_text(har({"mimeType": "multipart/form-data; boundary=b1", "text": body}), tmp_path, "whole.har")
    assert (tmp_path / "mine" / "samples" / "post-form.multipart").read_bytes() == body.encode()
    (tmp_path / "mine").rename(tmp_path / "whole")
    params = [
        {"name": "a", "value": "1"},
        {"name": "f", "value": "x", "fileName": "n.txt", "contentType": "text/plain"},
    ]
    import_text(har({"mimeType": "multipart/form-data; boundary=b1", "params": params}), tmp_path, "parts.har")
    made = (tmp_path / "mine" / "samples" / "post-form.multipart").read_bytes().decode()
    kind = service_file(tmp_path)["operations"]["post-form"]["headers"]["Content-Type"]
    assert without_boundary(made, kind)[0] == (
        '--BOUNDARY\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--BOUNDARY\r\nContent-Disposition: form-data; '
        'name="f"; filename="n.txt"\r\nContent-Type: text/plain\r\n\r\nx\r\n--BOUNDARY--\r\n'
    )


@pytest.mark.parametrize("params", [[], [{"name": "f", "fileName": "n.png"}], ["x"], None])
def test_a_form_of_a_har_without_its_content_is_named(params: Any, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match=r"is not in the file|does not hold them"):
        import_text(har({"mimeType": "multipart/form-data", "params": params}), tmp_path, "parts.har")


def test_a_form_of_a_http_file_has_the_line_ends_of_http(tmp_path: Path) -> None:
    text = (
        "POST http://127.0.0.1:8080/form\nContent-Type: multipart/form-data; boundary=b1\n\n"
        '--b1\nContent-Disposition: form-data; name="a"\n\n1\n--b1--\n\n###\n'
        "POST http://127.0.0.1:8080/file\nContent-Type: multipart/form-data; boundary=b1\n\n"
        '--b1\nContent-Disposition: form-data; name="a"; filename="x"\n\n< x\n--b1--\n'
    )
    outcome = import_text(text, tmp_path, "form.http")
    sample = (tmp_path / "mine" / "samples" / "post-form.multipart").read_bytes()
    assert sample == b'--b1\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b1--\r\n'
    assert "which are not written whole" in reasons(outcome)


SECRET = "-----BEGIN KEY-----\nabc\n-----END KEY-----"


def test_secrets_in_parts_become_places(tmp_path: Path) -> None:
    command = (
        f"curl -F user=me -F password=opensesame -F 'private_key={SECRET}' -F 'more={{\"token\": \"opensesame\"}}' "
        "http://127.0.0.1:8080/login\n"
    )
    outcome = import_text(command, tmp_path, "commands")
    sample = (tmp_path / "mine" / "samples" / "post-login.multipart").read_text()
    assert "opensesame" not in sample and "BEGIN KEY" not in sample and "\n\nme\n" in sample
    assert re.findall(r"\{\{(\w+)\}\}", sample) == ["secret_password", "secret_private_key", "secret_token"]
    assert any("[data.secret_password]" in note for note in outcome.notes)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet='-b1\r\n;="namcotedispi{ :ortfC<', max_size=80))
def test_any_text_that_looks_like_parts_is_cleaned_or_kept(text: str) -> None:
    body = f'--b1\r\nContent-Disposition: form-data; name="pin"\r\n\r\n{text}'
    clean = clean_request(HeldRequest("line 1", "POST", "http://127.0.0.1/", body=body)).request.body
    assert clean.startswith('--b1\r\nContent-Disposition: form-data; name="pin"\r\n\r\n')


def test_data_in_a_url_encoded_form_is_written_as_a_form_needs(tmp_path: Path) -> None:
    import_text("curl -d 'user=me&password=opensesame' http://127.0.0.1:8080/login\n", tmp_path, "commands")
    with (tmp_path / "mine" / "service.toml").open("a") as file:
        file.write('\n[data.secret_password]\nkind = "choice"\nvalues = ["a&b=c d\\"ü"]\n')
    service = entries.service_at(str(tmp_path / "mine"))
    body = load_target.of_service(service, 1, Expect()).operations["post-login"].bodies[0]
    assert parse_qs(body.decode(), strict_parsing=True) == {"user": ["me"], "password": ['a&b=c d"ü']}


def items(*ids: object, path: str = "/shop/items/{}?full=1") -> str:
    return "".join(f"curl http://127.0.0.1:8080{path.format(each)}\n" for each in ids)


def test_requests_that_differ_in_an_id_are_one_operation_with_a_table(tmp_path: Path) -> None:
    outcome = import_text(items(*range(1, 1_201), 7) + items("all"), tmp_path, "commands")
    assert outcome.taken == ["get-shop-items-items_id", "get-shop-items-all"] and not outcome.left_out
    assert any("1,200 requests differ only in an id of their path" in note for note in outcome.notes)
    assert any("--mix get-shop-items-items_id=1201,get-shop-items-all=1" in note for note in outcome.notes)
    service = entries.service_at(str(tmp_path / "mine"))
    operation = load_target.of_service(service, 1, Expect()).operations["get-shop-items-items_id"]
    assert len(operation.paths) == 1_201 and operation.paths.count("/shop/items/7?full=1") == 2
    assert {*operation.paths} == {f"/shop/items/{number}?full=1" for number in range(1, 1_201)}


def test_ids_of_two_kinds_have_tables_of_their_own(tmp_path: Path) -> None:
    of_uuids = [f"0000000{number}-0000-4000-8000-000000000000" for number in range(5)]
    text = items(*of_uuids, path="/a/{}") + items(*range(5), path="/b/a/{}/parts") + items(*range(5), path="/{}")
    outcome = import_text(text, tmp_path, "commands")
    assert outcome.taken == ["get-a-a_id", "get-b-a-a_id_2-parts", "get-path_id"]
    assert (tmp_path / "mine" / "data" / "a_id.csv").read_text().split() == ["a_id", *of_uuids]


@pytest.mark.parametrize(
    "text",
    [
        items(1, 2, 3, 4),
        items("a1", "a2", "a3", "a4", "a5"),
        "".join(items(number, path=f"/users/{number}/orders/{{}}") for number in range(5)),
        "".join(f"curl -d size={number} http://127.0.0.1:8080/items/{number}\n" for number in range(5)),
    ],
)
def test_requests_that_are_few_or_differ_in_more_than_an_id_stay_as_they_are(text: str, tmp_path: Path) -> None:
    outcome = import_text(text, tmp_path, "commands")
    assert outcome.operations == len(text.splitlines()) and not any("differ only" in note for note in outcome.notes)


def asked(number: int, **expect: object) -> ImportedOperation:
    return ImportedOperation("", f"request {number}", "GET", f"/items/{number}", {}, "", expect, False)


def test_requests_whose_answers_had_other_statuses_are_not_one() -> None:
    held = ImportedRequests("a test")
    operations = [asked(number, status=[200], least=number) for number in range(6)]
    folded = fold_ids([*operations, asked(6, status=[404])], held)
    assert folded.keys() == {id(operation) for operation in operations}
    assert {operation.path for operation in folded.values()} == {"/items/{{items_id}}"}
    assert folded[id(operations[0])].expect == {"status": [200]} and "its rules least differ" in held.notes[0]
    assert held.files["items_id.csv"].split() == ["items_id", *"012345"]


def test_the_steps_of_a_session_keep_their_own_ids(tmp_path: Path) -> None:
    entry = {"request": {"method": "GET", "url": "http://127.0.0.1:8080/items/ID"}, "response": {"status": 200}}
    listed = [json.loads(json.dumps(entry).replace("ID", str(number))) for number in range(7)]
    outcome = import_text(json.dumps({"log": {"entries": listed}}), tmp_path, "seen.har")
    assert outcome.operations == 7 and not any("differ only" in note for note in outcome.notes)


def as_chromium_writes(text: str) -> str:
    """A string of PowerShell as the browser's developer tools write it."""
    quoted = re.sub(r"[`$\"]", r"`\g<0>", text)
    units = quoted.encode("utf-16-le", "surrogatepass")
    codes = [int.from_bytes(units[place : place + 2], "little") for place in range(0, len(units), 2)]
    return '"' + "".join(chr(code) if 0x20 <= code <= 0x7E else f"$([char]{code})" for code in codes) + '"'


COPIED = """$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0 (X11)"
$session.Cookies.Add((New-Object System.Net.Cookie("sid", "opensesame", "/", "127.0.0.1")))
Invoke-WebRequest -UseBasicParsing -Uri "http://127.0.0.1:8080/items?x=1" `
-Method "POST" `
-WebSession $session `
-Headers @{
"authority"="127.0.0.1:8080"
  "method"="POST"
  "path"="/items?x=1"
  "scheme"="http"
  "accept"="application/json, text/plain, */*"
  "sec-ch-ua"="`"Chromium`";v=`"124`""
  "x-odd"="`$1 `` ``"
} `
-ContentType "application/json" `
-Body ([System.Text.Encoding]::UTF8.GetBytes("{`"name`":`"$([char]252)$([char]55357)$([char]56832)`"}"));
Invoke-WebRequest -UseBasicParsing -Uri "http://127.0.0.1:8080/items/1"
$r = Invoke-RestMethod 'http://127.0.0.1:8080/it''s' -Method:Put -Body @{a = "b c"; 'd' = 1}
Invoke-WebRequest "http://127.0.0.1:8080/$id"
Write-Host "done"
Invoke-WebRequest "http://127.0.0.1:8080/x" -Form @{a = 1}
"""


def test_calls_of_powershell_are_requests_as_a_browser_sent_them(tmp_path: Path) -> None:
    outcome = import_text(COPIED, tmp_path, "copied.ps1")
    assert outcome.taken == ["post-items", "get-items-1", "put-it-s"]
    operations = service_file(tmp_path)["operations"]
    assert operations["post-items"]["headers"] == {
        "accept": "application/json, text/plain, */*",
        "x-odd": "$1 ` `",
        "User-Agent": "Mozilla/5.0 (X11)",
        "Content-Type": "application/json",
    }
    assert json.loads((tmp_path / "mine" / "samples" / "post-items.json").read_text()) == {"name": "ü😀"}
    assert (tmp_path / "mine" / "samples" / "put-it-s.txt").read_text() == "a=b+c&d=1"
    listed = reasons(outcome)
    assert "header Cookie: cookies are secrets" in listed and "$id is computed by PowerShell" in listed
    assert "Write-Host: only Invoke-WebRequest is imported" in listed and "a form of PowerShell" in listed
    assert "opensesame" not in outcome.model_dump_json()


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_any_text_that_a_browser_copies_for_powershell_reads_back(text: str) -> None:
    call = f'Invoke-WebRequest -Uri "http://127.0.0.1/" -Method "POST" -Body {as_chromium_writes(text)}\n'
    held = PowerShellCalls().read(call.encode(), Path("copied.ps1"))
    assert PowerShellCalls().recognizes(call) and not held.left and held.requests[0].body == text


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(alphabet="Invoke-WbRqust @{}()\"'`$;=\n#x1/:", max_size=80), st.integers(0, len(COPIED)))
def test_a_broken_script_is_read_or_named_and_never_more(text: str, place: int) -> None:
    held = PowerShellCalls().read((COPIED[:place] + text + COPIED[place:]).encode(), Path("copied.ps1"))
    assert all(left.why and "\n" not in left.component for left in held.left)
    assert all(request.url for request in held.requests)
    assert PowerShellCalls().read(b"Invoke-WebRequest " + b"(" * 50_000, Path("x")).left
