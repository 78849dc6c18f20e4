"""A server or companion: the model of server.toml (contracts/server.schema.json)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .strict import Strict

Argv = Annotated[list[str], Field(min_length=1)]
ANY = "any"
FORMAT = "format"  # the factor of a service that selects a subject's message format
PROCESSORS = "cpus"  # a factor of every server
MONITOR = "monitor"  # the factor of a server that can record layers
AGENT = "agent"  # its value for a service that does not link the monitor
TLS = "tls"  # the factor of a server that supports TLS; `on` enables it
NEVER_READY = 69  # exit code of `ready` for a server that never will be: EX_UNAVAILABLE of sysexits.h
Role = Annotated[str, Field(pattern="^[a-z][a-z0-9]*$")]
FactorName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")]
When = dict[str, str | Annotated[list[str], Field(min_length=1)]]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Artifact(Strict):
    """A pinned file or package to fetch. Exactly one of `maven`, `pom`, `npm`, `apt`, `pypi` is given.

    With `when`, it is fetched only where these factors have these values, or one of several; a pom.xml gets single values as
    properties, so a factor can select one of several versions of a stack. The factor may be a service's `format`: artifacts for
    some message formats are fetched for these alone.

    `maven` is group:artifact:version[:packaging[:classifier]], checked against `sha256` and, with `unpack`, unpacked into
    {cache}/<unpack> (one leading folder stripped), else copied into {cache}. `bytes` is its size, for the progress bar. `pom` is
    a pom.xml of this folder whose runtime closure is copied into {cache}/<into>, every file checked against `lock` (lines of
    `sha256sum`). `npm` is a folder with package.json and package-lock.json, installed into {cache}/<into>. `pypi` is a
    requirements file with hashes, installed into a virtual environment {cache}/<into>; the build dependencies of its packages are
    in build-<pypi> beside it, also with hashes. `apt` names Debian packages that must be on the machine.
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
    when: When = {}

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


class BuildStep(Strict):
    """An additional build step, which runs where these factors have these values."""

    run: Argv
    when: Annotated[When, Field(min_length=1)]


class Needs(Strict):
    """Requirements on the machine: a JDK of this major version and vendor, and commands by name.

    `commands` are needed by every start, `build_commands` only to fetch or build. `versions` are commands, with {cache} where
    needed, whose first line of output is the version of an installed toolchain: a run records them.
    """

    jdk: int | None = None
    jdk_vendor: str = ANY
    commands: list[str] = []
    build_commands: list[str] = []
    versions: list[Argv] = []


class Factor(Strict):
    """A setting that may change results. Scripts read it as the environment variable STEELYARD_<NAME IN CAPITALS>.

    A value is one of `choices`, or matches the regular expression `form`, where given. `file`, for a service's factor: the value
    is the path of a file, relative to the user's current folder, or else to the service's folder. `implementations` are those of
    the service that support it, where not all do. `needs` restricts values to certain values of other factors: by value, the
    required values by the factor's name. `headers` go with every request to a subject whose server or service has the factor at
    that value: a client's credentials.
    """

    default: str
    meaning: str
    choices: list[str] | None = None
    form: str | None = None
    file: bool = False
    implementations: list[str] | None = None
    needs: dict[str, dict[FactorName, str]] = {}
    headers: dict[str, dict[str, str]] = {}

    @model_validator(mode="after")
    def _needs_are_of_its_values(self) -> Factor:
        for noun, values in (("needs", self.needs), ("headers", self.headers)):
            for value in values:
                if self.refusal(value) is not None:
                    raise ValueError(f"{noun} names '{value}', which is not one of its values")
        return self

    def refusal(self, value: str) -> str | None:
        """Why `value` is invalid for this factor, as the end of a sentence; None where it is valid."""
        if not value.isprintable():
            return f"is {value!r}, but a value is one line without tabs and other control characters"
        if self.choices is not None and value not in self.choices:
            return f"may be {', '.join(self.choices)}, not '{value}'"
        if self.form is not None and not re.fullmatch(self.form, value):
            return f"may be {f'such as {self.default}' if self.default else f'empty or of the form {self.form}'}, not '{value}'"
        return None


class State(Strict):
    """A companion's starting state: how it is made, and how it is verified.

    The argument lists run once the companion is ready and before a service starts. `restore` makes the starting state; the output
    of `verify`, counts and checksums, is stored in the trial's record and must be equal in every trial of a run. Where a study
    restores before each test, they run again while the service runs; STEELYARD_RESTORED then has the number of the restore.
    """

    restore: list[Argv] = []
    verify: Argv


class Refusing(Strict):
    """Two argument lists that make a running server refuse requests, and accept them again, for a study's faults."""

    begin: Argv
    end: Argv


class Licence(Strict):
    """A licensed product: the environment variable that names the folder of the user's own installation, and how to get one.

    The folder is recognised by the files that it `contains`.
    """

    variable: str
    how: str
    contains: list[str] = []


class SharedDescriptor(Strict):
    """The common part of several descriptors: a file that they `include`.

    Paths in it are relative to the folder of the including descriptor.
    """

    artifacts: list[Artifact] = []
    build_also: list[BuildStep] = []
    factors: dict[FactorName, Factor] = {}
    deviations: dict[str, str] = {}
    tuning: dict[str, str] = {}


class Server(Strict):
    """The descriptor of one server or companion.

    With a factor `version` or `stack_version`, `version` and `stack` are the defaults.

    `implementation` is the folder of a service that this server runs (services/<service>/<implementation>). `role` is the name of
    its process within a subject: a server is the `server` unless a study gives another role. The argument lists run in the
    descriptor's own folder; {host}, {port}, {scratch}, {cache} and {service} are their only placeholders: the address and port to
    listen on, an empty folder for this start, the folder of the unpacked artifacts (kept between runs), and the service's folder;
    {port.ROLE} is the port of another process of the subject. `build` makes the implementation's artefact and runs when its
    sources changed, as do those steps of `build_also` that match the factors; `prepare` writes the configuration into {scratch};
    `start` runs in the foreground; `ready` is repeated until it exits with 0, or with 69 where the server never will be ready,
    after printing the reason; `redeploy` replaces the service by its newly built artefact while the server runs, where the
    product supports that (without it, a new build needs a restart). `ready_seconds` limits the time until `ready`, and of each
    command of `prepare`, which has at least 60 s. `path` overrides the service's path where the product requires another:
    `{context}` and `{endpoint}` stand for the parts before and after the last slash of the service's own. `paths` does so where
    the factor `endpoint` has that value. `more_ports` are further ports, by name: {port.ROLE.NAME}, and
    STEELYARD_PORT_<ROLE>_<NAME>. `artifact` names the files and folders that a user deploys, for their size, with {cache},
    {service}, {name} (the service's) and {factor.NAME}: the program, WAR or jars, not the JDK or server that runs them.

    `deviations` lists violations of the contract by this product with reasons: by an exchange (`echoStruct/none`), a spelling of
    exchanges (`spelling/CDATA`, or `SERVICE/spelling/CDATA` for one service) or a bad request (`wrong-types`); violations in one
    message format alone follow the format's name (`signed/echoStruct/none`). `floor` marks a server that reads no XML and only
    moves bytes: it shows the cost of HTTP alone, and only gets the contract's own spelling. `tuning` gives, for each server
    setting that a study's paper tuned (papers/tuning-settings.toml), the product's nearest setting and its value here, or "none"
    and the reason. `include` names files, relative to the descriptor's folder, with tables that it shares with others
    (SharedDescriptor): theirs come first, and where both have a name the descriptor's own takes precedence. `never_run`: the
    authors could never start it, which is stated wherever servers are listed.
    """

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]
    title: str
    version: str
    stack: str
    language: str
    kind: Literal["server", "companion"] = "server"
    role: Role = "server"
    implementation: str | None = None
    path: str | None = None
    paths: dict[str, str] = {}
    jvm: bool = False
    floor: bool = False
    freeze: bool = True
    ready_seconds: Annotated[float, Field(gt=0)] = 120
    needs: Needs = Needs()
    licence: Licence | None = None
    never_run: bool = False
    artifacts: list[Artifact] = []
    include: list[str] = []
    factors: dict[FactorName, Factor] = {}
    deviations: dict[str, str] = {}
    tuning: dict[str, str] = {}
    build: list[Argv] = []
    build_also: list[BuildStep] = []
    more_ports: list[Role] = []
    prepare: list[Argv] = []
    start: Argv
    ready: Argv
    redeploy: list[Argv] = []
    artifact: list[str] = []
    state: State | None = None
    refuse: Refusing | None = None

    @model_validator(mode="after")
    def _companions_have_roles(self) -> Server:
        if (self.kind == "companion") != (self.role != "server"):
            raise ValueError(
                f"a {self.kind} has no role '{self.role}'; a companion's is such as database, broker or mail"
            )
        if self.kind == "server" and self.state is not None:
            raise ValueError("only a companion can have a [state]")
        return self

    @model_validator(mode="after")
    def _versions_agree(self) -> Server:
        for name, stated in (("version", self.version), ("stack_version", self.stack)):
            if name in self.factors and self.factors[name].default not in stated:
                raise ValueError(f"factor {name} is {self.factors[name].default} by default, but '{stated}' is stated")
        for wanted, when in (
            *(("an artifact", artifact.when) for artifact in self.artifacts),
            *(("a step of the build", step.when) for step in self.build_also),
        ):
            for name, value in when.items():
                known = self.factors[name].choices or [] if name in self.factors else []
                if name != FORMAT and not set(_values(value)).issubset(known):
                    raise ValueError(f"{wanted} is for {name} = {value}, which is not a choice of a factor")
        return self

    def all_factors(self) -> dict[str, Factor]:
        """The factors of the descriptor, and those of every server: its number of processors, and for a JDK its major version and
        vendor."""
        processors = Factor(
            default="",
            form="([1-9][0-9]*)?",
            meaning="the number of processors for its processes, of the subjects' share; empty for all",
        )
        if self.needs.jdk is None:
            return {PROCESSORS: processors, **self.factors}
        return {
            PROCESSORS: processors,
            "jdk": Factor(default=str(self.needs.jdk), meaning="major version of the JDK", form="[1-9][0-9]*"),
            "jdk_vendor": Factor(
                default=self.needs.jdk_vendor,
                form="[a-z0-9-]+",
                meaning="vendor of the JDK, from IMPLEMENTOR in its release file, in lower case with hyphens",
            ),
            **self.factors,
        }

    def needs_with(self, factors: Mapping[str, str]) -> Needs:
        """The needs of a start with these factors, including the JDK of the factors `jdk` and `jdk_vendor`."""
        if self.needs.jdk is None:
            return self.needs
        major, vendor = factors.get("jdk", self.needs.jdk), factors.get("jdk_vendor", self.needs.jdk_vendor)
        return self.needs.model_copy(update={"jdk": int(major), "jdk_vendor": vendor})

    def as_run(self, factors: Mapping[str, str]) -> Server:
        """This server under these factors: with their versions, the artifacts of these versions, and the matching build steps.

        `factors` holds a value for each factor of the descriptor.
        """
        stack_version = self.factors.get("stack_version")
        return self.model_copy(
            update={
                "version": factors.get("version", self.version),
                "stack": self.stack
                if stack_version is None
                else self.stack.replace(stack_version.default, factors["stack_version"]),
                "artifacts": [artifact for artifact in self.artifacts if _holds(artifact.when, factors)],
                "build": [*self.build, *(step.run for step in self.build_also if _holds(step.when, factors))],
                "build_also": [],
            }
        )

    def path_of(self, path: str, factors: Mapping[str, str]) -> str:
        """This server's path for the endpoint that the service has at `path`."""
        context, _, endpoint = path.rpartition("/")
        form = self.paths.get(factors.get("endpoint", ""), self.path)
        return path if form is None else form.replace("{context}", context).replace("{endpoint}", endpoint)

    def defaults(self) -> dict[str, str]:
        """The default value of each factor."""
        return {name: factor.default for name, factor in self.all_factors().items()}


def _values(wanted: str | list[str]) -> list[str]:
    return [wanted] if isinstance(wanted, str) else wanted


def _holds(when: When, factors: Mapping[str, str]) -> bool:
    """Whether these factors have the values, or one of the values named for each."""
    return all(factors.get(name) in _values(wanted) for name, wanted in when.items())
