"""A service under test as its folder describes it: service.toml (contracts/service.schema.json)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .job import Milliseconds
from .server import Argv, Factor, FactorName
from .strict import Strict

SERVED_ANSWERED = "served = answered"
Method = Annotated[str, Field(pattern="^[A-Z]{1,20}$")]
RequestPath = Annotated[str, Field(pattern="^/[!-~]*$")]


class Parameter(Strict):
    """A size of the corpus that a study may set; handed to the generator as NAME=VALUE."""

    default: int
    meaning: str
    unit: str
    least: int = 0
    most: int = 10_000_000


class Operation(Strict):
    """One kind of request: `method` and `path` (None: the service's) say where it goes, `headers` go with it (SOAPAction).

    `element` and `answer_element` are what SOAP calls request and answer in the schema. `places` are what an HTML answer is
    compared by: a name for each, and the XPath that leads there.
    `written = false` says that no exchange of it stands in the contract: its answers depend on more than the request (on a file
    that the user may replace), so the generator makes them all.
    """

    element: str | None = None
    answer_element: str | None = None
    places: dict[str, str] = {}
    meaning: str
    method: Method = "POST"
    path: RequestPath | None = None
    headers: dict[str, str] = {}
    written: bool = True


class Reconciliation(Strict):
    """What must be true of a subject after a trial's load, asked by a command; else the trial is void, with what it found.

    The argument list runs in the service's folder, with {host}, {service}, {port.ROLE}, {cache.ROLE} and {server.ROLE} replaced
    (of the subject's process in that role: its port, the folder of what was fetched for it, and that of its descriptor), and the
    front's environment. What it prints must be `expect`, where {requests} is how many requests the service counted since its
    start. It is asked where the front's factors have the values of `when`.
    """

    name: str
    command: Argv
    expect: str
    when: dict[FactorName, str] = {}

    def roles(self) -> set[str]:
        """The roles that the subject must have for the command to make sense."""
        return set(re.findall(r"\{(?:port|cache|server)\.([a-z][a-z0-9]*)\}", " ".join(self.command)))


class Service(Strict):
    """The descriptor of a service.

    `meaning` says how its answers are compared: SOAP and JSON by typed values, HTML by the texts at named places, anything else
    byte by byte. `schema` is what they must keep: SOAP's types (XML Schema), or a JSON Schema whose `$defs` hold the answer of
    each operation by its name. `wsdl` is for those who implement it: nothing is judged by it. What a service lacks of `counter`
    and `schema` is not judged, and said so.

    `path` is where every implementation answers. `counter` is a path whose GET answers, as a decimal number, how many
    requests reached the service. `generate` is the argument list of the exchange generator, run in the service's
    folder (the word `python3` stands for the lab's own interpreter); it is called with `--operation NAME --seed N
    --count N` and `--set NAME=VALUE` for each parameter, and prints one JSON object a line (see Exchange). `factors` are
    settings that every implementation obeys, on any server; they are set and passed on as a server's own are. Those among
    `generate_with` change the right answers: the generator is given them, too, so all subjects of a run have the same.
    `reconciliations` are what a trial ends with.
    """

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]
    title: str
    meaning: Literal["soap", "json", "html", "bytes"] = "soap"
    namespace: str | None = None
    path: RequestPath
    counter: RequestPath | None = None
    wsdl: str | None = None
    schema_file: Annotated[str | None, Field(alias="schema")] = None
    headers: dict[str, str] = {}
    parameters: dict[str, Parameter] = {}
    factors: dict[FactorName, Factor] = {}
    generate_with: list[FactorName] = []
    operations: Annotated[dict[str, Operation], Field(min_length=1)]
    generate: Annotated[list[str], Field(min_length=1)]
    reconciliations: list[Reconciliation] = []

    @model_validator(mode="after")
    def _says_what_its_meaning_needs(self) -> Service:
        missing = [key for key, value in self._needs().items() if not value]
        if missing:
            raise ValueError(f"a service that means {self.meaning} needs {', '.join(missing)}")
        return self

    def _needs(self) -> dict[str, object]:
        """What this meaning cannot be judged without, by its key."""
        named = self.operations.items()
        if self.meaning == "soap":
            ends = [(name, key) for name, _ in named for key in ("element", "answer_element")]
            return {
                "namespace": self.namespace,
                "schema": self.schema_file,
                **{f"operations.{name}.{key}": getattr(self.operations[name], key) for name, key in ends},
            }
        if self.meaning == "html":
            return {f"operations.{name}.places": operation.places for name, operation in named}
        return {}

    @property
    def not_judged(self) -> dict[str, str]:
        """What nothing can be said about, by what would be judged: the reason."""
        lacks: dict[str, str] = {}
        if self.counter is None:
            lacks[SERVED_ANSWERED] = "the service has no counter"
        if self.schema_file is None:
            lacks["the schema of answers"] = "the service has no schema"
        return lacks

    def as_set(self, values: Mapping[str, str]) -> Service:
        """This service with the values of its factors among `values` as their defaults."""
        changed = {
            name: factor.model_copy(update={"default": values.get(name, factor.default)})
            for name, factor in self.factors.items()
        }
        return self.model_copy(update={"factors": changed})


class Exchange(Strict):
    """A request with its expected answer: bodies as text (of a service that means bytes, as base64).

    `method`, `path` (with its query) and `headers` are this request's own; None and none: those of its operation. Exchanges of
    several operations with the same `link` belong together in a session. `pause_ms` is the user's pause after the answer. Where it
    is `filled`, its places `{{name}}` in path, headers and request are filled when it is sent: by a value that the session captured
    before, or `uuid`, `time` and `counter` by the engine; outside a session such a request means nothing.

    `marker` is a literal that every right answer holds and that no other request's answer holds (null where the answer
    carries nothing of the request). `fault` says that the right answer is a fault: SOAP's, else an HTTP status of 400 or more.
    `status` is the right answer's (null: 200, or a fault's usual one). `safe` says that sending the request twice does no harm.
    In a SOAP answer `{{hole:NAME}}` stands for a value that the service makes up, and in the request of a later exchange for the
    value that it was.
    """

    operation: str
    method: Method | None = None
    path: RequestPath | None = None
    headers: dict[str, str] = {}
    request: str
    answer: str
    marker: str | None = None
    fault: bool = False
    status: Annotated[int, Field(ge=100, le=599)] | None = None
    safe: bool = True
    link: Annotated[int, Field(ge=0)] | None = None
    pause_ms: Milliseconds | None = None
    filled: bool = False
