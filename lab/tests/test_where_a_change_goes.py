"""The map answers a newcomer's questions: each change begins in the file that ARCHITECTURE names, which holds the named thing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from steelyard.base.paths import root
from test_packages import IMPORT_ORDER

LAB = Path("lab/steelyard")
MAP = (root() / "ARCHITECTURE.md").read_text(encoding="utf-8")
TABLE = MAP.partition("## Where a change goes")[2]
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]*)+|[\w-]+\.(?:py|toml|rs))`(?: \(`([\w.\[\]]+)`)?")
NOT_PATHS = {"server.toml", "service.toml", "study.toml"}


def place(path: str) -> Path:
    """Where a path of the map lies: in the lab's package, or else in the repository."""
    return next((whole for whole in (root() / LAB / path, root() / path) if whole.exists()), root() / path)


# Question, the row of the map that answers it, the file that the change begins in, and what that file must hold.
QUESTIONS = [
    (
        "How confident is an interval?",
        "the interval, the confidence level",
        "statistics/interval.py",
        "CONFIDENCE = 0.95",
    ),
    ("After how many forks may a run stop?", "the looks of a run", "statistics/looks.py", "LOOKS = ("),
    ("From which difference on is a subject not equal?", "the margin", "statistics/verdict_words.py", "MARGIN = "),
    ("What is the sentence of a verdict?", "the sentence of a verdict", "analyse/sentences.py", "def verdict("),
    ("Which colour has a slower subject?", "colours", "report/style.css", ".word.slower { color:"),
    ("Which colours do charts have?", "colours", "report/drawing.py", "COLOURS = ("),
    (
        "How large may the requests of a run be?",
        "limits on the size of requests",
        "workload/corpus.py",
        "MOST_BYTES = ",
    ),
    (
        "How large may the requests of a load be?",
        "limits on the size of requests",
        "workload/load_target.py",
        "MOST_BYTES = ",
    ),
    (
        "How large may a recorded body be?",
        "limits on the size of requests",
        "workload/recording/remembering.py",
        "MOST_BODY_BYTES = ",
    ),
    ("How large may an answer be?", "limits on the size of answers", "base/http_client.py", "ANSWER_BYTES = "),
    (
        "How large may an unpacked answer be?",
        "limits on the size of answers",
        "engine/src/http/unpack.rs",
        "const MOST_UNPACKED",
    ),
    (
        "Which tools' files can be imported?",
        "an import format",
        "workload/importing/other_tools/__init__.py",
        "READERS",
    ),
    (
        "To which load tools is a service exported?",
        "an export to a load tool",
        "workload/exporting/__init__.py",
        "hyperfoil",
    ),
    ("Which tools' results are judged?", "a reader of another tool", "judging/readers/__init__.py", "jmeter"),
    (
        "How does an answer in JSON count as right?",
        "a body format",
        "workload/body_formats/json_values.py",
        "class JsonValues",
    ),
    ("How is load that lasts cut into cells?", "a kind of cell", "plan/kinds/steady.py", "class Steady("),
    ("Whose slice comes when?", "a design", "plan/designs/alternating.py", "class Alternating("),
    ("Which load profiles are there?", "how load arrives", "models/job.py", "Profile = "),
    ("What does the engine read of a job?", "how load arrives", "engine/src/job/model.rs", "struct Job"),
    ("In which ways can a request fail?", "how a request fails", "results/tables.py", "FAILURE_KINDS = ("),
    ("What does the engine call a failure?", "how a request fails", "engine/src/verify/mod.rs", "Timeout"),
    (
        "Which columns does slices.csv have?",
        "a column of the engine",
        "engine/src/record/tables.rs",
        "lead_in_completed",
    ),
    (
        "What does a column of slices.csv mean?",
        "a column of the engine",
        "contracts/engine-output.md",
        "lead_in_completed",
    ),
    ("What is read of a process?", "the resources observed per process", "hosts/processes.py", "rss"),
    ("How is throughput computed?", "a measure", "analyse/measures.toml", 'name = "throughput"'),
    (
        "How much work of others voids a pair?",
        "what counts as work of other programs",
        "statistics/foreign_share.py",
        "FOREIGN_LIMIT = ",
    ),
    ("How exactly must Little's law hold?", "a check of the instrument", "statistics/checks.py", "LITTLE_TOLERANCE = "),
    (
        "What may a link carry before it is reported?",
        "a check of the instrument",
        "analyse/instrument.py",
        "LINK_WARNING = ",
    ),
    ("When is a subject warm?", "when warm-up ends", "statistics/steady.py", "PACE_TOLERANCE = "),
    ("How long is a turn?", "the length of a turn", "models/study.py", "turn_ms: "),
    ("When is a turn made longer?", "the length of a turn", "measure/trial/jobs.py", "def turn_of"),
    ("How many answers must a stretch hold?", "stretches for slow answers", "plan/stretches.py", "STRETCH_ANSWERS = "),
    ("How is a knee found?", "a detector of shaped loads", "analyse/detectors/knee.py", "knee"),
    ("When has a cell ended in a hang?", "an ending of a reliability cell", "analyse/endings.py", "DETECTORS"),
    ("Which faults can be injected?", "a fault", "models/study.py", "class Fault("),
    ("What happens to a killed part?", "a fault", "measure/trial/faults.py", "def _kill_processes"),
    ("How are engines given their share?", "several engines for one load", "engine/src/schedule/share.rs", "Share"),
    (
        "How do sessions differ, as assumed?",
        "the prediction for another day",
        "statistics/elsewhere.py",
        "def prediction_interval",
    ),
    ("What can every host do?", "a way to reach a host", "hosts/executor.py", "class Executor"),
    (
        "How is a subject written on the command line?",
        "a kind of subject",
        "catalogue/subject_syntax.py",
        "def subject_of",
    ),
    ("Which commands are there?", "a command or an option", "cli.py", "find_limit"),
    ("Which wrong command lines are tested?", "a command or an option", "lab/tests/wrong_words.txt", "stduies"),
    ("Which unit does a column have?", "a table or column of stored runs", "results/tabular/tables.toml", "unit = "),
    ("In which formats are tables written?", "a file format of tables", "results/tabular/files.py", "FORMATS"),
    ("What is a fork, in one line?", "a term of the glossary", "report/terms.toml", 'term = "fork"'),
    ("Who may read the pages of serve?", "a page of `serve`", "report/serve/guard.py", "token"),
    ("Which schema has which model?", "a schema of `contracts/`", "commands/schemas.py", "MODELS"),
    (
        "What is checked of a new server?",
        "a check of a new server",
        "measure/conformance/examination.py",
        "class Examination",
    ),
    ("What does the agent watch?", "a framework that the agent knows", "monitor/agent/", "Points.java"),
    ("How does a folder become a subject?", "a kind of subject", "catalogue/own_subjects.py", "def specs_of"),
    ("Where is a revision built?", "a revision of a repository", "hosts/revisions.py", "worktree"),
    ("Which exit code has a regression?", "the gate's answers", "commands/gate.py", "REGRESSION = 1"),
    ("Who builds the engine's job?", "the engine's job", "measure/trial/engine_job.py", "def engine_job"),
    ("When is a change point marked?", "when a change point", "statistics/change_points.py", "def change_points"),
    ("How is a kept run packed?", "the archive of a kept run", "base/raw_archive.py", "zip"),
    (
        "Which steps has a user's session?",
        "sessions of a user's service",
        "workload/own_sessions.py",
        "def read_sessions",
    ),
    ("How does a session log in?", "sessions of a user's service", "workload/login_flows.py", "def login_flow"),
    ("How does the engine run a session?", "sessions of a user's service", "engine/src/job/session.rs", "struct "),
]


@pytest.mark.parametrize(("question", "row", "path", "named"), QUESTIONS, ids=[question for question, *_ in QUESTIONS])
def test_the_map_leads_to_the_file_that_holds_the_answer(question: str, row: str, path: str, named: str) -> None:
    lines = [line for line in TABLE.splitlines() if line.startswith(f"| {row}")]
    assert len(lines) == 1, question
    mentioned = [mention for mention, _ in PATH.findall(lines[0])]
    assert any(path == mention or path.startswith(mention.rstrip("/") + "/") for mention in mentioned), question
    whole = place(path)
    if whole.is_dir():
        assert list(whole.rglob(named))
    else:
        assert named in whole.read_text(encoding="utf-8")


def test_there_are_questions_enough() -> None:
    assert len(QUESTIONS) >= 30


def test_every_path_of_the_map_exists_and_holds_what_stands_in_brackets() -> None:
    mentioned = [(path, named) for path, named in PATH.findall(MAP) if path not in NOT_PATHS]
    assert len(mentioned) > 100
    missing = [path for path, _ in mentioned if not place(path).exists()]
    lacking = [
        (path, named)
        for path, named in mentioned
        if named and place(path).is_file() and named not in place(path).read_text(encoding="utf-8")
    ]
    assert (missing, lacking) == ([], [])


def test_the_map_lists_the_packages_in_the_order_of_their_imports() -> None:
    section = MAP.partition("## The packages of the lab")[2].partition("\n## ")[0]
    packages = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert (*packages, "cli", "__main__") == IMPORT_ORDER
