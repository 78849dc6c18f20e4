"""A study's own measures by number of users, as in its paper's figures, if its tests are such numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analyse.analysis import Analysis
from ...catalogue.published_tables import stored_conclusions
from ...models.job import Steps
from ...models.published_conclusions import PaperClaim
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
    claims = stored_conclusions(analysis.run.folder).claims
    charts, published = [], False
    for name in (measure["name"] for measure in own):
        figures = [figure for figure in analysis.figures if figure.measure.name == name and figure.cell in held]
        spans = list(_spans(analysis, claims, name, held))
        published = published or bool(spans)
        charts.append(users_chart(f"by-users-{name}", figures, spans, schedule.subjects))
    shown = present(charts)
    return {"charts": shown, "published": published} if shown else None


def _spans(analysis: Analysis, claims: Sequence[PaperClaim], measure: str, held: list[Cell]) -> Iterator[PublishedSpan]:
    """The paper's numbers for the measure itself, not for ratios or differences, at the tests that ran."""
    users = {cell.name: cell.users for cell in held}
    for claim in claims:
        if claim.ours is None or claim.ours.by != "value" or not claim.numbers:
            continue
        asked = claim.ours.of
        if asked.measure == measure and asked.cell in users and asked.subject in analysis.run.schedule.subjects:
            yield PublishedSpan(asked.subject, users[asked.cell], claim.numbers[0], claim.numbers[-1])


SECTION = Section("by_users", content)
