"""Files of other tools with linked requests, and the session that an import makes of one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from command import steelyard
from small_descriptions import import_text, reasons, service_file
from steelyard.base import paths
from steelyard.catalogue import entries
from steelyard.models.outputs.own_service import ImportOutput
from steelyard.models.service import Expect
from steelyard.workload.load_operation import LoadOperation
from steelyard.workload.load_target import LoadTarget, of_service

GUIDE = paths.root() / "docs" / "guides" / "sessions"


@contextmanager
def guide_shop() -> Iterator[tuple[str, dict[str, int]]]:
    """The address of the guide's shop while it runs, and its counts once it has ended."""
    command = [sys.executable, str(GUIDE / "shop.py"), "0"]
    shop = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert shop.stdout is not None
    counts: dict[str, int] = {}
    try:
        yield shop.stdout.readline().split()[-1], counts
        shop.send_signal(signal.SIGINT)
        counts.update(json.loads(shop.stdout.readline()))
    finally:
        shop.kill()
        shop.communicate()


def load_folder(folder: Path, *words: str) -> dict[str, Any]:
    """What a load of the folder's service came to."""
    environment = {"STEELYARD_AWAKE": "no", "STEELYARD_STRANGERS": "yes"}
    return steelyard("load", *words, "--json", "--out", "runs", folder=folder, environment=environment).outcome


class Imported:
    """The outcome of an import, and the load that its folder describes."""

    def __init__(self, text: str, folder: Path, name: str, target: str = "") -> None:
        self.outcome: ImportOutput = import_text(text, folder, name, target=target)
        self.file: Mapping[str, Any] = service_file(folder)
        self.folder = folder / "mine"
        self.left = reasons(self.outcome)
        self.notes = "\n".join(self.outcome.notes)

    def load(self) -> LoadTarget:
        """The load, as `steelyard load` reads it."""
        return of_service(entries.service_at(str(self.folder)), 1, Expect())

    def fill(self, place: str, value: str = "filled") -> None:
        """Give a place of a secret a value."""
        with (self.folder / "service.toml").open("a") as file:
            file.write(f'\n[data.{place}]\nkind = "choice"\nvalues = ["{value}"]\n')

    def steps(self, session: str) -> dict[str, Mapping[str, Any]]:
        """The steps of a session in its file, by name."""
        return {step.get("name", step["operation"]): step for step in self.file["sessions"][session]["steps"]}

    def sent(self, session: str) -> list[LoadOperation]:
        """What the load sends for the steps of a session, in order."""
        load = self.load()
        return [load.operations[name] for name in load.sessions[session].operations]


def part(kind: str, name: str = "", inside: str = "", below: str = "", **properties: object) -> str:
    """An element of a JMeter plan with its tree; `__` in a property's name stands for a dot."""
    said = "".join(
        f'<stringProp name="{key.replace("__", ".")}">{escape(str(value))}</stringProp>'
        for key, value in properties.items()
    )
    return f"<{kind} testname={quoteattr(name)}>{said}{inside}</{kind}><hashTree>{below}</hashTree>"


def arguments(kind: str, **values: str) -> str:
    """The arguments of a sampler, or variables."""
    name = "HTTPsampler.Arguments" if kind == "HTTPArgument" else "Arguments.arguments"
    listed = "".join(
        f'<elementProp name={quoteattr(key)} elementType="{kind}"><stringProp name="Argument.name">{escape(key)}'
        f'</stringProp><stringProp name="Argument.value">{escape(value)}</stringProp>'
        f'<boolProp name="HTTPArgument.always_encode">true</boolProp></elementProp>'
        for key, value in values.items()
    )
    collection = f'<collectionProp name="Arguments.arguments">{listed}</collectionProp>'
    return collection if kind == "Argument" else f'<elementProp name="{name}">{collection}</elementProp>'


def extractor(kind: str, prefix: str = "", **properties: object) -> str:
    """An extractor, whose properties have its kind as a prefix, or another."""
    return part(kind, **{f"{prefix or kind}__{key}": value for key, value in properties.items()})


def sampler(name: str, path: str, method: str = "GET", below: str = "", raw: str = "", **fields: str) -> str:
    """An HTTP sampler."""
    inside = arguments("HTTPArgument", **fields)
    if raw:
        inside = (
            '<boolProp name="HTTPSampler.postBodyRaw">true</boolProp><elementProp name="HTTPsampler.Arguments">'
            '<collectionProp name="Arguments.arguments"><elementProp name="" elementType="HTTPArgument">'
            f'<stringProp name="Argument.value">{escape(raw)}</stringProp></elementProp></collectionProp></elementProp>'
        )
    return part("HTTPSamplerProxy", name, inside, below, HTTPSampler__path=path, HTTPSampler__method=method)


def headers(**fields: str) -> str:
    """A header manager; `_` in a name stands for a hyphen."""
    listed = "".join(
        f'<elementProp name="" elementType="Header"><stringProp name="Header.name">{name.replace("_", "-")}</stringProp>'
        f'<stringProp name="Header.value">{escape(value)}</stringProp></elementProp>'
        for name, value in fields.items()
    )
    return part("HeaderManager", "headers", f'<collectionProp name="HeaderManager.headers">{listed}</collectionProp>')


def group(name: str, below: str, users: int = 4, **properties: object) -> str:
    """A thread group."""
    return part("ThreadGroup", name, "", below, ThreadGroup__num_threads=users, **properties)


def plan(below: str, **variables: str) -> str:
    """A JMeter plan whose requests go to 127.0.0.1:8080."""
    defaults = part(
        "ConfigTestElement", "defaults", HTTPSampler__domain="${__P(host,127.0.0.1)}", HTTPSampler__port="8080"
    )
    defaults = defaults.replace("<ConfigTestElement ", '<ConfigTestElement guiclass="HttpDefaultsGui" ')
    declared = part("Arguments", "variables", arguments("Argument", **variables)) if variables else ""
    tree = part("TestPlan", "plan", "", defaults + declared + below)
    return f'<?xml version="1.0"?><jmeterTestPlan version="1.2"><hashTree>{tree}</hashTree></jmeterTestPlan>'
