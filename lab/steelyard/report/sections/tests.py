"""A study's tests, environment by environment: load, figures, charts and findings, beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...analyse.analysis import Analysis
from ...analyse.decisions import judged_by, test_of, tests_in_order
from ...analyse.detectors import DETECTORS
from ...base.csvfiles import is_stored
from ...base.text import change_text, join_words, ratio_text
from ...catalogue.published_tables import (
    PUBLISHED,
    Contradiction,
    PublishedRow,
    contradiction,
    read_published,
    stored_conclusions,
)
from ...models.published_conclusions import ChartReading
from ...models.records import Cell
from ...models.verdict import DecidedTest, Detection
from ...plan import shapes
from ...statistics.checks import LITTLE_TOLERANCE
from ..charts.graph import Graph, graph
from ..charts.over_time import charts
from ..drawing import Picture
from ..figure_table import headings, operation_of
from ..section import Section
from ..subjects import cells

GRAPH = ("corpus", "graph.xml")


@dataclass(frozen=True)
class Published:
    """The paper's printed figures of a test.

    `rows` of text, and whether Little's law contradicts each; ratios there and here. `marks` is the decimal mark: "point" or
    "comma".
    """

    table: str
    marks: str
    rows: tuple[tuple[tuple[str, ...], bool], ...]
    ratios: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True)
class TestShown:
    """One test. `verdicts` are those of the judged measure; `sentences` are (judged, sentence) of its detectors."""

    name: str
    title: str
    load: str
    scaled: str
    source: str
    remarks: tuple[str, ...]
    verdicts: tuple[str, ...]
    why_not: tuple[str, ...]
    sentences: tuple[tuple[bool, str], ...]
    charts: tuple[Picture, ...]
    published: Published | None
    claims: tuple[tuple[str, str], ...]
    readings: tuple[str, ...]


@dataclass(frozen=True)
class Environment:
    """All tests of one operation, with the graph of services that its requests pass through, if any."""

    operation: str
    tests: tuple[TestShown, ...]
    graph: Graph | None


@dataclass(frozen=True)
class PaperNumbers:
    """The paper's stored numbers; empty where there are none."""

    rows: tuple[PublishedRow, ...] = ()
    claims: tuple[Contradiction, ...] = ()
    readings: tuple[ChartReading, ...] = ()


def environments(analysis: Analysis) -> tuple[Environment, ...]:
    """One for each operation that has tests, in the order of the study; empty for a study without tests."""
    run = analysis.run
    blocks = tests_in_order(run)
    if not blocks:
        return ()
    paper = _paper(analysis)
    drawn = graph(run.folder.joinpath(*GRAPH))
    decided = {test.test: test for decision in analysis.verdicts.decisions for test in decision.tests}
    shown: dict[str, list[TestShown]] = {}
    for place, cell in enumerate(blocks):
        shown_test = _test(analysis, place, cell, decided.get(cell.name), paper)
        shown.setdefault(cell.operation, []).append(shown_test)
    last = list(shown)[-1]
    return tuple(
        Environment(operation, tuple(tests), drawn if operation == last else None) for operation, tests in shown.items()
    )


def _paper(analysis: Analysis) -> PaperNumbers:
    folder = analysis.run.folder
    if not is_stored(folder / PUBLISHED):
        return PaperNumbers()
    rows = read_published(folder / PUBLISHED)
    conclusions = stored_conclusions(folder)
    return PaperNumbers(
        rows, tuple(contradiction(claim, rows) for claim in conclusions.contradicted), tuple(conclusions.readings)
    )


def _test(analysis: Analysis, place: int, cell: Cell, decided: DecidedTest | None, paper: PaperNumbers) -> TestShown:
    test = test_of(analysis.run, cell)
    return TestShown(
        name=cell.name,
        title=cell.title,
        load=shapes.words(cell.profile),
        scaled=_scale_sentence(test, cell, analysis.run.schedule.scale),
        source=str(test.get("source", "")),
        remarks=tuple(_remarks(test)),
        verdicts=tuple(decided.verdicts) if decided else (),
        why_not=tuple(decided.why_not[:3]) if decided else (),
        sentences=tuple(_sentences(analysis.verdicts.detections, cell)),
        charts=tuple(charts(place, analysis.run, cell)),
        published=_published_numbers(analysis, cell, paper),
        claims=tuple(_claims(cell, paper)),
        readings=tuple(
            f"{reading.detector}, of {' and '.join(reading.servers)}: {reading.text} (section {reading.section})"
            for reading in paper.readings
            if reading.test == cell.name
        ),
    )


_OVERVIEW = {"to_users": "up to {} users", "from_users": "from {} users"}
_LEAST = {"on_seconds": "bursts", "hold_seconds": "steps"}


def _scale_sentence(test: Mapping[str, Any], cell: Cell, scale: float) -> str:
    """The factor of the study's times, and the times that were not scaled because they would be too short."""
    if scale == 1:
        return ""
    whole = test.get("profile", {})
    kept = [
        f", but {title} of {getattr(cell.profile, name):g} s and not {whole[name] * scale:g}"
        for name, title in _LEAST.items()
        if name in whole and getattr(cell.profile, name) > whole[name] * scale * 1.001
    ]
    return f"times scaled by {scale:g}{''.join(kept)}"


def _remarks(test: Mapping[str, object]) -> Iterator[str]:
    overview, assumed, size = test.get("overview"), test.get("assumed"), test.get("bytes")
    if isinstance(size, int):
        yield f"requests of {size:,} bytes"
    if isinstance(overview, Mapping) and overview:
        yield "the paper's overview has " + ", ".join(
            f"{_OVERVIEW.get(name, '{} ' + name.replace('_', ' ')).format(f'{value:,}')}"
            for name, value in overview.items()
        )
    if isinstance(assumed, Sequence) and assumed:
        yield f"not given by the paper and chosen here: {', '.join(map(str, assumed))}"


def _sentences(detections: Sequence[Detection], cell: Cell) -> Iterator[tuple[bool, str]]:
    """Comparisons of all subjects first, results that cannot be judged last; the same reason for several subjects is given once."""
    mine = [detection for detection in detections if detection.cell == cell.name]
    own = [each.sentence for each in mine if each.judged and each.subject is not None]
    for detection in mine:
        if detection.subject is None and not _is_repeated(detection.sentence, own):
            yield True, detection.sentence
    yield from ((True, sentence) for sentence in own)
    alike: dict[tuple[str, str], list[str]] = {}
    for detection in mine:
        if not detection.judged:
            question = DETECTORS[detection.detector].question.format(detection.subject)
            _, _, reason = detection.sentence.partition(f"{question}: ")
            alike.setdefault((detection.detector, reason), []).append(str(detection.subject))
    for (name, reason), subjects in alike.items():
        yield False, f"Not judged {DETECTORS[name].question.format(join_words(subjects, 'or'))}: {reason}"


def _is_repeated(together: str, own: Sequence[str]) -> bool:
    """Whether each clause about all subjects begins a sentence of one of them, which also gives the confidence."""
    return all(any(sentence.startswith(clause) for sentence in own) for clause in together.rstrip(".").split("; "))


def _published_numbers(analysis: Analysis, cell: Cell, paper: PaperNumbers) -> Published | None:
    rows = [row for row in paper.rows if row.test == cell.name]
    if not rows:
        return None
    shown = tuple(((*_printed_cells(row),), abs(row.littles_law) > LITTLE_TOLERANCE) for row in rows)
    marks = "comma" if any("," in text for row, _ in shown for text in row) else "point"
    return Published(rows[0].table, marks, shown, tuple(_ratios(analysis, cell, rows)))


def _printed_cells(row: PublishedRow) -> Iterator[str]:
    yield row.server
    yield row.response_ms.text
    yield row.throughput_per_s.text
    yield "-" if row.deviation_ms is None else row.deviation_ms.text
    yield "-" if row.errors is None else str(row.errors)
    yield change_text(row.littles_law)


def _ratios(analysis: Analysis, cell: Cell, rows: Sequence[PublishedRow]) -> Iterator[tuple[str, str, str, str]]:
    """The origin of the numbers, the two subjects, and the ratios of throughput and mean response time."""
    first, *others = rows
    for row in others:
        ratios = (
            row.throughput_per_s.value / first.throughput_per_s.value,
            row.response_ms.value / first.response_ms.value,
        )
        yield "paper", f"{row.server} / {first.server}", ratio_text(ratios[0]), ratio_text(ratios[1])
    reference = analysis.run.schedule.reference
    by_measure = {
        (judgement.compared.a, judgement.compared.measure.name): judgement.compared
        for judgement in analysis.judgements
        if judgement.compared.cell.name == cell.name and judgement.compared.b == reference
    }
    for subject in analysis.run.schedule.subjects:
        both = [by_measure.get((subject, name)) for name in ("throughput", "response_time_mean")]
        texts = ["-" if compared is None or compared.ratio is None else ratio_text(compared.ratio) for compared in both]
        if subject != reference:
            yield "here", f"{subject} / {reference}", texts[0], texts[1]


def _claims(cell: Cell, paper: PaperNumbers) -> Iterator[tuple[str, str]]:
    """Claims about a test that contradict the paper's own tables."""
    for checked in paper.claims:
        if checked.holds and checked.claim.test == cell.name:
            yield f"{checked.claim.text} (section {checked.claim.section})", str(checked)


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for a study without tests."""
    tested = environments(analysis)
    if not tested:
        return None
    return {
        "judged_by": judged_by(tests_in_order(analysis.run), analysis.measures),
        "decisions": analysis.verdicts.decisions,
        "environments": tested,
        "headings": headings(analysis),
        "figures_of": {cell.name: operation_of(analysis, cell) for cell in cells(analysis.run)},
    }


SECTION = Section("tests", content)
