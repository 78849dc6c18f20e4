"""The page of a run on several machines or in several sessions: verdict, forest plots, and each one's own run."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from ..analyse.analysis import write_figures
from ..analyse.levels import WORDS
from ..analyse.machines import ClusterAnalysis
from ..base.csvfiles import write_text
from ..base.text import ratio_text
from ..models.cluster import Level, OverMachines
from . import FILE_NAME, write_page
from .charts.forest import forest_chart
from .drawing import Picture
from .script import SCRIPT, policy
from .subjects import text
from .templates import templates


def write_machines_page(analysis: ClusterAnalysis) -> Path:
    """Write the page of all machines, and each machine's report in its folder; the same files give the same bytes."""
    for machine in analysis.machines.values():
        write_figures(machine, machine.run.folder)
        write_page(machine)
    path = analysis.folder / FILE_NAME
    write_text(path, html_of(analysis))
    return path


def html_of(analysis: ClusterAnalysis) -> str:
    """The page; text from the runs is escaped."""
    verdict = analysis.verdict
    study = next((machine.run.study for machine in analysis.machines.values()), {})
    return (
        templates()
        .get_template("machines.html")
        .render(
            verdict=verdict,
            one=WORDS[verdict.level].one,
            title=text(study.get("title")) or analysis.cluster.schedule.study,
            question=text(study.get("question")),
            comparisons=[_with_picture(place, each, verdict.level) for place, each in enumerate(verdict.comparisons)],
            report=FILE_NAME,
            ratio_text=ratio_text,
            policy=policy(),
            script=Markup(SCRIPT),
        )
    )


def _with_picture(place: int, comparison: OverMachines, level: Level) -> tuple[OverMachines, Picture | None]:
    return comparison, forest_chart(place, comparison, level)
