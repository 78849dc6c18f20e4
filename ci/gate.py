"""The gate of `action.yml`: runs `steelyard check` on a pull request's change and reports to GitHub.

It reads its inputs from the environment, as INPUT_NAME, writes the job summary and the outputs, and keeps one comment on the
pull request up to date. It ends with 1 on a regression, and where the check could not be run. "Cannot tell" is a warning, or a
failure with `fail-on-undecided`. It needs nothing but Python, git and `steelyard`.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUNS = "steelyard-runs"
ANSWERS = {0: "no regression", 1: "regression", 2: "cannot tell"}
COMMENTS_A_PAGE = 100
MOST_PAGES = 30
TIMEOUT_SECONDS = 30


class GateError(Exception):
    """The gate cannot be run; the message is a sentence with the next step."""


def given(name: str, default: str = "") -> str:
    """The value of an input, or `default` where it is empty."""
    return os.environ.get(f"INPUT_{name.upper().replace('-', '_')}", "").strip() or default


def git(*words: str) -> str:
    """The output of a git command, in one line; raises GateError."""
    ran = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise GateError(f"git {' '.join(words)} failed: {ran.stderr.strip()}")
    return ran.stdout.strip()


def old_revision() -> str:
    """The commit to compare with: the input `old`, else where the pull request left its base branch; raises GateError."""
    if given("old"):
        return git("rev-parse", "--verify", f"{given('old')}^{{commit}}")
    base = os.environ.get("GITHUB_BASE_REF", "")
    if not base:
        raise GateError("this event is no pull request: set the input 'old' to the revision to compare with")
    try:
        return git("merge-base", f"origin/{base}", "HEAD")
    except GateError as error:
        raise GateError(f"{error}; check out the repository with fetch-depth: 0") from None


def check_command(old: str) -> list[str]:
    """The words of the check."""
    build = ["--build", given("build")] if given("build") else []
    limits = ["--budget", given("budget", "15m"), "--margin", given("margin", "5%")]
    return [
        "steelyard",
        "check",
        "--git",
        f"{old}..HEAD",
        *build,
        *limits,
        *shlex.split(given("arguments")),
        "--out",
        RUNS,
    ]


def run_folders() -> set[Path]:
    """The folders of runs that there are."""
    return {path for path in Path(RUNS).glob("*") if path.is_dir()}


def summary_text(run: Path | None, answer: str) -> str:
    """The summary of a run in Markdown, or a sentence where there is none."""
    file = run / "summary.md" if run is not None else None
    if file is not None and file.is_file():
        return file.read_text(encoding="utf-8")
    return f"### Steelyard: {answer}\n\nNothing was measured. The job's log has the reason.\n"


def append(variable: str, content: str) -> None:
    """Append to the file that GitHub names in an environment variable, if it does."""
    if os.environ.get(variable):
        with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
            file.write(content)


def pull_request_number() -> int | None:
    """The number of the pull request that the event is about; None where it is about none."""
    event = os.environ.get("GITHUB_EVENT_PATH")
    if not event or not Path(event).is_file():
        return None
    number = json.loads(Path(event).read_text(encoding="utf-8")).get("pull_request", {}).get("number")
    return number if isinstance(number, int) else None


def request(method: str, url: str, body: dict[str, str] | None = None) -> Any:
    """GitHub's answer to a request, as JSON; raises OSError, which urllib's errors are, and ValueError."""
    headers = {"Authorization": f"Bearer {given('token')}", "Accept": "application/vnd.github+json"}
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(url, data, headers | {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(asked, timeout=TIMEOUT_SECONDS) as answer:
        return json.load(answer)


def comments(issue: str) -> Iterator[dict[str, Any]]:
    """The comments of a pull request, oldest first."""
    for page in range(1, MOST_PAGES + 1):
        some = request("GET", f"{issue}/comments?per_page={COMMENTS_A_PAGE}&page={page}")
        yield from some
        if len(some) < COMMENTS_A_PAGE:
            return


def comment(number: int, folder: str, summary: str) -> None:
    """Write the summary as a comment, or update the comment that this gate wrote before; raises OSError and ValueError."""
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    repository = f"{api}/repos/{os.environ['GITHUB_REPOSITORY']}"
    marker = f"<!-- steelyard gate of {folder} -->"
    issue = f"{repository}/issues/{number}"
    body = {"body": f"{marker}\n{summary}"}
    own = next((each for each in comments(issue) if str(each.get("body", "")).startswith(marker)), None)
    if own is None:
        request("POST", f"{issue}/comments", body)
    else:
        request("PATCH", f"{repository}/issues/comments/{own['id']}", body)


def report(code: int, run: Path | None, folder: str) -> None:
    """Write the job summary, the outputs and the comment; `run` is None where nothing was measured."""
    answer = ANSWERS.get(code, "the check failed")
    summary = summary_text(run, answer)
    append("GITHUB_STEP_SUMMARY", summary)
    append("GITHUB_OUTPUT", f"answer={answer}\nrun={run or ''}\n")
    number = pull_request_number()
    if number is None or given("comment", "true") != "true" or not given("token"):
        return
    try:
        comment(number, folder, summary)
    except (OSError, ValueError) as error:
        # The token of a pull request from a fork may only read.
        print(f"::warning::The pull request has no comment: {error}. The job summary has the result.")


def main() -> int:
    """Run the gate; gives the exit code of the step."""
    folder = given("folder", ".")
    try:
        command = [*check_command(old_revision()), folder]
    except GateError as error:
        print(f"::error::{error}")
        return 1
    print(f"running {shlex.join(command)}", flush=True)
    earlier = run_folders()
    code = subprocess.run(command, check=False).returncode
    report(code, next(iter(run_folders() - earlier), None), folder)
    if code == 2:
        level = "error" if given("fail-on-undecided") == "true" else "warning"
        print(f"::{level}::Steelyard cannot tell whether the change is slower; the summary has the reason.")
        return 1 if level == "error" else 0
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
