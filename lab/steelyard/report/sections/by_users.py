"""A study's own measures by number of users, as in its paper's figures, if its tests are such numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...models.job import Steps
from ...models.records import Cell
from ..charts.by_users import PublishedSpan, users_chart
from ..section import Section
from ..subjects import present


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None where the study has no measures of its own, or not two tests with one number of users each."""
    schedule = analysis.run.schedule
    held = [cell for cell in schedule.cells if isinstance(cell.profile, Steps) and len(cell.profile.levels) == 1]
    own = analysis.run.study.get("measures", [])
    if len(held) < 2 or not isinstance(own, list):
        return None
    charts, published = [], False
    for name in (measure["name"] for measure in own):
        figures = [figure for figure in analysis.figures if figure.measure.name == name and figure.cell in held]
        spans = list(_spans(analysis, name, held))
        published = published or bool(spans)
        charts.append(users_chart(f"by-users-{name}", figures, spans, schedule.subjects))
    shown = present(charts)
    return {"charts": shown, "published": published} if shown else None


def _spans(analysis: Analysis, measure: str, held: list[Cell]) -> Iterator[PublishedSpan]:
    """The paper's figures for the measure itself, not for differences, at the tests that ran."""
    for figure in analysis.run.study.get("published", []):
        if figure["measure"] == measure and not figure.get("than"):
            for cell in held:
                if cell.name in figure["tests"] and figure["subject"] in analysis.run.schedule.subjects:
                    yield PublishedSpan(figure["subject"], cell.users, figure["low"], figure["high"])


SECTION = Section("by_users", content)
