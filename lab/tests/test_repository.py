"""Files around the code are correct: workflows call existing targets, updates watch existing manifests, a release matches its
tag."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from kept_runs import KEPT_RUNS
from programs import program
from steelyard.base import paths

ROOT = paths.root()
FORGE = ROOT / ".github"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
MANIFESTS = {
    "github-actions": "workflows",
    "pip": "pyproject.toml",
    "cargo": "Cargo.toml",
    "maven": "pom.xml",
    "gomod": "go.mod",
    "npm": "package.json",
    "docker": "Dockerfile",
}


def content(name: str) -> Any:
    return yaml.safe_load((FORGE / name).read_text())


def commands(workflow: str) -> list[str]:
    return [
        step["run"]
        for job in content(f"workflows/{workflow}.yml")["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]


def release_notes() -> ModuleType:
    return program("release_notes")


@pytest.mark.parametrize("workflow", ["ci", "release"])
def test_a_workflow_calls_only_what_is_there(workflow: str) -> None:
    words = [word for command in commands(workflow) for word in command.split()]
    made = [word for command in commands(workflow) if command.startswith("make ") for word in command.split()[1:]]
    ours = [word for word in words if word.startswith(("tools/", ".ci/"))]
    assert made and set(made) <= TARGETS
    assert ours and [word for word in ours if not (ROOT / word).is_file()] == []


def test_ci_runs_what_a_contributor_runs() -> None:
    assert ".ci/run" in commands("ci")
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def watched_folders() -> set[tuple[str, str]]:
    """The folders where new versions of dependencies are looked for, each with its kind of package."""
    return {
        (update["package-ecosystem"], folder)
        for update in content("dependabot.yml")["updates"]
        for folder in update.get("directories", [update.get("directory")])
    }


def test_updates_are_looked_for_where_there_are_manifests() -> None:
    found = watched_folders()
    assert {ecosystem for ecosystem, _ in found} == set(MANIFESTS)
    for ecosystem, folder in found:
        base = FORGE if ecosystem == "github-actions" else ROOT / folder.lstrip("/")
        assert (base / MANIFESTS[ecosystem]).exists(), (ecosystem, folder)


def test_updates_are_looked_for_in_all_that_users_install_or_link() -> None:
    listed = ["git", "ls-files", "engine", "lab", "monitor"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.splitlines()
    manifests = {name: kind for kind, name in MANIFESTS.items()}
    wanted = {(manifests[path.name], f"/{path.parent}") for path in map(Path, files) if path.name in manifests}
    assert len(wanted) > 5 and sorted(wanted - watched_folders()) == []


@pytest.mark.parametrize("form", ["wrong-verdict", "new-server"])
def test_an_issue_form_asks_for_what_is_needed_to_act_on_it(form: str) -> None:
    found = content(f"ISSUE_TEMPLATE/{form}.yml")
    assert found["name"] and found["description"]
    identifiers = [field["id"] for field in found["body"]]
    assert len(set(identifiers)) == len(identifiers)
    assert {field["type"] for field in found["body"]} <= {"input", "textarea", "dropdown"}
    assert any(field.get("validations", {}).get("required") for field in found["body"])


def test_the_development_container_is_built_from_a_file_that_is_there() -> None:
    folder = ROOT / ".devcontainer"
    found = json.loads((folder / "devcontainer.json").read_text())
    assert (folder / found["build"]["dockerfile"]).is_file()
    assert found["postCreateCommand"].removeprefix("make ") in TARGETS
    tools = re.search(r"\$\{\*:-(.*?)\}", (ROOT / "tools" / "toolchains.sh").read_text())
    assert tools is not None
    packages = {
        "python3": "python3-venv",
        "cargo": "rustup",
        "mvn": "maven",
        "go": "golang-go",
        "node": "nodejs",
        "cc": "build-essential",
    }
    installed = (folder / "Dockerfile").read_text().split()
    assert [tool for tool in tools[1].split() if packages[tool] not in installed] == []


def test_the_image_runs_one_script_and_its_user_has_no_rights() -> None:
    build, final = (ROOT / "Dockerfile").read_text().split("\nFROM debian:trixie-slim\n")
    (script,) = re.findall(r"/source/(tools/\S+\.sh)", build)
    assert (ROOT / script).is_file()
    runs = re.findall(r"^RUN (\S+)", build, re.MULTILINE)
    assert runs == ["apt-get", "rustup", "sh"]
    user = final.index("USER steelyard")
    assert final.index("RUN useradd --create-home --shell /bin/bash steelyard") < user < final.index("ENTRYPOINT")
    assert "RUN" not in final[user:]


def test_the_image_is_not_built_from_what_builds_leave_but_from_what_the_wheel_holds() -> None:
    left_out = (ROOT / ".dockerignore").read_text().split()
    hook = (ROOT / "lab" / "hatch_build.py").read_text()
    (rooms,) = re.findall(r"ROOMS = \((.*)\)", hook)
    assert {".venv", "**/target"} <= set(left_out)
    assert not set(left_out) & {*re.findall(r'"([^"]+)"', rooms), ".gitignore", "LICENSE", "lab", "engine", "tools"}


@pytest.mark.parametrize(("words", "complaint"), [((), "name the folder"), (("full",), "full is not empty")])
def test_the_images_script_refuses_a_folder_that_it_would_spoil(
    tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    script = ["sh", str(ROOT / "tools" / "container" / "install.sh"), *words]
    ran = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 64 and complaint in ran.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_a_releases_notes_are_the_section_of_its_version() -> None:
    changelog = "# Changelog\n\n## 0.2.0 (2027-01-31)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n\n- First.\n"
    assert release_notes().notes("v0.2.0", "0.2.0", changelog) == "- New.\n"
    assert release_notes().notes("v0.1.0", "0.1.0", changelog) == "- First.\n"


@pytest.mark.parametrize(
    ("tag", "heading", "complaint"),
    [
        ("v0.3.0", "## 0.2.0 (2027-01-31)", "the tag v0.3.0 is not the version 0.2.0"),
        ("v0.2.0", "## 0.2.0 (unreleased)", "write the release date"),
        ("v0.2.0", "## 0.1.0 (2026-12-01)", "has no section"),
    ],
)
def test_a_release_that_is_not_ready_is_refused(tag: str, heading: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        release_notes().notes(tag, "0.2.0", f"# Changelog\n\n{heading}\n\n- New.\n")


def test_the_reports_of_kept_runs_are_made_for_a_release(tmp_path: Path) -> None:
    steelyard = str(Path(sys.executable).with_name("steelyard"))
    script = ["sh", ROOT / "tools" / "reports.sh", tmp_path, KEPT_RUNS["demo"]]
    subprocess.run(script, check=True, env={**os.environ, "STEELYARD": steelyard})
    (page,) = tmp_path.iterdir()
    assert page.name == "demo.html" and page.read_text().startswith("<!doctype html>")
