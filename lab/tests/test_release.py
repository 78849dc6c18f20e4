"""What leaves the repository: the metadata of both packages, the citation, the addresses of a release, and pinned actions."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from importlib.metadata import files
from pathlib import Path
from typing import Any

import pytest
import steelyard
import yaml
from programs import program
from steelyard.base import paths

ROOT = paths.root()
PACKAGES = ("lab/pyproject.toml", "engine/pyproject.toml")
WORKFLOWS = sorted((*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "action.yml"))
LINK = re.compile(r"\]\((?!https://)")
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
ADDRESS = "https://forge.example/scales/steelyard"


def project(manifest: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(manifest)["project"]
    return found


@pytest.mark.parametrize("name", PACKAGES)
def test_a_packages_metadata_is_complete(name: str) -> None:
    found = project((ROOT / name).read_text())
    assert found["license"] == "Apache-2.0" and found["authors"] and found["description"] and found["keywords"]
    assert [one for one in found["classifiers"] if one.startswith("License ::")] == [], "the expression stands for it"
    topics = {one.split(" :: ")[0] for one in found["classifiers"]}
    assert {"Development Status", "Intended Audience", "Operating System", "Programming Language", "Topic"} <= topics
    (licence,) = found["license-files"]
    folder = (ROOT / name).parent
    assert (folder / licence).read_bytes() == (ROOT / "LICENSE").read_bytes()
    description = (folder / found["readme"]).read_text()
    assert description.startswith("# ") and LINK.search(description) is None, "a registry resolves no relative link"


def test_an_installation_beside_the_checkout_keeps_the_lowest_python_of_the_engine() -> None:
    lowest = {name: project((ROOT / name).read_text())["requires-python"] for name in PACKAGES}
    assert len(set(lowest.values())) == 1


def test_the_citation_has_what_the_format_requires_and_the_readme_has_the_same() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors", "version", "license", "type"} <= found.keys()
    assert found["version"] == steelyard.__version__ and found["license"] == "Apache-2.0"
    (author,) = found["authors"]
    page = (ROOT / "README.md").read_text()
    for line in (
        "@software{steelyard,",
        f"author = {{{{{author['name']}}}}}",
        f"title = {{{found['title']}}}",
        f"version = {{{found['version']}}}",
    ):
        assert line in page


def test_a_releases_citation_has_its_version_year_and_address() -> None:
    tool = program("release_notes")
    entry = tool.citation("0.2.0", "# Changelog\n\n## 0.2.0 (2027-01-31)\n\n- New.\n", ADDRESS)
    assert "version = {0.2.0}" in entry and "year = {2027}" in entry
    assert f"url = {{{ADDRESS}/releases/tag/v0.2.0}}" in entry
    assert entry.count("{") == entry.count("}")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_release_names_its_address_in_both_packages(name: str) -> None:
    manifest = (ROOT / name).read_text()
    tool = program("release_urls")
    changed = tool.with_urls(manifest, ADDRESS)
    urls = project(changed).pop("urls")
    assert urls["Homepage"] == ADDRESS and urls["Issues"] == f"{ADDRESS}/issues"
    assert urls["Changelog"] == f"{ADDRESS}/blob/v{steelyard.__version__}/CHANGELOG.md"
    assert {key: value for key, value in project(changed).items() if key != "urls"} == project(manifest)
    with pytest.raises(ValueError, match=r"has \[project\.urls\] already"):
        tool.with_urls(changed, ADDRESS)


@pytest.mark.parametrize(
    "address", ["", "steelyard", "http://forge.example/a/b", 'https://forge.example/a"\nx', "https://forge.example"]
)
def test_what_is_no_address_of_a_repository_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="is not the address of a repository"):
        program("release_urls").with_urls((ROOT / PACKAGES[0]).read_text(), address)


def test_the_engine_has_a_bill_of_materials_with_its_crates() -> None:
    (bill,) = [file for file in files("steelyard-engine") or [] if "sboms" in file.parts]
    read = json.loads(bill.read_text())
    assert read["bomFormat"] == "CycloneDX"
    assert {"rustls", "ring", "serde"} <= {component["name"] for component in read["components"]}


def test_a_release_has_the_bills_of_both_packages_and_the_audit_runs_once_a_week() -> None:
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    lines = {name: "\n".join(step.get("run", "") for step in job["steps"]) for name, job in release.items()}
    assert "tools/sbom.py" in lines["lab"] and "assets/*.cdx.json" in lines["release"]
    audit = yaml.safe_load((ROOT / ".github" / "workflows" / "dependencies.yml").read_text())
    assert audit[True]["schedule"] and any(step.get("run") == "make audit" for step in audit["jobs"]["audit"]["steps"])
    allowed = tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"]
    assert "Apache-2.0" in allowed and not [name for name in allowed if "GPL" in name]


def test_a_wheel_without_a_bill_of_materials_is_refused(tmp_path: Path) -> None:
    tool = program("sbom")
    wheel = tmp_path / "steelyard_engine-1.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("steelyard_engine-1.dist-info/METADATA", "")
    with pytest.raises(ValueError, match="has no bill of materials"):
        tool.engine_bill(wheel)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("steelyard_engine-1.dist-info/sboms/steelyard-engine.cyclonedx.json", "{}")
    assert tool.engine_bill(wheel) == b"{}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit(path: Path) -> None:
    text = path.read_text()
    assert yaml.safe_load(text)
    actions = re.findall(r"uses: (.*)", text)
    assert actions and [action for action in actions if not PINNED.fullmatch(action)] == []


def test_one_action_has_one_commit_everywhere() -> None:
    pins = {action for path in WORKFLOWS for action in re.findall(r"uses: (.*)", path.read_text())}
    names = [pin.partition("@")[0] for pin in pins]
    assert sorted(names) == sorted(set(names))


def test_the_registry_gets_wheels_with_attestations_and_no_password() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    registry = jobs["registry"]
    assert registry["permissions"] == {"id-token": "write"} and registry["environment"] == "pypi"
    (publish,) = [step for step in registry["steps"] if step["uses"].startswith("pypa/gh-action-pypi-publish@")]
    assert publish["with"] == {"attestations": True}
    others = [job for name, job in jobs.items() if name != "registry"]
    assert not any("id-token" in job.get("permissions", {}) for job in others)
    matrix = jobs["engine"]["strategy"]["matrix"]
    assert {libc.partition("_")[0].rstrip("0123456789") for libc in matrix["libc"]} == {"manylinux", "musllinux"}
    assert [runner.endswith("-arm") for runner in matrix["runner"]] == [False, True]
