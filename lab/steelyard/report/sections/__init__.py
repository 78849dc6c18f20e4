"""One file a section of the report: what it needs of the analysis; the template of the same name draws it.

To add a section is to add the two files, and a line here. A study names its own sections, or has all of these that have
something to show, in this order.
"""

from . import (
    again,
    any_two,
    by_users,
    cannot_say,
    endings,
    evidence,
    failures,
    faults,
    forks,
    glossary,
    grid,
    growth,
    indices,
    instrument,
    layers,
    matrix,
    network,
    notes,
    operations,
    paper_claims,
    paper_layers,
    places,
    response_times,
    sessions,
    setup,
    tests,
    tuning,
    verdict,
    warm_ups,
)

SECTIONS = {
    module.SECTION.name: module.SECTION
    for module in (
        verdict,
        endings,
        faults,
        matrix,
        tests,
        by_users,
        indices,
        grid,
        growth,
        evidence,
        sessions,
        operations,
        any_two,
        response_times,
        layers,
        paper_layers,
        places,
        network,
        warm_ups,
        forks,
        instrument,
        failures,
        paper_claims,
        notes,
        cannot_say,
        glossary,
        again,
        setup,
        tuning,
    )
}
