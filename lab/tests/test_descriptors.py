"""A descriptor includes the parts that several servers share, and contains only the differences."""

from pathlib import Path

import pytest
from steelyard.base.errors import ConfigurationError
from steelyard.catalogue import entries
from steelyard.catalogue.descriptors import read_server

OWN = """
name = "made-up"
title = "Made up"
version = "1"
stack = "none"
language = "none"
include = {include}
start = ["true"]
ready = ["true"]
"""
SHARED = """
[[artifacts]]
apt = ["one"]

[factors.heap]
default = "256m"
meaning = "heap"

[factors.threads]
default = "200"
meaning = "threads"

[tuning]
heap = "-Xmx"
"""


def written(tmp_path: Path, own: str, include: str = '["../common/shared.toml"]', shared: str = SHARED) -> Path:
    for folder in ("common", "made-up"):
        (tmp_path / folder).mkdir()
    (tmp_path / "common" / "shared.toml").write_text(shared)
    path = tmp_path / "made-up" / "server.toml"
    path.write_text(OWN.format(include=include) + own)
    return path


def test_what_is_included_comes_first_and_what_the_descriptor_says_itself_stands(tmp_path: Path) -> None:
    own = (
        '[[artifacts]]\napt = ["two"]\n[factors.threads]\ndefault = "8"\nmeaning = "fewer"\n[tuning]\ndebug = "none"\n'
    )
    server = read_server(written(tmp_path, own))
    assert {name: factor.default for name, factor in server.factors.items()} == {"heap": "256m", "threads": "8"}
    assert [artifact.apt for artifact in server.artifacts] == [["one"], ["two"]]
    assert server.tuning == {"heap": "-Xmx", "debug": "none"}


def test_a_step_of_the_build_runs_only_where_the_factors_ask_for_it(tmp_path: Path) -> None:
    step = '[[build_also]]\nrun = ["true"]\nwhen = { monitor = "%s" }\n'
    factor = '[factors.monitor]\ndefault = "no"\nchoices = ["no", "yes"]\nmeaning = "m"\n'
    path = written(tmp_path, "", shared=SHARED + factor + step % "yes")
    server = read_server(path)
    assert server.as_run(server.defaults()).build == []
    assert server.as_run({**server.defaults(), "monitor": "yes"}).build == [["true"]]
    (tmp_path / "common" / "shared.toml").write_text(SHARED + factor + step % "perhaps")
    with pytest.raises(ConfigurationError, match="a step of the build is for monitor = perhaps"):
        read_server(path)


def test_a_mistake_in_an_included_file_is_named_with_that_file(tmp_path: Path) -> None:
    path = written(tmp_path, "", shared=SHARED + "\n[factor.x]\ndefault = '1'\n")
    with pytest.raises(ConfigurationError, match=r"common/shared\.toml: unknown key 'factor'; did you mean 'factors'"):
        read_server(path)


def test_an_included_file_that_is_missing_or_no_name_is_an_error_in_words(tmp_path: Path) -> None:
    path = written(tmp_path, "", include='["../common/none.toml"]')
    with pytest.raises(ConfigurationError, match=r"common/none\.toml does not exist"):
        read_server(path)
    path.write_text(OWN.format(include="[1]"))
    with pytest.raises(ConfigurationError, match=r"server\.toml: key 'include\.0'"):
        read_server(path)


def test_every_server_on_tomcat_takes_its_common_factors_from_one_file() -> None:
    on_it = [name for name in entries.server_files() if name.startswith("tom")]
    shared = "../common/tomcat/factors.toml"
    assert len(on_it) == 6
    for name in on_it:
        entry = entries.server(name)
        assert shared in entry.model.include, name
        assert "[factors.heap]" not in entry.file.read_text(encoding="utf-8"), f"{name} writes it a second time"
