"""Writes what kept sessions show about other days and machines: `python tools/sessions.py [--check]`.

It fits the priors of `analyse/between_sessions.toml`, draws all results of the demonstration's comparison as
docs/results/answers.svg, and lists them in docs/results/README.md. A session is a kept run, under any later rules. Sessions whose
files are no longer kept are in docs/results/earlier-sessions.csv, which `--collect` reads from git's history.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import math
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import Any

from kept import ROOT, between, keep, kept_runs, rows
from steelyard.analyse.elsewhere import kind_of_pair, priors
from steelyard.base import raw_archive
from steelyard.base.csvfiles import is_stored, read_document, write_table
from steelyard.base.text import join_words, plural, ratio_text
from steelyard.catalogue import entries
from steelyard.models.between_sessions import BetweenSessions, Deviation, PairKind
from steelyard.models.cluster import MachineRatio, OverMachines
from steelyard.report.charts.forest import forest_chart
from steelyard.report.drawing import standalone
from steelyard.results.earlier import machine_text
from steelyard.statistics.campaigns import Found, pooled_spread
from steelyard.statistics.campaigns import random_effects as between_campaigns
from steelyard.statistics.distributions import student_quantile

RESULTS = ROOT / "docs" / "results"
PLACES = ("docs/results", "papers")  # of kept runs, in all of history
PAGE, CHART, EARLIER = RESULTS / "README.md", RESULTS / "answers.svg", RESULTS / "earlier-sessions.csv"
PRIORS = ROOT / "lab" / "steelyard" / "analyse" / "between_sessions.toml"
ASSUMED = {"like_machines": 0.03, "any_machines": 0.09}
ENOUGH = 8  # degrees of freedom from which a fitted deviation replaces the assumed one
LEAST = 0.005  # least used deviation: a few sessions that agree do not prove that all do
LEAST_FORKS = 4
DEMONSTRATION = ("go", "tomcat-metro", "echoStruct", "throughput")

# reads a document of a kept run by its name; None where it does not exist
Read = Callable[[str], Any]


@dataclass(frozen=True)
class Answer:
    """A session's result of a comparison: `a` over `b`, with the interval and confidence of its run's verdict.

    `begun` is the start of its first trial (UTC), `method` how slices alternated, `machine` the kind of machine, `kind` that of
    the pair.
    """

    run: str
    begun: str
    revision: str
    method: str
    machine: str
    kind: str
    service: str
    a: str
    b: str
    cell: str
    measure: str
    users: int
    ratio: float
    low: float
    high: float
    confidence: float
    forks: int

    @property
    def question(self) -> tuple[object, ...]:
        """The key of the comparison."""
        return self.service, self.a, self.b, self.cell, self.measure, self.users

    @property
    def session(self) -> tuple[str, str]:
        """The key of the session."""
        return self.run, self.begun

    @property
    def found(self) -> Found:
        """The log ratio with its standard error, from the interval."""
        quantile = student_quantile((1 + self.confidence) / 2, self.forks - 1)
        return Found(math.log(self.ratio), math.log(self.high / self.low) / 2 / quantile)


def answers_of(run: str, read: Read) -> Iterator[Answer]:
    """The judged results of a kept run by a measure with a prior: against its reference, without floors."""
    verdicts, schedule, environment = (read(f"{name}.json") for name in ("verdicts", "schedule", "environment"))
    if not verdicts or not schedule or not environment or not verdicts["valid"]:
        return
    cells = {cell["name"]: cell for cell in schedule["cells"]}
    for one in verdicts["comparisons"]:
        judged = one["primary"] and one["verdict"] and one["interval"] and one["forks"] >= LEAST_FORKS
        if not judged or one["b"] != schedule["reference"] or one["measure"] not in priors().measures:
            continue
        if any(_is_floor(environment, label) for label in (one["a"], one["b"])):
            continue
        yield Answer(
            run=run,
            begun=(read("trials/01/trial.json") or {}).get("begun", "")[:16],
            revision=environment["git"]["revision"][:10],
            method=_method(schedule),
            machine=machine_text(environment.get("machine")),
            kind=kind_of_pair(environment, one["a"], one["b"]),
            service=schedule["service"],
            a=one["a"],
            b=one["b"],
            cell=one["cell"],
            measure=one["measure"],
            users=cells[one["cell"]]["users"],
            ratio=one["ratio"],
            low=one["interval"][0],
            high=one["interval"][1],
            confidence=one["confidence"],
            forks=one["forks"],
        )


def _is_floor(environment: Mapping[str, Any], label: str) -> bool:
    known = entries.server_files()
    servers = [part.get("server", "") for part in environment.get("subjects", {}).get(label, [])]
    return any(name in known and entries.server(name).model.floor for name in servers)


def _method(schedule: Mapping[str, Any]) -> str:
    """How slices alternated: turns of 150 ms came with the freezing of idle subjects, those of 50 ms were without it."""
    turn = schedule.get("turn_ms")
    return f"turns of {turn:g} ms" if turn else "whole slices"


def kept() -> list[Answer]:
    """The results of the runs that are kept now, and of earlier ones."""
    now = [answer for name, folder in kept_runs().items() for answer in answers_of(name, _in_folder(folder))]
    earlier = [_from_row(row) for row in rows(EARLIER)] if EARLIER.is_file() else []
    sessions = {answer.session for answer in now}
    together = [*now, *(answer for answer in earlier if answer.session not in sessions)]
    return sorted(together, key=lambda answer: (answer.begun, answer.run, answer.question))


def _in_folder(folder: Path) -> Read:
    return lambda name: read_document(folder / name) if is_stored(folder / name) else None


def _from_row(row: Mapping[str, str]) -> Answer:
    numbers = {"ratio": float, "low": float, "high": float, "confidence": float, "users": int, "forks": int}
    return Answer(**{name: numbers[name](text) if name in numbers else text for name, text in row.items()})  # type: ignore[arg-type]


def collect() -> None:
    """Write the results of sessions that are no longer kept, each as it was last judged."""
    now = {answer.session for name, folder in kept_runs().items() for answer in answers_of(name, _in_folder(folder))}
    found: dict[tuple[str, str], list[Answer]] = {}
    seen: set[str] = set()
    for commit in _git("log", "--format=%H", "--", *PLACES).decode().split():
        listing = _git("ls-tree", "-r", commit, *PLACES).decode().splitlines()
        blobs = {path: head.split()[2] for head, path in (line.split("\t") for line in listing)}
        for path, blob in blobs.items():
            place = Path(path)
            if (not place.match("results/*/environment.json") and not place.match("results/*/raw.zip")) or blob in seen:
                continue
            seen.add(blob)
            for answer in answers_of(place.parent.name, _in_history(blobs, str(place.parent))):
                if answer.session not in now:
                    found.setdefault(answer.session, []).append(answer)
    names = [field.name for field in fields(Answer)]
    ordered = [answer for _, session in sorted(found.items(), key=lambda item: item[0][::-1]) for answer in session]
    write_table(EARLIER, names, (list(asdict(answer).values()) for answer in ordered))


def _in_history(blobs: Mapping[str, str], folder: str) -> Read:
    archive = blobs.get(f"{folder}/{raw_archive.NAME}")
    packed = zipfile.ZipFile(io.BytesIO(_git("cat-file", "blob", archive))) if archive else None

    def read(name: str) -> Any:
        if packed is not None and name in packed.namelist():
            return json.loads(packed.read(name))
        for suffix, unpacked in (("", bytes), (".xz", lzma.decompress), (".gz", gzip.decompress)):
            if blob := blobs.get(f"{folder}/{name}{suffix}"):
                return json.loads(unpacked(_git("cat-file", "blob", blob)))
        return None

    return read


def _git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, check=True).stdout


def fitted(answers: Sequence[Answer], assumed: float) -> Callable[[Callable[[Answer], object]], Deviation]:
    """The deviation between the sessions of these results, within groups of one method; `alike` separates further groups."""

    def by(alike: Callable[[Answer], object]) -> Deviation:
        groups: dict[object, list[Answer]] = defaultdict(list)
        for answer in answers:
            groups[answer.question, answer.method, alike(answer)].append(answer)
        again = [group for group in groups.values() if len(group) > 1]
        if not again:
            return Deviation(used=assumed, assumed=True)
        sessions: dict[object, set[object]] = defaultdict(set)
        for answer in (answer for group in again for answer in group):
            sessions[answer.method, alike(answer)].add(answer.session)
        freedom = sum(len(them) - 1 for them in sessions.values())
        spread = pooled_spread([[answer.found for answer in group] for group in again])
        known = freedom >= ENOUGH
        return Deviation(
            used=max(round(spread, 4), LEAST) if known else assumed,
            assumed=not known,
            fitted=round(spread, 4),
            freedom=freedom,
            questions=len({answer.question for group in again for answer in group}),
        )

    return by


def fit(answers: Sequence[Answer]) -> BetweenSessions:
    """The priors by kind of pair."""
    kinds = []
    for prior in priors().kinds:
        mine = [answer for answer in answers if answer.kind == prior.name]
        like = fitted(mine, ASSUMED["like_machines"])(lambda answer: answer.machine)
        any_one = fitted(mine, ASSUMED["any_machines"])(lambda _: "")
        kinds.append(PairKind(name=prior.name, title=prior.title, like_machines=like, any_machines=any_one))
    return BetweenSessions(measures=priors().measures, kinds=kinds)


def toml_of(known: BetweenSessions) -> str:
    """The priors as the text of their file."""
    head = PRIORS.read_text(encoding="utf-8").partition("\nmeasures")[0]
    lines = [head, f"measures = {json.dumps(known.measures)}"]
    for kind in known.kinds:
        lines += ["", "[[kinds]]", f"name = {json.dumps(kind.name)}", f"title = {json.dumps(kind.title)}"]
        for name in ("like_machines", "any_machines"):
            values = getattr(kind, name).model_dump(exclude_none=True)
            lines.append(f"{name} = {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in values.items())} }}")
    return "\n".join(lines) + "\n"


def demonstration(answers: Sequence[Answer]) -> list[Answer]:
    """All results of the demonstration's comparison, by time."""
    return [answer for answer in answers if (answer.a, answer.b, answer.cell, answer.measure) == DEMONSTRATION]


def forest(answers: Sequence[Answer]) -> str:
    """The answers as a forest plot."""
    together = between_campaigns([answer.found for answer in answers])
    mean = together.mean.exp()
    prediction = together.prediction.exp() if together.prediction is not None else None
    comparison = OverMachines(
        a=DEMONSTRATION[0],
        b=DEMONSTRATION[1],
        cell=DEMONSTRATION[2],
        operation=DEMONSTRATION[2],
        measure=DEMONSTRATION[3],
        unit="requests/s",
        title="Throughput",
        better="higher",
        margin=0.03,
        verdict=None,
        ratio=mean.estimate,
        interval=(mean.low, mean.high),
        confidence=mean.confidence,
        spread=math.expm1(together.spread),
        prediction=None if prediction is None else (prediction.low, prediction.high),
        counted=len(answers),
        forks=sum(answer.forks for answer in answers),
        machines=[
            MachineRatio(
                machine=_named(answer),
                processor=answer.machine,
                ratio=answer.ratio,
                interval=(answer.low, answer.high),
                forks=answer.forks,
                verdict=None,
            )
            for answer in answers
        ],
        sentence="",
    )
    picture = forest_chart(0, comparison, "session")
    assert picture is not None
    return standalone(picture.wide) + "\n"


def _named(answer: Answer) -> str:
    processor = answer.machine.partition(",")[0].replace("(R)", "").removesuffix(" Processor")
    return f"{answer.begun.replace('T', ' ')}, {processor}"


def section(answers: Sequence[Answer], known: BetweenSessions) -> str:
    """The page's section: the plot, a table of the results, their agreement, and the priors with their data."""
    mine = demonstration(answers)
    together = between_campaigns([answer.found for answer in mine])
    assert together.prediction is not None
    low, high = (ratio_text(bound) for bound in (math.exp(together.prediction.low), math.exp(together.prediction.high)))
    apart = list(combinations(mine, 2))
    held = sum(one.low <= other.ratio <= one.high for pair in apart for one, other in (pair, pair[::-1]))
    methods = join_words(list(dict.fromkeys(answer.method for answer in mine)))
    table = ["| begun (UTC) | run | machine | method | ratio | interval | forks |", "|---|---|---|---|---|---|---|"]
    for answer in mine:
        bounds = (answer.low, answer.high)
        interval = " to ".join(ratio_text(bound, bounds) for bound in bounds)
        cells = (answer.begun.replace("T", " "), answer.run, answer.machine, answer.method)
        table.append(f"| {' | '.join(cells)} | {ratio_text(answer.ratio, bounds)} | {interval} | {answer.forks} |")
    priors_table = [
        "| kind of pair | machines | used | fitted | degrees of freedom | comparisons |",
        "|---|---|---|---|---|---|",
    ]
    for kind in known.kinds:
        for title, deviation in (("of one kind", kind.like_machines), ("any", kind.any_machines)):
            used = f"{deviation.used:.1%}{' (assumed)' if deviation.assumed else ''}"
            fit_text = "-" if deviation.fitted is None else f"{deviation.fitted:.1%}"
            priors_table.append(
                f"| {kind.title} | {title} | {used} | {fit_text} | {deviation.freedom} | {deviation.questions} |"
            )
    return "\n".join(
        [
            f"![The throughput of go over that of tomcat-metro on echoStruct, in {plural(len(mine), 'session')}](answers.svg)",
            "",
            *table,
            "",
            f"These are all {len(mine)} sessions of this comparison in the repository, by {methods}.",
            f"Between them the ratio varies by {math.expm1(together.spread):.1%} beyond what their intervals explain.",
            f"An interval contains the ratio of another session in {held} of {2 * len(apart)} cases.",
            f"One more session on machines and by methods such as these would find {low} to {high} (95% prediction interval).",
            "",
            "Deviation between sessions of one comparison, by kind of pair and within one method.",
            f"A fitted deviation replaces the assumed one from {ENOUGH} degrees of freedom on: sessions, less the groups that they",
            "are compared within. Comparisons in the same sessions are not independent, so they add none.",
            "Sessions whose files are no longer kept are in [earlier-sessions.csv](earlier-sessions.csv).",
            "",
            *priors_table,
        ]
    )


def outputs() -> Iterator[tuple[Path, str]]:
    """Each file that is made, with its content."""
    answers = kept()
    known = fit(answers)
    yield PRIORS, toml_of(known)
    yield CHART, forest(demonstration(answers))
    marks = "<!-- sessions: made by `python tools/sessions.py` from the kept runs -->", "<!-- /sessions -->"
    yield PAGE, between(PAGE.read_text(encoding="utf-8"), *marks, section(answers, known))


def main() -> int:
    """Rewrite the files, or with --check fail where one is stale."""
    if "--collect" in sys.argv[1:]:
        collect()
    return max([keep(path, text, "`python tools/sessions.py`") for path, text in outputs()])


if __name__ == "__main__":
    sys.exit(main())
