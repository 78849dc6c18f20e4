"""Every command's help shows examples, and the command line takes each: it is parsed, and run where nothing is started."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from command import steelyard
from steelyard.catalogue import entries, subject_syntax, tried
from steelyard.catalogue.usual import resolve_operation, resolve_service
from steelyard.cli import whole_program
from steelyard.hosts.halves import LEAST_PROCESSORS

Command = Any  # typer brings a copy of click of its own, without types
EXAMPLE = re.compile(r"^  (steelyard .*)$", re.MULTILINE)
OF_THE_USER = "mine"  # as the examples call a service that `add` made
LISTS = ("studies", "services", "servers", "completion")  # commands that print what there is, and do no more


def commands(command: Command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Each command with its name's words, groups before what they hold."""
    yield words, command
    for name, below in sorted(getattr(command, "commands", {}).items()):
        yield from commands(below, (*words, name))


ALL = dict(commands(typer.main.get_command(whole_program())))


def examples(command: Command) -> list[list[str]]:
    """The words of each example after `steelyard`, without what the shell does with what is printed."""
    return [shlex.split(example.partition(" > ")[0])[1:] for example in EXAMPLE.findall(command.epilog or "")]


SHOWN = [example for command in ALL.values() for example in examples(command)]


def parsed(words: Sequence[str]) -> dict[str, Any]:
    """What the command that the words reach is told; a word that it does not take raises."""
    name, *rest = words
    command = ALL[(name,)]
    if getattr(command, "commands", None) and rest and not rest[0].startswith("-"):
        inner, *after = rest
        known = (name, inner) in ALL
        command, rest = (ALL[(name, inner)], after) if known else (ALL[(name, "show")], rest)
    params: dict[str, Any] = command.make_context(command.name, list(rest)).params
    return params


@pytest.mark.parametrize("words", [words for words in ALL if words], ids=" ".join)
def test_the_help_of_a_command_shows_an_example_of_that_command(words: tuple[str, ...]) -> None:
    shown = examples(ALL[words])
    assert shown, f"no example in {' '.join(words)} --help"
    assert any(example[0] == words[0] for example in shown)


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_an_example_is_understood_and_what_it_names_is_here(words: list[str]) -> None:
    told = parsed(words)
    verb = words[0]
    if verb in ("compare", "check"):
        subjects = told.get("subjects") or [words for words in (told["new"], told["old"]) if words is not None]
        if told["service"] == OF_THE_USER:
            assert all(entries.server(subject.partition("@")[0]) for subject in subjects)
        elif not any("/" in subject for subject in subjects):
            service = resolve_service(told["service"])
            operation = resolve_operation(service, told["operation"])
            assert operation in entries.service(service).model.operations
            study = subject_syntax.study_of(subjects, service, operation, rate=None, budget_seconds=60.0, margin=0.03)
            assert len(study.subjects) == len(subjects)
    elif verb == "try":
        assert tried.parse_subject_words(told["subject"], told["service"]).spec.parts
    elif verb == "calibrate" and told["server"] is not None and "/" not in told["server"]:
        assert told["operation"] in entries.service(resolve_service(None)).model.operations
        assert entries.server(told["server"])


@pytest.mark.parametrize("words", [words for words in SHOWN if words[0] in (*LISTS, "run")], ids=" ".join)
def test_an_example_that_need_start_nothing_does_what_it_says(tmp_path: Path, words: list[str]) -> None:
    if words[0] == "run":
        if {"--resume", "--cluster", "--hosts", "--sessions"} & {*words}:
            pytest.skip("it needs a stored run, machines or hours")
        if "--apart" in words and len(os.sched_getaffinity(0)) < LEAST_PROCESSORS:
            pytest.skip(f"--apart needs {LEAST_PROCESSORS} processors")
        words = [*words, *["--dry-run"] * ("--dry-run" not in words)]
        (tmp_path / "WSTest.ini").write_text("Agents = 8\n")
    if "check" in words:
        pytest.skip("it starts a server")
    ran = steelyard(*words, folder=tmp_path)
    assert (ran.code, bool(ran.out)) == (0, True), ran.err


def test_no_command_is_cut_short_in_the_list_of_all(tmp_path: Path) -> None:
    listed = steelyard("--help", folder=tmp_path, environment={"COLUMNS": "80"}).out.partition("Commands:")[2]
    assert " find-limit " in listed and "..." not in listed


def test_an_example_stands_on_a_line_of_its_own_however_narrow_the_terminal_is(tmp_path: Path) -> None:
    shown = steelyard("compare", "--help", folder=tmp_path, environment={"COLUMNS": "40"}).out
    assert "    steelyard compare tomcat-metro@heap=128m tomcat-metro@heap=512m\n" in shown
