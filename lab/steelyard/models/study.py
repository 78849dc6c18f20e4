"""A study: its subjects, its load, and its paper's statements (contracts/study.schema.json)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from .job import Profile, Session
from .measure import MeasureData
from .own_server import OwnServer
from .server import FactorName, Role
from .service import PlantName, Reconciliation
from .strict import Strict

SessionName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9-]*$", max_length=40)]
CLIENT = "client"  # the part of a fault outside the subjects: the sender of the load
SetName = Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)]


class Paper(Strict):
    """The publication that the study repeats."""

    authors: str
    year: int
    title: str


class Claim(Strict):
    """The paper's conclusion, in a sentence, with its setting."""

    text: str
    setting: str
    source: str


class Unlike(Strict):
    """Two subjects, by their labels, without a verdict between them, and `why` they are not comparable."""

    subjects: tuple[str, str]
    why: str


class Contrast(Strict):
    """A difference of the study: a measure in `test` minus the same subject's measure in the test `than`; without `than`, each
    subject's minus the reference's in `test`. `text` is the question, in words."""

    text: str
    measure: str
    test: str
    than: str = ""


class Statement(Strict):
    """A paper's statement in one place: a figure between `low` and `high`."""

    source: str
    low: float
    high: float


class ContradictingStatements(Strict):
    """A figure for which a paper has disjoint ranges in several places; raises ValueError where they overlap."""

    about: str
    unit: str
    statements: Annotated[list[Statement], Field(min_length=2)]

    @model_validator(mode="after")
    def _require_contradiction(self) -> ContradictingStatements:
        if max(statement.low for statement in self.statements) <= min(statement.high for statement in self.statements):
            raise ValueError(f"the statements about {self.about} do not contradict each other")
        return self


class StudyParameter(Strict):
    """A setting under the paper's own name.

    `sets` is its meaning to Steelyard: `users`, `warm_up_seconds`, `steady_seconds`, `drain_seconds`, `out`, `out_prefix`,
    `mix.<operation>` (percent), `service.<parameter>`, or `levels`, the base of the percentages of tests' levels (0: not known).
    `auto` allows the word auto: the number of users with the highest throughput is searched for.
    """

    default: int | float | str
    meaning: str
    sets: Annotated[
        str,
        Field(
            pattern=r"^(users|levels|warm_up_seconds|steady_seconds|drain_seconds|out|out_prefix|mix\.\w+|service\.\w+)$"
        ),
    ]
    unit: str = ""
    auto: bool = False


class Span(Strict):
    """The time between two events of a service, matched by their ids: measures draw on it by `name` (analyse/sources/spans).

    `begin` and `end` name events as the service writes them into the file STEELYARD_EVENTS.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
    begin: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    end: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    meaning: str


class Budget(Strict):
    """The time limit of the whole run; the first fork's time determines how many of the study's forks fit.

    `least_forks` are driven in any case, unless the user sets another budget. With `looks` in the study, the run also ends at the
    first look at which every primary comparison is decided.
    """

    seconds: Annotated[float, Field(gt=0)]
    least_forks: Annotated[int, Field(ge=0)] = 0


class Until(Strict):
    """The end of a stress test: this share of failed requests, or this response time."""

    failed_share: Annotated[float, Field(gt=0, lt=1)]
    response_ms: Annotated[float, Field(gt=0)]


TestName = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]


class Test(Strict):
    """A load with a shape, driven unbroken on one subject at a time: a block.

    `operation` is an operation or a session; with `mix`, it stands for several, each with its weight. `bytes` is the published
    size of a request. `overview` holds different values from elsewhere in the publication; `assumed` lists values that it lacks.
    `until` ends a stress test. With `percent_of`, the levels of its steps are percentages of that parameter of the study; without
    a value of the parameter, the test does not exist. `also` are further names of it for the user, where several experiments
    share it. A `cold` test is driven before the warm-up. `payload` are its own values of the service's parameters for the size of
    requests. `subjects` run it by default; empty: the study's usual ones.
    """

    name: TestName
    also: list[TestName] = []
    cold: bool = False
    title: str
    source: str
    operation: str
    mix: dict[str, Annotated[float, Field(gt=0)]] = {}
    bytes: Annotated[int, Field(gt=0)] | None = None
    profile: Profile
    overview: dict[Literal["seconds", "bytes", "to_users"], int] = {}
    assumed: list[str] = []
    until: Until | None = None
    percent_of: str | None = None
    payload: dict[str, Annotated[int, Field(ge=0)]] = {}
    subjects: list[str] = []

    @model_validator(mode="after")
    def _has_the_steps_that_it_needs(self) -> Test:
        for name, value in (("until", self.until), ("percent_of", self.percent_of)):
            if value is not None and self.profile.kind != "steps":
                raise ValueError(f"test {self.name}: `{name}` needs a profile of steps, not {self.profile.kind}")
        return self


class Fault(Strict):
    """A deliberate fault under the load of `test`, in a block of its own, `times` in each fork.

    `kill` ends the processes in the role `part` at once (SIGKILL), and restarts them with their own state; `freeze` pauses them
    (SIGSTOP), and continues them: for a `link`, it cuts the network. `full-disk` denies file writes (RLIMIT_FSIZE), then ends
    them and restarts them with free space. `refuse` makes them refuse requests, as their server.toml defines, and accept them
    again. `plant` switches on a fault of the service's `[plants]`, in the process of that part. The `client` can only be killed:
    as many users as the test's run beside its own, in a second engine that ends during their requests. The duration in `seconds`,
    and the time of the fault, are drawn from the run's seed, evenly between the two ends; `within` are shares of the block's
    time. All subjects get the same faults.
    """

    name: TestName
    kind: Literal["kill", "freeze", "full-disk", "refuse", "plant"]
    part: Role
    plant: PlantName | None = None
    test: TestName
    title: str = ""
    seconds: tuple[Annotated[float, Field(ge=0, le=600)], Annotated[float, Field(ge=0, le=600)]]
    within: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]] = (0.2, 0.7)
    times: Annotated[int, Field(ge=1, le=1000)] = 1

    @model_validator(mode="after")
    def _are_spans(self) -> Fault:
        for name, (low, high) in (("seconds", self.seconds), ("within", self.within)):
            if low > high:
                raise ValueError(f"fault {self.name}: `{name}` goes from {low:g} to {high:g}: put the low end first")
        return self

    @model_validator(mode="after")
    def _is_of_a_kind_that_can_be(self) -> Fault:
        if (self.kind == "plant") != (self.plant is not None):
            raise ValueError(f"fault {self.name}: `plant` is required for the kind plant, and allowed only there")
        if self.part == CLIENT and self.kind != "kill":
            raise ValueError(f"fault {self.name}: the client can only be killed")
        return self


class Work(Strict):
    """Fixed work: each user makes `each` requests, or sessions, and a slice ends when all are done.

    A slice longer than `most_seconds` does not count.
    """

    each: Annotated[int, Field(ge=1, le=1_000_000_000)]
    most_seconds: Annotated[float, Field(gt=0, le=24 * 3600)] = 60


class Reliability(Strict):
    """How reliability cells of grids are driven, each in a start of its own; the result is how a subject ends in them.

    After `warm_up_seconds` with few users come `seconds` of the cell's load. `until` is the limit of a good subject: above that
    mean response time it is slow, above that share of failed requests it is in errors.
    """

    seconds: Annotated[float, Field(gt=0)]
    warm_up_seconds: Annotated[float, Field(gt=0)]
    until: Until


class PrintedResults(Strict):
    """A publication's results of the cells of a grid, one text per cell in order; `assumed` lists what it does not state."""

    results: Annotated[list[str], Field(min_length=1)]
    source: str
    assumed: list[str] = []


class Grid(Strict):
    """A cell for each combination of an operation, a number of users and a value of each payload parameter.

    `operations` are by default the study's own, `users` its number of users. `payload` has the service's parameters, each with
    its values. `judged` is `all`, with one adjustment for their number, or names the one judged cell by its users and payload.
    With `cells = "corners-and-centre"` a run has only those, unless the whole grid is requested (`--whole-grid`). A grid with a
    `name` is driven on request (`--grid`), instead of those without. `may_refuse`: a subject that lives, but answers no request
    of a cell correctly, is counted, and the trial continues.

    With `cells = "in-step"`, users and payload rise together: the first of each, the second of each. `reliability`: each cell of
    each subject runs in a start of its own, and its end is the result (see the study's `reliability`), shown beside the `printed`
    one. On request (`--push`), up to `push` further cells follow, each with twice the users and payload of the one before,
    beginning with the most of each, for every subject that no cell of the operation has broken.
    """

    name: Annotated[str, Field(pattern="^([a-z][a-z0-9-]*)?$", max_length=40)] = ""
    operations: list[str] = []
    users: list[Annotated[int, Field(ge=1, le=100_000)]] = []
    payload: dict[str, Annotated[list[int], Field(min_length=1)]] = {}
    judged: Literal["all"] | dict[str, int] = "all"
    cells: Literal["all", "corners-and-centre", "in-step"] = "all"
    may_refuse: bool = False
    reliability: bool = False
    printed: PrintedResults | None = None
    push: Annotated[int, Field(ge=0, le=20)] = 0

    @model_validator(mode="after")
    def _sides_are_in_step(self) -> Grid:
        counts = {len(values) for values in (self.users, *self.payload.values())}
        if self.cells == "in-step" and len(counts) > 1:
            raise ValueError("users and payload rise in step, so each needs as many values as the others")
        if self.printed is not None and (self.cells != "in-step" or len(self.printed.results) not in counts):
            raise ValueError("`printed` needs cells in step, and a result for each of them")
        if self.push and not (self.reliability and self.cells == "in-step"):
            raise ValueError("only a grid of reliability whose cells are in step can be pushed")
        return self


class Load(Strict):
    """One of several loads under which a study compares each operation; each of them with each operation is a cell.

    Without `rates` and `share` it is closed. `rates` are Poisson arrivals per second of each operation, the same for all subjects.
    With `share` each subject gets this part of the rate of right answers that it had under the closed load `of` in the first fork,
    from the second fork on. `operations` are by default those of `rates`, else the study's. The cells of a `judged` load have
    verdicts by `judged_by`, adjusted for their number; default: throughput of a closed load, else the 99th percentile.
    """

    name: TestName
    title: str
    operations: list[str] = []
    rates: dict[str, Annotated[float, Field(gt=0, le=10_000_000)]] = {}
    share: Annotated[float, Field(gt=0, le=1)] | None = None
    of: str = ""
    judged: bool = False
    judged_by: str = ""

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Load:
        if self.rates and self.share is not None:
            raise ValueError(f"load {self.name} has `rates` and `share`: give one of them")
        if (self.share is None) != (not self.of):
            raise ValueError(f"load {self.name}: `share` and `of` go together")
        if self.share is not None and self.judged:
            raise ValueError(f"load {self.name} cannot be judged: each subject has a rate of its own")
        if self.rates and (without := [name for name in self.operations if name not in self.rates]):
            raise ValueError(f"load {self.name} has no rate of {without[0]}")
        return self


Observed = Literal["layers", "collector", "start"]


class PartSpec(Strict):
    """One process of a subject: a server, and its settings that differ from their defaults.

    `role` is its name among the subject's processes; default: its server's own. `processors` selects shared processors: those of
    the servers, those of the engine, or `own`, which companions have where the machine has some to spare. By default a server
    uses the servers' and a companion its own, or else the engine's. With `own` it is a server of the user's own, and `server` is
    its name.
    """

    server: str
    own: OwnServer | None = None
    factors: dict[str, str] = {}
    role: Role | None = None
    processors: Literal["server", "engine", "own"] | None = None


class SubjectSpec(Strict):
    """A compared subject. The first part takes the load; companions are started first and not judged. Files are named after
    `label`.

    `headers` go with every request, `operation_headers` with those of one operation, by its name. Each process finds the others'
    ports in STEELYARD_PORT_<ROLE>: the role is the place of a process in the subject, and unique.

    `same_as` makes it another face of a running subject: the same processes, with its own connections and headers. `slowed` (0.05
    is 5%) plants a slow-down by that share of the processor time per request, which the calibration measures and then writes as a
    header.
    """

    label: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._@=-]*$", max_length=100)]
    parts: list[PartSpec] = []
    companions: list[PartSpec] = []
    headers: dict[str, str] = {}
    operation_headers: dict[str, dict[str, str]] = {}
    same_as: str | None = None
    slowed: Annotated[float, Field(ge=0, le=10)] | None = None

    @model_validator(mode="after")
    def _has_processes(self) -> SubjectSpec:
        if self.same_as is None and not self.parts:
            raise ValueError(f"subject {self.label} has neither parts nor same_as")
        if self.same_as is not None and (self.parts or self.companions):
            raise ValueError(f"subject {self.label} shares the processes of {self.same_as}, so it has no parts")
        return self


def _is_face(subject: str | SubjectSpec) -> bool:
    return isinstance(subject, SubjectSpec) and subject.same_as is not None


class Study(Strict):
    """A study. `subjects` are server names or whole subjects; `primary` names the operation whose throughput is judged.

    `pairs` per fork and operation are given, or follow from the parameter that sets steady_seconds. `turn_ms` is the length of a
    turn of alternating slices of steady closed load (longer where answers are slow; 0: each slice in one stretch). `rate` makes
    the load open: Poisson arrivals per second, judged by the 99th percentile. `looks` are numbers of forks after which the run
    may be judged and ended; `margin` is the largest difference that counts as none. `operations` are run alone, each a cell of
    its own, unless `mix` or a configuration gives weights to run them together. With `tests`, each test is a cell instead; with a
    `grid`, each of its combinations; with `loads`, each operation under each load. `measures` are the study's own, beside those
    of measures.toml, and `more_measures` name further ones of that file that not every study has. `sets` are named groups of
    factors: `--with small` gives them to every server that has them, `LABEL@small` to one subject. `sections` are those of the
    report, in order; default: all with content. `reconciliations` end a trial, beside those of the service. `judged_by` is the
    measure of verdicts; default: throughput under closed load, the 99th percentile of response time under open load. `sessions`
    are requests that a user makes in order, each under a name that `operations` may contain; with `work`, each slice is a fixed
    number of them instead of a time. `spans` are times between events of the service.

    `observe` selects extra observations, at a cost to the subjects: `layers` (the time of a request inside the server, by the
    monitor in the service), `collector` (the log of the garbage collector) and `start` (the first right answer after a start, for
    which the server is asked every 10 ms). `contradicting` are figures of the
    paper's text that contradict each other. `contrasts` are differences that the report gives with intervals.
    `restore` is when companions are restored to their starting state: before each `trial`, or also before each `test` in it.
    `usual_tests` and `usual_subjects` run by default; empty: all of them, as all subjects do with faults. `variations` are the
    tests of a publication, each with its own subjects: one run, on request. `unlike` are the pairs of subjects that are never
    compared. `faults` are injected under the load of a test, which is then not measured: it runs alone, on request.
    """

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]
    title: str
    question: str
    service: str
    subjects: Annotated[list[str | SubjectSpec], Field(min_length=1)]
    reference: str
    operations: Annotated[list[str], Field(min_length=1)]
    primary: str
    mix: dict[str, Annotated[float, Field(gt=0)]] = {}
    design: Literal["alternating", "alternating-frozen", "apart", "sequential", "one-at-a-time"] = "alternating"
    forks: Annotated[int, Field(ge=1)] = 4
    pairs: Annotated[int, Field(ge=3)] | None = None
    slice_seconds: Annotated[float, Field(gt=0)] = 2.0
    turn_ms: Annotated[float, Field(ge=0, le=10_000)] = 150.0
    warm_up_limit_seconds: Annotated[float, Field(gt=0)] = 60.0
    corpus_entries: Annotated[int, Field(ge=1)] = 200
    parameters: dict[str, StudyParameter] = {}
    looks: list[Annotated[int, Field(ge=2)]] = []
    margin: Annotated[float, Field(gt=0, lt=1)] = 0.03
    rate: Annotated[float, Field(gt=0)] | None = None
    budget: Budget | None = None
    paper: Paper | None = None
    claims: list[Claim] = []
    contradicting: list[ContradictingStatements] = []
    contrasts: list[Contrast] = []
    measures: list[MeasureData] = []
    more_measures: list[str] = []
    tests: list[Test] = []
    usual_tests: list[str] = []
    usual_subjects: list[str] = []
    variations: dict[TestName, Annotated[list[str], Field(min_length=1)]] = {}
    grid: list[Grid] = []
    loads: list[Load] = []
    reliability: Reliability | None = None
    sets: dict[SetName, dict[FactorName, str]] = {}
    sections: list[str] = []
    reconciliations: list[Reconciliation] = []
    judged_by: str = ""
    sessions: dict[SessionName, Session] = {}
    work: Work | None = None
    spans: list[Span] = []
    observe: list[Observed] = []
    restore: Literal["trial", "test"] = "trial"
    unlike: list[Unlike] = []
    faults: list[Fault] = []

    def first_server(self) -> str:
        """The server of the first subject (of its first part)."""
        first = self.subjects[0]
        return first if isinstance(first, str) else first.parts[0].server

    @model_validator(mode="after")
    def _names_agree(self) -> Study:
        labels = [subject if isinstance(subject, str) else subject.label for subject in self.subjects]
        if len(set(labels)) != len(labels):
            raise ValueError(f"two subjects have the same label: {', '.join(labels)}")
        if self.reference not in labels:
            raise ValueError(f"reference '{self.reference}' is not one of the subjects {', '.join(labels)}")
        self._require_subjects(labels)
        hosts = {
            subject if isinstance(subject, str) else subject.label for subject in self.subjects if not _is_face(subject)
        }
        for subject in self.subjects:
            if isinstance(subject, SubjectSpec) and subject.same_as is not None and subject.same_as not in hosts:
                raise ValueError(
                    f"{subject.label} is the same as '{subject.same_as}', which is not a subject with parts"
                )
        names = [name for test in self.tests for name in (test.name, *test.also)]
        if len(set(names)) != len(names):
            raise ValueError(f"two tests have the same name: {', '.join(names)}")
        for test in self.tests:
            for operation in {test.operation, *test.mix} - {*self.operations}:
                raise ValueError(f"test {test.name} runs '{operation}', which is not one of the operations")
        for grid in self.grid:
            unknown = set(grid.operations) - set(self.operations)
            if unknown:
                raise ValueError(f"the grid names '{min(unknown)}', which is not one of the operations")
        if self.grid and self.tests:
            raise ValueError("a study has tests or a grid, not both")
        self._require_loads()
        if self.mix.keys() - {*self.operations}:
            raise ValueError(
                f"the mix names '{min(self.mix.keys() - {*self.operations})}', which is not one of the operations"
            )
        if self.primary not in self.operations:
            raise ValueError(f"primary '{self.primary}' is not one of the operations {', '.join(self.operations)}")
        return self

    def _require_loads(self) -> None:
        names = [load.name for load in self.loads]
        if len(set(names)) != len(names):
            raise ValueError(f"two loads have the same name: {', '.join(names)}")
        if self.loads and (self.tests or self.grid or self.rate is not None or self.work is not None or self.mix):
            raise ValueError("a study with loads has no tests, grid, rate, work or mix")
        if self.loads and not any(load.judged for load in self.loads):
            raise ValueError("none of the loads is judged")
        closed = {load.name for load in self.loads if not load.rates and load.share is None}
        for load in self.loads:
            for operation in {*load.operations, *load.rates} - {*self.operations}:
                raise ValueError(f"load {load.name} names '{operation}', which is not one of the operations")
            if load.share is not None and load.of not in closed:
                raise ValueError(f"load {load.name} is a share of '{load.of}', which is not a closed load")

    def _require_subjects(self, labels: list[str]) -> None:
        for label in {*self.usual_subjects} - {*labels}:
            raise ValueError(f"'{label}' is one of the usual subjects, but there is no such subject")
        for test in self.tests:
            for label in {*test.subjects} - {*labels}:
                raise ValueError(f"test {test.name} is run by '{label}', but there is no such subject")
        for label in {label for pair in self.unlike for label in pair.subjects} - {*labels}:
            raise ValueError(f"'{label}' is in `unlike`, but is not one of the subjects")

    @model_validator(mode="after")
    def _require_reliability_settings(self) -> Study:
        if self.reliability is None and any(grid.reliability for grid in self.grid):
            raise ValueError("a grid of reliability needs [reliability] in the study")
        return self

    @model_validator(mode="after")
    def _tests_that_others_name_are_known(self) -> Study:
        for name in set(self.usual_tests) - {test.name for test in self.tests}:
            raise ValueError(f"'{name}' is one of the usual tests, but there is no such test")
        broken = {fault.test for fault in self.faults}
        for name in self.variations:
            if name not in {test.name for test in self.tests} - broken:
                raise ValueError(f"'{name}' is one of the variations, but there is no such test without faults")
        wholes = {name for name, known in self.parameters.items() if known.sets == "levels"}
        for test in self.tests:
            if test.percent_of is not None and test.percent_of not in wholes:
                raise ValueError(
                    f"test {test.name} is in percent of '{test.percent_of}', which no parameter sets as levels"
                )
        return self

    @model_validator(mode="after")
    def _faults_have_a_test(self) -> Study:
        names = [fault.name for fault in self.faults]
        if len(set(names)) != len(names):
            raise ValueError(f"two faults have the same name: {', '.join(names)}")
        for fault in self.faults:
            if fault.test not in {test.name for test in self.tests}:
                raise ValueError(
                    f"fault {fault.name} belongs to the test '{fault.test}', which the study does not have"
                )
            if fault.test in self.usual_tests:
                raise ValueError(f"'{fault.test}' has faults, so it cannot be one of the usual tests")
        return self

    @model_validator(mode="after")
    def _percentiles_are_judged_under_open_load(self) -> Study:
        """Require an open load for percentiles: under a saturating closed load they only reflect throughput."""
        closed = self.rate is None and not self.tests and not self.sessions
        if closed and self.judged_by.startswith("response_time_p"):
            raise ValueError(
                f"judged_by = {self.judged_by} needs an open load: give the study a rate, or judge by throughput"
            )
        return self

    @model_validator(mode="after")
    def _work_is_fixed_in_one_way(self) -> Study:
        if self.work is not None and (self.rate is not None or self.tests):
            raise ValueError("fixed work has neither a rate nor tests; a test's profile may be fixed work of its own")
        return self
