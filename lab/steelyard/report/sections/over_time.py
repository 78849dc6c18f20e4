"""A load over time: throughput, percentiles of response time and failures, second by second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import load_of, ran_already
from ...analyse.load_figures import Second, seconds_of
from ...results.stored_run import Run
from ..charts.load_over_time import legend_of, over_time_charts
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where there are fewer than two whole seconds of load."""
    run = analysis.run
    if not ran_already(run.schedule) or load_of(run) is None:
        return None
    seconds = list(_seconds(run))
    if len(seconds) < 2:
        return None
    charts = list(over_time_charts(seconds))
    return {"charts": charts, "legend": legend_of(charts)}


def _seconds(run: Run) -> Iterator[Second]:
    for trial in run.trials:
        for number, row in sorted(trial.slices.items()):
            yield from seconds_of(row, trial.ticks_by_slice.get(number, ()), trial.folder)


SECTION = Section("over_time", content, of_running=True)
