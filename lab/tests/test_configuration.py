"""Errors in configuration files name the key and the nearest valid one."""

from pathlib import Path

import pytest
from steelyard.base import configuration
from steelyard.base.errors import ConfigurationError, UnknownNameError
from steelyard.catalogue import entries
from steelyard.models.job import Job
from steelyard.models.server import Server
from steelyard.models.study import Study

SERVER = 'name = "x"\ntitle = "X"\nversion = "1"\nstack = "s"\nlanguage = "C"\nstart = ["true"]\nready = ["true"]\n'


def complaint(tmp_path: Path, text: str, model: type = Server) -> str:
    path = tmp_path / "server.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        configuration.load(path, model)
    assert str(path) in caught.value.message
    return caught.value.message


def test_an_unknown_key_is_named_with_the_nearest_valid_one(tmp_path: Path) -> None:
    assert "unknown key 'titel'; did you mean 'title'?" in complaint(tmp_path, SERVER + 'titel = "X"\n')


def test_an_unknown_key_inside_a_table_is_named_with_its_place(tmp_path: Path) -> None:
    message = complaint(tmp_path, SERVER + '[factors.heap]\ndefault = "1m"\nmeaning = "heap"\nchoises = ["1m"]\n')
    assert "'factors.heap.choises'; did you mean 'choices'?" in message


def test_an_unknown_key_inside_a_list_is_named_with_its_place(tmp_path: Path) -> None:
    message = complaint(tmp_path, SERVER + '[[artifacts]]\nmavn = "a:b:1"\n')
    assert "'artifacts.0.mavn'; did you mean 'maven'?" in message


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    assert "key 'ready' is missing" in complaint(tmp_path, SERVER.replace('ready = ["true"]\n', ""))


def test_a_wrong_type_is_named(tmp_path: Path) -> None:
    assert "'start'" in complaint(tmp_path, SERVER.replace('start = ["true"]', "start = 3"))


def test_broken_toml_is_said_with_its_line(tmp_path: Path) -> None:
    assert "line 1" in complaint(tmp_path, "name = \n")


def test_what_is_done_with_a_document_changes_no_other_reading_of_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text(SERVER)
    first = configuration.read(path)
    first["ready"].append("x")
    assert configuration.read(path)["ready"] == ["true"]
    path.write_text(SERVER.replace("true", "false"))
    assert configuration.read(path)["ready"] == ["false"]


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        configuration.load(tmp_path / "none.toml", Study)


def test_an_unknown_key_in_a_profile_is_named() -> None:
    job = {
        "seed": 1,
        "corpus": "c",
        "rules": {},
        "targets": [{"subject": "a", "url": "http://127.0.0.1/"}],
        "slices": [
            {"number": 0, "subject": "a", "phase": "x", "mix": {"o": 1}, "deck_seed": 1,
             "profile": {"kind": "big-bang", "user": 3, "seconds": 1}}
        ],
    }  # fmt: skip
    with pytest.raises(ConfigurationError, match="users"):
        configuration.validate(job, Job, "job")


def test_who_asks_for_no_known_server_is_told_the_servers_and_not_what_stands_beside_them() -> None:
    with pytest.raises(UnknownNameError) as refused:
        entries.server("zzz")
    told = set(refused.value.message.partition("; valid here: ")[2].split(", "))
    assert told == {name for name in entries.server_files() if entries.server(name).model.kind == "server"}
    assert told < entries.server_files().keys()
    with pytest.raises(UnknownNameError, match="did you mean 'greenmail'"):
        entries.server("grenmail")


def test_the_first_part_of_a_servers_name_suggests_all_servers_that_begin_with_it() -> None:
    with pytest.raises(UnknownNameError) as refused:
        entries.server("tomcat")
    tomcats = [name for name in entries.server_files() if name.startswith("tomcat-")]
    assert len(tomcats) > 1 and all(f"'{name}'" in refused.value.message for name in tomcats)
