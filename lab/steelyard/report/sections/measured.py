"""The figures of a load, a limit search or a comparison of running targets, their basis and caveats, and what the first screen
shows of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import comparison_of, limit_of, load_of, ran_already
from ...base.text import upper_first, value_text
from ...models.outputs.loading import LoadOutput, RequestTotals
from ...results.failure_text import user_rows
from ..charts.estimates import estimate_chart
from ..charts.stages import stage_chart
from ..dates import measuring_text, when_text
from ..drawing import Picture
from ..outcomes import NOT_JUDGED, OwnFigures, Table, of_comparison, of_limit, of_load
from ..section import Section
from ..terms import terms_in

FIRST_FACTS = (
    "goal",
    "load",
    "pairs of slices",
    "machine",
    "measured",
)  # the first three of a run are on the first screen
_ACCOUNT = ("requests", "sent", "right", "wrong", "failed", "unanswered")


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for a run that started its subjects."""
    run = analysis.run
    if not ran_already(run.schedule):
        return None
    load, limit, compared = load_of(run), limit_of(run), comparison_of(run)
    own = of_load(load) if load is not None else of_limit(limit) if limit is not None else None
    own = of_comparison(compared) if compared is not None else own
    known = list(facts(analysis))
    return {
        "sentences": analysis.sentences[1:],  # the first is on the first screen
        "facts": known,
        "terms": terms_in([*map(str, analysis.sentences), *itertools.chain.from_iterable(known)]),
        "tables": list(_tables(own, load)),
        "remarks": [*_remarks(own), *analysis.verdicts.notes],
    }


def _remarks(own: OwnFigures | None) -> list[str]:
    """The caveats of the figures, except what is not judged, which has its own section."""
    return [] if own is None else [remark for remark in own.remarks if not remark.startswith(NOT_JUDGED)]


def picture(analysis: Analysis) -> Picture | None:
    """The figures with their intervals: the percentiles of a load, the stages of a search, or the ratio of two targets."""
    load, limit, compared = load_of(analysis.run), limit_of(analysis.run), comparison_of(analysis.run)
    if limit is not None:
        return stage_chart(limit)
    if load is not None:
        return estimate_chart(list(load.response_ms.items()), "Response time, ms", "the seconds of this load")
    if compared is not None:
        quantity = f"{upper_first(compared.measure)}, ratio"
        return estimate_chart([("ratio", compared.ratio)], quantity, "pairs of slices", of_ratio=True)
    return None


def facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """The load or the goal, the target, the machine, the date and the duration, as names and values."""
    load, limit = load_of(analysis.run), limit_of(analysis.run)
    outcome = load or limit
    if (compared := comparison_of(analysis.run)) is not None:
        yield "load", compared.load
        yield "pairs of slices", f"{compared.pairs:,}"
    if outcome is not None:
        yield "target", outcome.target
    if load is not None:
        yield "load", load.load
    if limit is not None:
        yield "goal", " and ".join(limit.promise)
        yield "arrivals", limit.arrivals
        yield "highest rate answered", f"{value_text(limit.capacity_per_s)} requests/s"
    if analysis.verdicts.machine:
        yield "machine", analysis.verdicts.machine
    if when := when_text(analysis.run):
        yield "measured", when
    if measuring := measuring_text(analysis.run):
        yield "duration", measuring


def _tables(own: OwnFigures | None, load: LoadOutput | None) -> Iterator[Table]:
    """Figures and goals, and all requests by outcome. The stages of a limit and failures have their own sections."""
    if own is None:
        return
    yield from (table for table in own.tables if table[0] in ("Figures", "Goals", "Limit", "Ratio", "Targets"))
    if load is not None:
        rows = [_account("all requests sent, verification included", load.requests)]
        rows.append(_account("due in the measured time", load.judged))
        yield "Requests by outcome", _ACCOUNT, [row for row in rows if row]
    if load is not None and load.by_users:
        yield "By number of users", *user_rows(load.by_users)
    if load is not None and load.engines:
        yield "The engines", *_engines(load)


def _account(name: str, counts: RequestTotals | None) -> tuple[str, ...]:
    if counts is None:
        return ()
    numbers = (counts.sent, counts.right, counts.wrong, counts.failed, counts.unanswered)
    return name, *(f"{number:,}" for number in numbers)


def _engines(load: LoadOutput) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    rows = [
        (
            f"{engine.engine} on {engine.host or 'this machine'}",
            *(f"{count:,}" for count in (engine.sent, engine.completed, engine.failed)),
            "lost" if engine.busy_percent is None else f"{engine.busy_percent:.0f}%",
        )
        for engine in load.engines
    ]
    return ("engine", "sent", "answered", "failed", "busy"), rows


SECTION = Section("measured", content, of_running=True)
