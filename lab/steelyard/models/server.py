"""A server or companion as its folder describes it: server.toml (contracts/server.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .strict import Strict

Argv = Annotated[list[str], Field(min_length=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Artifact(Strict):
    """Something to fetch, pinned. Exactly one of `maven`, `pom`, `npm`, `apt`, `pypi` is given.

    `maven` is group:artifact:version[:packaging[:classifier]], checked against `sha256` and, with `unpack`, unpacked into
    {cache}/<unpack> (one leading folder stripped), else copied into {cache}. `bytes` is its size, for the progress bar.
    `pom` is a pom.xml of this folder whose runtime closure is copied into {cache}/<into>, every file checked against
    `lock` (lines of `sha256sum`). `npm` is a folder with package.json and package-lock.json, installed into
    {cache}/<into>. `pypi` is a requirements file with hashes, installed into a virtual environment {cache}/<into>.
    `apt` names Debian packages that must be on the machine.
    """

    maven: str | None = None
    pom: str | None = None
    npm: str | None = None
    pypi: str | None = None
    apt: list[str] | None = None
    sha256: Sha256 | None = None
    lock: str | None = None
    bytes: Annotated[int, Field(gt=0)] | None = None
    unpack: str | None = None
    into: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Artifact:
        given = [kind for kind in ("maven", "pom", "npm", "pypi", "apt") if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(
                f"an artifact has exactly one of maven, pom, npm, pypi, apt; this one has {given or 'none'}"
            )
        if self.maven is not None and self.sha256 is None:
            raise ValueError(f"artifact {self.maven} needs its sha256")
        if self.pom is not None and (self.lock is None or self.into is None):
            raise ValueError(f"artifact {self.pom} needs lock and into")
        return self


class Needs(Strict):
    """What must be on the machine: a JDK of this major version, and commands by name."""

    jdk: int | None = None
    commands: list[str] = []


class Factor(Strict):
    """A setting that may change results. Scripts read it as the environment variable STEELYARD_<NAME IN CAPITALS>."""

    default: str
    meaning: str
    choices: list[str] | None = None


class Licence(Strict):
    """A licensed product: the environment variable that names the user's own installation, and how to get one."""

    variable: str
    how: str


class Server(Strict):
    """The descriptor of one server or companion.

    `implementation` is the folder of a service that this server runs (services/<service>/<implementation>).
    The argument lists run in the descriptor's own folder; {port}, {scratch}, {cache} and {service} are their only
    placeholders: the port to listen on, an empty folder for this start, the folder that the artifacts were unpacked
    into (kept between runs), and the service's folder. `build` makes the implementation's artefact and runs when its
    sources changed; `prepare` writes the configuration into {scratch}; `start` runs in the foreground;
    `ready` is repeated until it exits with 0. `path` overrides the service's path where the product forces another.
    `deviations` names what of the contract this product does not keep, and why: by an exchange (`echoStruct/none`), a spelling of
    exchanges (`spelling/CDATA`) or a bad request (`wrong-types`). `floor` marks a server that reads no XML and only
    moves bytes: it shows what HTTP alone costs, and is asked no spelling but that of the contract.
    """

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]
    title: str
    version: str
    stack: str
    language: str
    kind: Literal["server", "companion"] = "server"
    implementation: str | None = None
    path: str | None = None
    jvm: bool = False
    floor: bool = False
    freeze: bool = True
    ready_seconds: Annotated[float, Field(gt=0)] = 120
    needs: Needs = Needs()
    licence: Licence | None = None
    artifacts: list[Artifact] = []
    factors: dict[Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")], Factor] = {}
    deviations: dict[str, str] = {}
    build: list[Argv] = []
    prepare: list[Argv] = []
    start: Argv
    ready: Argv

    def all_factors(self) -> dict[str, Factor]:
        """The factors of the descriptor, and `jdk` for every server that needs one: the major version it runs on."""
        if self.needs.jdk is None:
            return self.factors
        return {"jdk": Factor(default=str(self.needs.jdk), meaning="major version of the JDK"), **self.factors}

    def needs_with(self, factors: Mapping[str, str]) -> Needs:
        """What a start with these factors needs: another JDK where the factor `jdk` says so."""
        jdk = factors.get("jdk")
        return self.needs.model_copy(update={"jdk": int(jdk)}) if jdk is not None and jdk.isdigit() else self.needs
