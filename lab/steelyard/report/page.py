"""The report as one page: its header, and the sections with content, in the study's order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..analyse.analysis import Analysis
from ..analyse.as_it_runs import ran_already
from ..analyse.faults import is_of_faults
from ..base.configuration import nearest
from ..base.errors import StoreError
from ..results.stored_run import Run
from .script import SCRIPT, policy
from .section import Section
from .sections import SECTIONS
from .subjects import legend, text
from .templates import templates

_HEADED = re.compile(r'<section id="([a-z0-9-]+)"[^>]*>\s*<h\d>(.*?)</h\d>')


@dataclass(frozen=True)
class Page:
    """Data for all sections. `legend` has the label, colour, path and dashes of each subject's mark."""

    title: str
    question: str
    run: str
    legend: tuple[tuple[str, str, str, str], ...]


def html_of(analysis: Analysis) -> str:
    """The whole page; the same analysis gives the same text. Raises StoreError for an unknown section of the study."""
    run = analysis.run
    environment = templates()
    page = Page(
        title=text(run.study.get("title")) or run.schedule.study,
        question=text(run.study.get("question")),
        run=run.name,
        legend=tuple(legend(run)),
    )
    contents_of = {
        section.name: section.content(analysis) for section in _sections_of(run)
    }  # charts are drawn meanwhile
    shown = [
        Markup(environment.get_template(f"sections/{name}.html").render(page=page, section=content))
        for name, content in contents_of.items()
        if content is not None
    ]
    return environment.get_template("page.html").render(
        page=page, sections=shown, contents=contents(shown), policy=policy(), script=Markup(SCRIPT)
    )


def _sections_of(run: Run) -> list[Section]:
    """The sections that the study selects and that apply to the run."""
    return [
        section
        for section in sections_named(run.study.get("sections"))
        if (section.of_faults or not is_of_faults(run)) and (section.of_running or not ran_already(run.schedule))
    ]


def contents(sections: Sequence[Markup]) -> list[tuple[str, Markup]]:
    """The anchor and heading of each section that has both, in order; headings are already escaped."""
    return [(anchor, Markup(heading)) for html in sections for anchor, heading in _HEADED.findall(html)]


def sections_named(names: object) -> list[Section]:
    """The sections that a study selects, or all; raises StoreError."""
    if not isinstance(names, list) or not names:
        return list(SECTIONS.values())
    for name in names:
        if name not in SECTIONS:
            raise StoreError(f"study.toml: the report has no section '{name}'{nearest(str(name), sorted(SECTIONS))}")
    if "verdict" in names and "in_full" not in names:  # the first screen links to the caveats there
        place = names.index("verdict") + 1
        names = [*names[:place], "in_full", *names[place:]]
    return [SECTIONS[name] for name in names]
