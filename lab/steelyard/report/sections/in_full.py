"""The result in full: places, each verdict in a sentence, failures, facts, terms and caveats. It follows the first screen."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ..section import Section
from ..standings import cost_sentences, standings
from ..terms import terms_in
from .failures import deaths
from .verdict import facts


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """Always present."""
    verdicts, known = analysis.verdicts, list(facts(analysis))
    return {
        "sentences": analysis.sentences,
        "why_not": verdicts.why_not[1:],
        "why": cost_sentences(analysis),
        "standings": standings(analysis),
        "deaths": list(deaths(verdicts.failures)),
        "facts": known,
        "terms": terms_in([*map(str, analysis.sentences), *itertools.chain.from_iterable(known)]),
        "notes": verdicts.notes,
    }


SECTION = Section("in_full", content, of_faults=True)
