"""How to reproduce the run, its files, how to rebuild this page, and its citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...results.stored_run import Run
from ..dates import date_text, measured_from_to
from ..section import Section
from ..subjects import text
from .setup import command


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    run = analysis.run
    git = run.environment.get("git")
    return {
        "command": command(run),
        "revision": _revision(run),
        "changed": isinstance(git, Mapping) and git.get("changed") is True,
        "trials": [trial.folder.name for trial in run.trials],
        "citation": citation(run),
    }


def citation(run: Run) -> str:
    """A BibTeX entry: title, date, machine and revision."""
    fields = "".join(f"  {name} = {{{_printable(value)}}},\n" for name, value in _fields(run))
    return f"@misc{{{_key(run.name)},\n{fields}}}"


def _fields(run: Run) -> Iterator[tuple[str, str]]:
    yield "title", text(run.study.get("title")) or run.schedule.study
    yield "author", "{Steelyard}"
    between = measured_from_to(run)
    if between is not None:
        yield "year", str(between[0].year)
    details = [f"run {run.name}"]
    if between is not None:
        details.append(f"measured on {date_text(between[0])}")
    machine = run.environment.get("machine")
    if isinstance(machine, Mapping) and text(machine.get("processor")):
        details.append(f"on {text(machine.get('processor'))}, {machine.get('processors', 'unknown')} processors")
    if revision := _revision(run):
        details.append(f"revision {revision}")
    yield "howpublished", "; ".join(details)


def _revision(run: Run) -> str:
    git = run.environment.get("git")
    return text(git.get("revision")) if isinstance(git, Mapping) else ""


def _printable(value: str) -> str:
    """Text without characters that BibTeX and LaTeX interpret; an outer pair of braces stays."""
    inner = value.removeprefix("{").removesuffix("}") if value.startswith("{") else value
    cleaned = re.sub(r"([&%$#_])", r"\\\1", re.sub(r"[{}\\~^]", " ", inner))
    return f"{{{cleaned}}}" if value.startswith("{") else cleaned


def _key(name: str) -> str:
    return "steelyard-" + (re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "run")


SECTION = Section("again", content, of_faults=True, of_running=True)
