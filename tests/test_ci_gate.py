"""The gate for pull requests: the steps of action.yml are played in a repository that is made on the spot."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from conftest import Lab, Ran
from steelyard.base.paths import root
from test_gate_your_own import Services, built, git, services

__all__ = ["built", "services"]  # fixtures
SHORT = "--slice-seconds 0.4 --pairs 3 --warm-up 2 --users 2"


class Comments(ThreadingHTTPServer):
    """The part of GitHub that keeps the comments of a pull request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), CommentsHandler)
        self.kept: list[dict[str, Any]] = [{"id": 0, "body": "Please mend the title."}]
        self.refuses = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class CommentsHandler(BaseHTTPRequestHandler):
    """Lists, adds and changes comments; writing needs the token."""

    server: Comments

    def _answer(self, status: int, content: Any) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> str:
        assert self.headers["Authorization"] == "Bearer secret"
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def do_GET(self) -> None:
        assert self.path.startswith("/repos/we/shop/issues/7/comments?")
        self._answer(403 if self.server.refuses else 200, self.server.kept)

    def do_POST(self) -> None:
        assert self.path == "/repos/we/shop/issues/7/comments"
        self.server.kept.append({"id": len(self.server.kept), "body": self._body()})
        self._answer(201, self.server.kept[-1])

    def do_PATCH(self) -> None:
        own = self.server.kept[int(self.path.rpartition("/")[2])]
        own["body"] = self._body()
        self._answer(200, own)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def comments() -> Iterator[Comments]:
    server = Comments()
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root() / "action.yml").read_text())
    return loaded


def played(lab: Lab, comments: Comments, **inputs: str) -> Ran:
    """The gate's step of the action, run as a runner does with these inputs, in the repository of the pull request."""
    described = action()
    values = {name: each.get("default", "") for name, each in described["inputs"].items()}
    values |= {"token": "secret", **{name.replace("_", "-"): value for name, value in inputs.items()}}
    assert values.keys() == described["inputs"].keys()
    (step,) = (step for step in described["runs"]["steps"] if step.get("id") == "gate")
    given = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], text)
        for name, text in step["env"].items()
    }
    event = lab.folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    environment = {
        **lab.environment,
        **given,
        "PATH": f"{Path(lab.program).parent}:{os.environ['PATH']}",
        "STEELYARD_STRANGERS": "yes",
        "GITHUB_ACTION_PATH": str(root()),
        "GITHUB_BASE_REF": "main",
        "GITHUB_REPOSITORY": "we/shop",
        "GITHUB_API_URL": comments.url,
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_STEP_SUMMARY": str(lab.folder / "summary"),
        "GITHUB_OUTPUT": str(lab.folder / "output"),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=lab.folder / "repository",
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        start_new_session=True,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def pull_request(services: Services) -> Services:
    """The repository as a runner checks out a pull request that makes the service slower."""
    services.commit(0.6)
    git(services.lab.folder / "repository", "update-ref", "refs/remotes/origin/main", "main")
    return services


def test_a_pull_request_is_measured_summarized_and_has_one_comment_of_the_last_run(
    pull_request: Services, comments: Comments
) -> None:
    lab = pull_request.lab
    ran = played(lab, comments, folder="items", build="go build -o items .", budget="25s", arguments=SHORT)
    outputs = dict(line.split("=", 1) for line in (lab.folder / "output").read_text().splitlines())
    expected = {"regression": 1, "cannot tell": 0}  # it is slower by more than a third
    assert ran.code == expected[outputs["answer"]], ran
    assert ("::warning::Steelyard cannot tell" in ran.out) is (outputs["answer"] == "cannot tell")
    summary = (lab.folder / "repository" / outputs["run"] / "summary.md").read_text()
    assert (lab.folder / "summary").read_text() == summary
    _, own = comments.kept
    assert own["body"] == f"<!-- steelyard gate of items -->\n{summary}"
    played(lab, comments, folder="items", build="exit 3")
    first, own = comments.kept
    assert first["body"] == "Please mend the title."
    assert "Nothing was measured" in own["body"]


def test_a_check_that_cannot_run_fails_with_its_reason(pull_request: Services, comments: Comments) -> None:
    lab = pull_request.lab
    comments.refuses = True
    broken = played(lab, comments, folder="items", build="echo cannot find symbol; exit 3", budget="25s")
    assert broken.code == 0 and "cannot find symbol" in broken.err
    assert "Nothing was measured" in (lab.folder / "summary").read_text()
    assert "::warning::The pull request has no comment: HTTP Error 403" in broken.out
    undecided = played(lab, comments, folder="items", build="exit 3", fail_on_undecided="true")
    assert undecided.code == 1 and "::error::Steelyard cannot tell" in undecided.out
    git(lab.folder / "repository", "update-ref", "-d", "refs/remotes/origin/main")
    shallow = played(lab, comments, folder="items")
    assert shallow.code == 1 and "check out the repository with fetch-depth: 0" in shallow.out
