"""Commands of curl in the ways in which people write them are what curl itself sends, or are named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from command import steelyard
from small_descriptions import SERVER, import_text, reasons, service_file
from steelyard.workload.importing.convert_requests import content_of, read_known_file
from test_importing_requests import recording

COMMANDS = [
    "curl -s URL?x=1",
    "curl -s 'URL/a/../b/./c/..?x=../y'",
    "curl -s URL/a/.. URL/..",
    "curl -s --path-as-is URL/a/../b",
    "curl -s 'URL/{one}/\\[1\\]?x=\\{y\\}'",
    "curl -s -g 'URL/{one}?x[]=1'",
    "curl -s -G URL/a -d b=1 --url-query c=2",
    "curl -s URL/a --data-binary @marked.txt",
    "curl -s URL/a -d @marked.txt --data-urlencode text@marked.txt",
    "curl -s URL/a -F 'text=<marked.txt' -F file=@marked.txt -H 'Content-Type: multipart/form-data'",
    "curl -s URL/a --request-target /other?x=1",
    "curl -s --no-location --no-buffer --tlsv1.1 --remote-time URL/a",
    'curl -s -d @- URL/a <<EOF\n{"a": "it\'s",\n  "b": 1}\nEOF\ncurl -s URL/b',
    "curl -s --data-binary @- URL/a <<'END' | cat\n$HOME `date`\n\\n\nEND",
    'curl -s --json @- URL/a <<-EOF\n\t{"price": "\\$5"}\n\tEOF',
    "curl -s -d @- URL/a <<< '{\"a\": 1}'",
    "echo '{\"a\": 1}' | curl -s -H 'Content-Type: application/json' -d @- URL/a",
    "echo -n a b | curl -s --data-binary @- URL/a 2>&1",
    "cat <<EOF |\nfrom cat\nEOF\ncurl -s --data-binary @- URL/a",
    'curl -s -g \'URL/a?filter={"a":[1],"b":"<c>"}\'',
    'curl -s URL/a --data-raw "a\\"b\\`c\\\\d" > /dev/null',
    "curl -s 'URL/a' -H $'X-Tab: a\\tb' -H \"X-Quote: it's\"",
    "curl -sSLk --compressed --http1.1 -m 5 -o /dev/null URL/a",
    "curl -s -X PUT URL/a -H 'Content-Type: application/merge-patch+json' -d '{}'",
    "curl -s URL/a -H 'Accept:' -H 'X-Empty;'",
    "curl -s --url URL/a -d '' -X DELETE",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_byte_for_byte_what_curl_sends(command: str, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    (tmp_path / "marked.txt").write_bytes("\ufeffone\r\ntwo é\n".encode())
    with recording() as (url, seen):
        text = command.replace("URL", url)
        subprocess.run(["bash", "-c", text], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    (tmp_path / "commands").write_text(f"{text}\n")
    known = read_known_file(str(tmp_path / "commands"))
    assert known is not None
    held = known.reader.read(known.content, tmp_path / "commands")
    content = content_of(held, "commands", "mine", ())
    taken = [each for each in content.operations for _ in range(each.times)]
    assert len(taken) == len(seen)
    for ours, (method, path, body, headers) in zip(taken, seen, strict=True):
        assert (ours.method, ours.path) == (method, path)
        own = {name.lower(): value for name, value in ours.headers.items()}
        boundaries = [
            kind.partition("boundary=")[2] for kind in (own.get("content-type", ""), headers.get("content-type", ""))
        ]
        texts = [ours.body, body.decode()]
        if all(boundaries):
            texts = [text.replace(boundary, "BOUNDARY") for text, boundary in zip(texts, boundaries, strict=True)]
            own.pop("content-type")
        assert texts[0] == texts[1]
        assert own.items() <= headers.items()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("curl URL/items/[1-3]", "a pattern for several"),
        ("curl 'URL/{a,b}'", "a pattern for several"),
        ("curl -d @- URL/a <<EOF\n$HOME\nEOF", "$HOME is expanded by a shell"),
        ('curl -d @- URL/a <<< "$BODY"', "$BODY is expanded by a shell"),
        ("curl -d @- URL/a <<EOF\nopen\n", "its here-document does not end with EOF"),
        ("jq . a.json | curl -d @- URL/a", "the output of another command"),
        ('echo "$BODY" | curl -d @- URL/a', "the output of another command"),
        ("cat body.json | curl -d @- URL/a", "the output of another command"),
        ("curl -F 'a=@-' URL/a", "the output of another command"),
        ("curl --variable a=1 --expand-url URL/{{a}}", "unknown"),
        ("curl -K options URL/a", "its options are in another file"),
        ("curl --request-target other URL/a", "is no path"),
        ("curl --no-such-thing URL/a", "its option --no-such-thing is unknown"),
    ],
)
def test_a_command_that_no_sample_can_hold_is_named(command: str, why: str, tmp_path: Path) -> None:
    text = f"curl {SERVER}/fine\n{command.replace('URL', SERVER)}\n"
    outcome = import_text(text, tmp_path, "commands")
    assert outcome.taken == ["get-fine"] and why in reasons(outcome)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--http2", "`steelyard load --http2` uses HTTP/2"),
        ("--no-keepalive", "`steelyard load --new-connection`"),
        ("--connect-to a:1:b:2", "`steelyard load --resolve`"),
        ("-L", "`steelyard load --follow-redirects`"),
        ("-k", "`steelyard load --insecure`"),
        ("-b sid=abc", "`steelyard load --secret-header 'Cookie: env:COOKIE'` sends yours"),
    ],
)
def test_an_option_that_load_has_is_named_with_its_own(option: str, said: str, tmp_path: Path) -> None:
    outcome = import_text(f"curl {option} {SERVER}/a\n", tmp_path, "commands")
    assert outcome.taken == ["get-a"] and said in reasons(outcome)


def test_a_place_in_an_address_is_none_of_curls_patterns(tmp_path: Path) -> None:
    import_text(f"curl '{SERVER}/items/{{{{item}}}}?x={{{{more}}}}'\n", tmp_path, "commands")
    (operation,) = service_file(tmp_path)["operations"].values()
    assert operation["path"] == "/items/{{item}}?x={{more}}"


def test_requests_of_several_users_and_of_none_carry_what_curl_sends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    commands = 'curl -s -u "al\'ice:pw" URL/a\ncurl -s URL/b\ncurl -s --oauth2-bearer t.o.k URL/c\ncurl -s -u bob:of-bob URL/d\n'
    for name, value in {"MINE_PASSWORD": "pw", "MINE_PASSWORD_2": "of-bob", "MINE_TOKEN": "t.o.k"}.items():
        monkeypatch.setenv(name, value)
    with recording() as (url, seen):
        text = commands.replace("URL", url)
        subprocess.run(["bash", "-c", text], cwd=tmp_path, check=True, capture_output=True, timeout=60)
        by_curl = {path: headers.get("authorization") for _, path, _, headers in seen}
        outcome = import_text(text, tmp_path, "commands")
        seen.clear()
        words = ["load", "./mine", "--users", "1", "--max-requests", "40", "--warm-up", "0", "--json", "--out", "runs"]
        loaded = steelyard(*words, folder=tmp_path).outcome
        assert loaded["failed"] == 0 and len(seen) >= 40
        assert {(path, headers.get("authorization")) for _, path, _, headers in seen} == {*by_curl.items()}
    assert sorted(map(str, by_curl.values())) == [
        "Basic YWwnaWNlOnB3",
        "Basic Ym9iOm9mLWJvYg==",
        "Bearer t.o.k",
        "None",
    ]
    assert (
        "to fill: MINE_PASSWORD_2 in the environment, the secret of bob (basic), which get-d carries" in outcome.notes
    )
    stored = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.name != "commands"]
    assert not [content for content in stored if b"of-bob" in content or b"Ym9i" in content]


def test_a_user_of_digest_authentication_is_the_only_one_and_the_others_are_named(tmp_path: Path) -> None:
    text = f"curl --digest -u ann:pw {SERVER}/a\ncurl {SERVER}/b\ncurl -u bob:pw {SERVER}/c\n"
    outcome = import_text(text, tmp_path, "commands")
    assert service_file(tmp_path)["auth"] == {"kind": "digest", "user": "ann", "secret": "env:MINE_PASSWORD"}
    assert "no credentials of line 2: a service has one user" in reasons(outcome)
    assert "credentials of line 3: a service has one user" in reasons(outcome)
