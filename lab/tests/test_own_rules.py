"""The project's own rules: descriptors load, contracts are current, no server's name is in the lab."""

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
import steelyard
from steelyard.base import paths
from steelyard.base.errors import UnknownNameError
from steelyard.catalogue import entries
from steelyard.catalogue.usual import floor_of, resolve_operation, resolve_service
from steelyard.commands import schemas

LAB = Path(steelyard.__file__).parent


@pytest.mark.parametrize("name", sorted(entries.server_files()))
def test_every_server_descriptor_loads_and_its_scripts_are_there(name: str) -> None:
    entry = entries.server(name)
    also = (step.run for step in entry.model.build_also)
    for argv in (*entry.model.build, *also, *entry.model.prepare, entry.model.start, entry.model.ready):
        for word in argv:
            if word.endswith(".sh"):
                assert (entry.folder / word).is_file(), word


@pytest.mark.parametrize("name", sorted(entries.study_files()))
def test_every_study_loads_and_names_operations_of_its_service(name: str) -> None:
    study = entries.study(name).model
    assert set(study.operations) <= {*entries.service(study.service).model.operations, *study.sessions}


def names_in_the_lab(names: set[str]) -> list[str]:
    """Lines of the lab's code, examples of its help texts left out, that hold one of these words."""
    # "In flight" is a phrase, not the service `flight`. Longer names come first, because the first match is taken.
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"\b(?<![iI]n )(?:{longest_first})\b")
    return [
        f"{path.name}:{number}: {line.strip()}"
        for path in LAB.rglob("*.py")
        if path.name != "toolchain.py"  # names of packages, which some servers share
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line) and "steelyard " not in line
    ]


def test_no_name_of_a_server_stands_in_the_lab_outside_of_the_help_texts_examples() -> None:
    assert (
        names_in_the_lab(set(entries.server_files()) - {"go", "null", "h2"}) == []
    )  # of the handshake, JSON and HTTP/2
    floor = [path for path in LAB.rglob("*.py") if '"null"' in path.read_text(encoding="utf-8")]
    assert [path.name for path in floor if path.parent.name != "openapi"] == []  # in schemas it is JSON's own word


def test_no_name_of_a_service_stands_in_the_lab_outside_of_the_help_texts_examples() -> None:
    assert names_in_the_lab(set(entries.service_files())) == []


def test_what_a_user_leaves_out_is_what_the_demonstration_shows() -> None:
    shown = entries.study("demo").model
    assert (resolve_service(None), resolve_operation(shown.service, None)) == (shown.service, shown.primary)
    other = next(name for name in entries.service_files() if name != shown.service)
    assert resolve_operation(other, None) == next(iter(entries.service(other).model.operations))
    assert resolve_operation(other, "single") == "single"


def test_a_services_floor_is_the_server_that_reads_nothing_of_it() -> None:
    assert entries.server(floor_of("wstest")).model.floor
    with pytest.raises(UnknownNameError, match="soaservers has no floor server"):
        floor_of("soaservers")


def test_the_schemas_of_contracts_are_those_of_the_models() -> None:
    assert schemas.stale(paths.root() / "contracts") == []


PAPERS = ("flight", "petstore", "soakit", "soaservers", "wstest")
SCHEMA_OF = {  # of the files that people write, by their places
    "server": ("servers/*/server.toml", "tests/house/servers/*/server.toml"),
    "server-included": ("servers/common/*.toml", "servers/common/*/*.toml"),
    "service": ("services/*/service.toml", "tests/house/services/*/service.toml"),
    "study": ("studies/*.toml", *(f"papers/{name}/{name}.toml" for name in PAPERS)),
    "claims": ("papers/*/claims.toml",),
    "tuning": ("papers/*/tuning.toml",),
    "format": ("services/*/contract/formats/*.toml",),
    "tuning-settings": ("papers/tuning-settings.toml",),
}
WRITTEN = {
    path: name for name, places in SCHEMA_OF.items() for place in places for path in sorted(paths.root().glob(place))
}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.relative_to(paths.root()).as_posix())
def test_a_file_that_people_write_names_its_schema_to_editors_and_keeps_it(path: Path) -> None:
    first, _, rest = path.read_text().partition("\n")
    directive, _, place = first.partition(" ")
    assert directive == "#:schema" and not rest.startswith("#:schema")
    schema = path.parent / place
    assert schema.resolve() == (paths.root() / "contracts" / f"{WRITTEN[path]}.schema.json").resolve()
    jsonschema.validate(tomllib.loads(rest), json.loads(schema.read_text()))


def test_no_file_that_people_write_is_without_a_schema() -> None:
    rooms = [paths.root() / room for room in ("servers", "services", "studies", "papers", "tests/house")]
    others = {"Cargo.toml", "rustfmt.toml"}
    found = {
        path
        for room in rooms
        for path in room.rglob("*.toml")
        if path.name not in others and not {"target", "node_modules"}.intersection(path.parts)
    }
    assert found == set(WRITTEN)


def test_an_unknown_server_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="no server 'tomcat-metr'; did you mean 'tomcat-metro'"):
        entries.server("tomcat-metr")


def test_an_installed_house_is_copied_once_whole_and_can_be_built_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    package = tmp_path / "steelyard"
    script = package / "house" / "servers" / "go" / "start.sh"
    (script.parent / "__pycache__").mkdir(parents=True)
    script.write_text("exec true\n")
    script.chmod(0o555)
    script.parent.chmod(0o555)
    monkeypatch.setattr(paths, "__file__", str(package / "base" / "paths.py"))
    copy = paths.root()
    assert [path.relative_to(copy).as_posix() for path in sorted(copy.rglob("*"))] == [
        "servers", "servers/go", "servers/go/start.sh",
    ]  # fmt: skip
    assert all(path.stat().st_mode & 0o200 for path in copy.rglob("*"))
    assert (copy / "servers" / "go" / "start.sh").stat().st_mode & 0o111
    (copy / "servers" / "go" / "built").touch()
    paths._copy_to_cache.cache_clear()
    assert paths.root() == copy and (copy / "servers" / "go" / "built").exists()
    script.chmod(0o755)
    script.write_text("exec false\n")
    paths._copy_to_cache.cache_clear()
    assert paths.root() != copy


def test_the_version_is_the_same_wherever_it_stands() -> None:
    projects = {
        path: tomllib.loads((paths.root() / path).read_text())
        for path in ("pyproject.toml", "lab/pyproject.toml", "engine/pyproject.toml", "engine/Cargo.toml")
    }
    versions = {path: content.get("project", content.get("package"))["version"] for path, content in projects.items()}
    assert set(versions.values()) == {steelyard.__version__}, versions
    assert f"steelyard-engine=={steelyard.__version__}" in projects["lab/pyproject.toml"]["project"]["dependencies"]
    for place in ("CITATION.cff", "README.md"):
        stated = re.findall(r"^ *version(?:: | = \{)([^}\n]*)", (paths.root() / place).read_text(), re.M)
        assert stated == [steelyard.__version__], place
    assert re.search(rf"^## {re.escape(steelyard.__version__)}\b", (paths.root() / "CHANGELOG.md").read_text(), re.M)
