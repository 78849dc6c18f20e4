"""A study as its file describes it: what is compared, under which load, and what its paper said (contracts/study.schema.json)."""

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
CLIENT = "client"  # the part of a fault that is no part of a subject: who sends the load
SetName = Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)]


class Paper(Strict):
    """The publication that the study reruns."""

    authors: str
    year: int
    title: str


class Claim(Strict):
    """What the paper found, in a sentence, with the setting it was found in."""

    text: str
    setting: str
    source: str


class Unlike(Strict):
    """Two subjects, by their labels, between which the study has no verdict, and `why` they are not alike."""

    subjects: tuple[str, str]
    why: str


class Contrast(Strict):
    """A difference that the study asks for: a measure's values in `test` less those in the test `than` of the same subject, or
    where `than` is not said, each subject's less the reference's in `test`. `text` is what is asked, in words."""

    text: str
    measure: str
    test: str
    than: str = ""


class PublishedFigure(Strict):
    """What the paper's text says of a measure of ours: `low` to `high` for a subject in these tests, in the measure's unit.

    Where it says how much more that is `than` another subject's, it is in `percent` of that one's, or in the measure's unit
    (`more`). The figures stand beside ours in the report; they are never compared: other versions, another machine.
    """

    measure: str
    subject: str
    than: str | None = None
    by: Literal["more", "percent"] = "more"
    tests: Annotated[list[str], Field(min_length=1)]
    low: float
    high: float
    source: str

    @model_validator(mode="after")
    def _is_a_span(self) -> PublishedFigure:
        if self.low > self.high:
            raise ValueError(
                f"a figure of {self.measure} is from {self.low:g} to {self.high:g}: the low end comes first"
            )
        return self


class Statement(Strict):
    """What a paper says in one place: a figure between `low` and `high`."""

    source: str
    low: float
    high: float


class ContradictingStatements(Strict):
    """A figure for which a paper has spans in several places that have nothing in common; raises ValueError where they have."""

    about: str
    unit: str
    statements: Annotated[list[Statement], Field(min_length=2)]

    @model_validator(mode="after")
    def _require_contradiction(self) -> ContradictingStatements:
        if max(statement.low for statement in self.statements) <= min(statement.high for statement in self.statements):
            raise ValueError(f"what is said about {self.about} does not contradict itself")
        return self


class StudyParameter(Strict):
    """A setting under the paper's own name.

    `sets` says what it is to Steelyard: `users`, `warm_up_seconds`, `steady_seconds`, `drain_seconds`, `out`, `out_prefix`,
    `mix.<operation>` (percent), `service.<parameter>`, or `levels`, what the levels of tests are percentages of (0: not known).
    `auto` allows the word auto: the number of users with the highest throughput is looked for.
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
    """A time that the whole run keeps to; the first fork's cost decides how many of the study's forks fit.

    `least_forks` are driven all the same, unless the user gave another budget. With `looks` in the study, the run also ends at
    the first look at which every primary comparison is decided.
    """

    seconds: Annotated[float, Field(gt=0)]
    least_forks: Annotated[int, Field(ge=0)] = 0


class Until(Strict):
    """Where a stress test has shown enough: this share of failed requests, or this response time."""

    failed_share: Annotated[float, Field(gt=0, lt=1)]
    response_ms: Annotated[float, Field(gt=0)]


TestName = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]


class Test(Strict):
    """A load with a shape, driven unbroken on one subject at a time: a block.

    `operation` names what is asked, an operation or a session; with `mix`, it stands for several, each with its weight.
    `bytes` is the size of a request as published. `overview` holds values that the publication gives elsewhere and
    differently; `assumed` names what it does not give. `until` says where a stress test has shown enough. With `percent_of`, the
    levels of its steps are percentages of that parameter of the study; where nobody gave the parameter, there is no such test.
    `also` are names that a user may ask for it by, where several experiments share it. A `cold` one is driven before the warm-up.
    `payload` are values of the service's parameters that size its requests, in the place of the run's own. `subjects` are those
    that run it where nobody names any; none said, the study's usual ones.
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
    """Something that is broken on purpose under the load of `test`, in a block of its own, `times` in each fork.

    `kill` ends the processes in the role `part` at once (SIGKILL), and starts them again on what they left; `freeze` stops them
    where they are (SIGSTOP), and lets them go on: of a `link`, that is a network that is cut. `full-disk` lets them write to no
    file (RLIMIT_FSIZE), then ends them and starts them again with room. `refuse` has them refuse what is asked, in the way that
    their server.toml knows, and take it again. `plant` has the service do wrong what it names under `[plants]`, in the process of
    that part. The `client` may only be killed: as many users as the test has stand beside its own, in an engine of their own that
    ends in the middle of what they ask. For how many `seconds` it lasts, and when it happens, is drawn from the run's
    seed, evenly between the two ends; `within` are shares of the block's time. All subjects meet the same.
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
                raise ValueError(f"fault {self.name}: `{name}` goes from {low:g} to {high:g}: the low end comes first")
        return self

    @model_validator(mode="after")
    def _is_of_a_kind_that_can_be(self) -> Fault:
        if (self.kind == "plant") != (self.plant is not None):
            raise ValueError(f"fault {self.name}: `plant` says what is planted, so it goes with the kind plant alone")
        if self.part == CLIENT and self.kind != "kill":
            raise ValueError(f"fault {self.name}: the client can be killed, and nothing else")
        return self


class Work(Strict):
    """Work that is fixed: each user makes `each` requests, or sessions, and a slice ends when all are done.

    One that takes longer than `most_seconds` does not count.
    """

    each: Annotated[int, Field(ge=1, le=1_000_000_000)]
    most_seconds: Annotated[float, Field(gt=0, le=24 * 3600)] = 60


class Reliability(Strict):
    """How the cells of grids are driven that ask how a subject ends under them, each in a start of its own.

    After `warm_up_seconds` by few users come `seconds` of the cell's load. `until` says from where on a subject that lives is no
    longer good: slow beyond that mean response time, in errors beyond that share of requests.
    """

    seconds: Annotated[float, Field(gt=0)]
    warm_up_seconds: Annotated[float, Field(gt=0)]
    until: Until


class PrintedResults(Strict):
    """What a publication printed of the cells of a grid, one text a cell in their order; `assumed` names what it does not say."""

    results: Annotated[list[str], Field(min_length=1)]
    source: str
    assumed: list[str] = []


class Grid(Strict):
    """A cell for each combination of an operation, a number of users and a value of each payload parameter.

    `operations` are the study's own where none are said, `users` its number of users. `payload` has the service's parameters, each
    with its values. `judged` is `all`, under one adjustment for their number, or names the one cell by its users and payload.
    With `cells = "corners-and-centre"` a run has only those, unless the whole grid is asked for (`--whole-grid`). One with a `name`
    is driven where the user asks for it (`--grid`), in the place of those without. `may_refuse`: a subject that lives, but has a
    right answer to no request of a cell, is counted, and the trial goes on.

    With `cells = "in-step"`, users and payload rise together: the first of each, the second of each. `reliability`: each cell of
    each subject in a start of its own, and how it ends is the result (the study's `reliability` says how); beside it stands what
    was `printed`. Where the user asks for it (`--push`), up to `push` cells more follow, in each of which users and payload are
    twice those of the one before, beginning with the most of each, for every subject that no cell of the operation has broken.
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
            raise ValueError("what was printed needs cells in step, and a result for each of them")
        if self.push and not (self.reliability and self.cells == "in-step"):
            raise ValueError("only a grid of reliability whose cells are in step can be pushed")
        return self


Observed = Literal["layers", "collector"]


class PartSpec(Strict):
    """One process of a subject: a server, and settings of it that differ from their defaults.

    `role` is its name among the subject's processes; none said, its server's own. `processors` says whose it shares: those of
    the servers, those of the engine, or `own`, which companions have where the machine has some to spare. None said, a
    server is on the servers' and a companion on its own, or else on the engine's. With `own` it is a server of the user's own, and
    `server` is what it is called.
    """

    server: str
    own: OwnServer | None = None
    factors: dict[str, str] = {}
    role: Role | None = None
    processors: Literal["server", "engine", "own"] | None = None


class SubjectSpec(Strict):
    """What is compared. The first part takes the load; companions are started first and not judged. Files are named after `label`.

    `headers` go with every request. Each process finds the others' ports in STEELYARD_PORT_<ROLE>: the role is the place of a
    process in the subject, and no two have the same.

    `same_as` makes it another face of a subject that runs: the same processes, asked over connections and with headers of
    its own. `slowed` (0.05 is 5%) plants a slow-down by that share of the processor time per request, which the
    calibration measures and then writes as a header.
    """

    label: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._@=-]*$", max_length=100)]
    parts: list[PartSpec] = []
    companions: list[PartSpec] = []
    headers: dict[str, str] = {}
    same_as: str | None = None
    slowed: Annotated[float, Field(ge=0, le=10)] | None = None

    @model_validator(mode="after")
    def _has_processes(self) -> SubjectSpec:
        if self.same_as is None and not self.parts:
            raise ValueError(f"subject {self.label} has neither parts nor same_as")
        if self.same_as is not None and (self.parts or self.companions):
            raise ValueError(f"subject {self.label} is a face of {self.same_as}, so it has no parts of its own")
        return self


def _is_face(subject: str | SubjectSpec) -> bool:
    return isinstance(subject, SubjectSpec) and subject.same_as is not None


class Study(Strict):
    """A study. `subjects` are server names or whole subjects; `primary` names the operation whose throughput is judged.

    `pairs` a fork and operation are given, or follow from the parameter that sets steady_seconds.
    `turn_ms` is for how long each of the alternating slices of steady closed load has the machine before it is the other's turn
    (longer where answers are slow; 0: each slice in one stretch).
    `rate` makes the load open: Poisson arrivals per second, judged by the 99th percentile. `looks` are numbers of forks after
    which the run may be judged and ended; `margin` is the difference that counts as none.
    `operations` lists those run alone, each a cell of its own, unless `mix` or a configuration gives weights by which they are run
    together. Where there are `tests`, each
    of them is a cell instead; where there is a `grid`, each of its combinations. `measures` are the study's own, beside those of
    measures.toml. `sets` are factors that go together under a name: `--with small` gives them to every server that has them,
    `LABEL@small` to one subject. `sections` are those of the report, in order; none said, all that have something to show.
    `reconciliations` are what a trial ends with, beside those of the service.
    `judged_by` is the measure that verdicts rest on; none said, throughput where the load is closed, the 99th percentile of
    response time where it is open. `sessions` are requests that a user makes in order, each under a name that `operations` may
    hold; with `work`, each slice is a fixed number of them and not a time. `spans` are times between events of the service.
    `observe` asks for more than every run records, at a price that the subjects pay: `layers` (where a request's time goes inside
    the server, by the monitor that the service links) and `collector` (the log of the garbage collector).
    `published` and `contradicting` are figures of the paper's text, and those of them that do not go together.
    `contrasts` are differences that the report says with their intervals. `restore` says before what companions are brought to
    their starting state: each `trial`, or each `test` in it, too.
    `usual_tests` and `usual_subjects` are the tests and the subjects that run where nobody names any; none said, all of them, as
    all subjects do where something is broken. `variations` are the tests that a publication ran, each with its own subjects: one
    run, where somebody asks for them. `unlike` are the pairs of subjects that are never judged beside each other. `faults` are what
    is broken under the load of a test, which then is no measured one: it runs alone, where somebody names it.
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
    design: Literal["alternating", "alternating-frozen", "sequential", "one-at-a-time"] = "alternating"
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
    published: list[PublishedFigure] = []
    contradicting: list[ContradictingStatements] = []
    contrasts: list[Contrast] = []
    measures: list[MeasureData] = []
    tests: list[Test] = []
    usual_tests: list[str] = []
    usual_subjects: list[str] = []
    variations: dict[TestName, Annotated[list[str], Field(min_length=1)]] = {}
    grid: list[Grid] = []
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
        """The server that the first subject runs on (of several parts: the first)."""
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
                raise ValueError(f"{subject.label} is the same as '{subject.same_as}', which is no subject with parts")
        names = [name for test in self.tests for name in (test.name, *test.also)]
        if len(set(names)) != len(names):
            raise ValueError(f"two tests have the same name: {', '.join(names)}")
        for test in self.tests:
            for asked in {test.operation, *test.mix} - {*self.operations}:
                raise ValueError(f"test {test.name} runs '{asked}', which is not one of the operations")
        for grid in self.grid:
            unknown = set(grid.operations) - set(self.operations)
            if unknown:
                raise ValueError(f"the grid names '{min(unknown)}', which is not one of the operations")
        if self.grid and self.tests:
            raise ValueError("a study has tests or a grid, not both")
        if self.mix.keys() - {*self.operations}:
            raise ValueError(
                f"the mix names '{min(self.mix.keys() - {*self.operations})}', which is not one of the operations"
            )
        if self.primary not in self.operations:
            raise ValueError(f"primary '{self.primary}' is not one of the operations {', '.join(self.operations)}")
        return self

    def _require_subjects(self, labels: list[str]) -> None:
        for label in {*self.usual_subjects} - {*labels}:
            raise ValueError(f"'{label}' is one of the usual subjects, but there is no such subject")
        for test in self.tests:
            for label in {*test.subjects} - {*labels}:
                raise ValueError(f"test {test.name} is run by '{label}', but there is no such subject")
        for label in {label for pair in self.unlike for label in pair.subjects} - {*labels}:
            raise ValueError(f"'{label}' is said to be unlike another, but is not one of the subjects")

    @model_validator(mode="after")
    def _require_reliability_settings(self) -> Study:
        if self.reliability is None and any(grid.reliability for grid in self.grid):
            raise ValueError("a grid of reliability needs the study's [reliability], which says how it is driven")
        return self

    @model_validator(mode="after")
    def _tests_that_others_name_are_known(self) -> Study:
        for name in set(self.usual_tests) - {test.name for test in self.tests}:
            raise ValueError(f"'{name}' is one of the usual tests, but there is no such test")
        broken = {fault.test for fault in self.faults}
        for name in self.variations:
            if name not in {test.name for test in self.tests} - broken:
                raise ValueError(f"'{name}' is one of the variations, but there is no such test that measures")
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
                raise ValueError(f"'{fault.test}' breaks what it is driven on, so it is none of the usual tests")
        return self

    @model_validator(mode="after")
    def _published_figures_have_a_place(self) -> Study:
        labels = {subject if isinstance(subject, str) else subject.label for subject in self.subjects}
        tests = {test.name for test in self.tests}
        for figure in self.published:
            strange = {figure.subject, figure.than or figure.subject} - labels or set(figure.tests) - tests
            if strange:
                raise ValueError(
                    f"a published figure of {figure.measure} is of '{min(strange)}', which the study does not have"
                )
        return self

    @model_validator(mode="after")
    def _percentiles_are_judged_under_open_load(self) -> Study:
        """Under a saturating closed load a percentile of response times only mirrors throughput."""
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
