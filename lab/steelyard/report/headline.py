"""The one sentence of the first screen. Where a run has many sentences, it sums them up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..analyse.analysis import Analysis
from ..analyse.as_it_runs import ran_already
from ..analyse.decisions import judged_by
from ..analyse.endings import BROKEN, endings
from ..analyse.sentences import HERE, NOW, Wording, over_cells, over_subjects
from ..analyse.verdicts import Judgement
from ..base.text import join_words, plural
from ..models.verdict import Decision, FaultRow
from .standings import against_reference, ranking_headline, standings

_MOST_NAMED = 3  # subjects; more are counted


def headline(analysis: Analysis) -> Wording:
    """The result in one sentence, with its limitations where it is the only sentence of the run."""
    table = standings(analysis)
    if table is not None:
        return Wording(table.headline)
    sentences = [wording for wording in analysis.sentences if not wording.detail]
    if len(sentences) == 1 or ran_already(analysis.run.schedule) or not analysis.verdicts.valid:
        return sentences[0]
    if analysis.verdicts.faults:
        return Wording(_of_faults(analysis.verdicts.faults))
    if analysis.verdicts.decisions:
        return Wording(_of_decisions(analysis, analysis.verdicts.decisions))
    judged = [judgement for judgement in against_reference(analysis) if judgement.word is not None]
    if judged:
        return Wording(_of_cells(analysis, judged))
    return Wording(_of_endings(analysis)) if any(endings(analysis.run)) else sentences[0]


def _of_faults(rows: Sequence[FaultRow]) -> str:
    """How many subjects kept their goals after faults, and which did not."""
    subjects = list(dict.fromkeys(row.subject for row in rows))
    times = sum(row.times for row in rows)
    broke = [
        subject
        for subject in subjects
        if any(outcome.broken for row in rows if row.subject == subject for outcome in row.outcomes)
    ]
    after = f"after {plural(times, 'fault')} in all, {HERE}"
    if len(subjects) == 1:
        return f"{subjects[0]} {'broke a goal' if broke else 'kept its goals'} {after}"
    if not broke:
        return f"All {len(subjects)} subjects kept their goals {after}"
    return f"{len(broke)} of {len(subjects)} subjects broke a goal {after}: {_list_text(broke)}"


def _of_decisions(analysis: Analysis, decisions: Sequence[Decision]) -> str:
    """Under how many loads each subject alone is the best, and how many are open."""
    names = [test.test for decision in decisions for test in decision.tests]
    quantity = judged_by([cell for cell in analysis.run.schedule.cells if cell.name in names], analysis.measures)
    alone = Counter(decision.best for decision in decisions if decision.best is not None and not decision.contenders)
    loads = plural(len(decisions), "load")
    parts = [f"{best} is best under {count} of {loads}" for best, count in alone.most_common(_MOST_NAMED)]
    open_ones = len(decisions) - sum(alone.values())
    if not parts:
        return f"By {quantity}, {NOW}, no subject alone is best under any of {loads}"
    rest = f"; no subject alone is best under {open_ones}" if open_ones else ""
    return f"By {quantity}, {NOW}, {join_words(parts)}{rest}"


def _of_cells(analysis: Analysis, judged: Sequence[Judgement]) -> str:
    """All cells that are judged together or apart: the ranking of one cell, or each subject's words over all cells."""
    by_subject: dict[str, list[Judgement]] = {}
    for judgement in judged:
        by_subject.setdefault(judgement.compared.a, []).append(judgement)
    if all(len(judgements) == 1 for judgements in by_subject.values()):
        return ranking_headline(analysis, judged[0].compared)
    if len(by_subject) == 1:
        return over_cells(judged).verdict
    return over_subjects(list(by_subject.values())).verdict


def _of_endings(analysis: Analysis) -> str:
    """Which subjects broke as load grew, and which did not."""
    known = [ending for ending in endings(analysis.run) if ending.state is not None]
    broke = list(dict.fromkeys(ending.subject for ending in known if ending.state in BROKEN))
    whole = list(dict.fromkeys(ending.subject for ending in known if ending.subject not in broke))
    parts = [f"{join_words(broke)} broke"] if broke else []
    parts += [f"{join_words(whole)} did not break"] if whole else []
    return f"As load grew, {HERE}, {'; '.join(parts)}"


def _list_text(subjects: Sequence[str]) -> str:
    """Some subjects by name, more by their number."""
    if len(subjects) <= _MOST_NAMED:
        return join_words(subjects)
    return f"{', '.join(subjects[:_MOST_NAMED])} and {len(subjects) - _MOST_NAMED} more"
