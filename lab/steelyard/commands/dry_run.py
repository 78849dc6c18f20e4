"""Dry runs: the schedule that a run would begin with, printed before anything starts."""

from __future__ import annotations

from ..base.terminal import console
from ..catalogue import entries
from ..hosts.subject import require_available
from ..models.study import Study
from ..plan.estimate import of_run
from ..plan.fitting import expected_compiles, fitted_schedule
from ..plan.run_parameters import Request, merge_parameters
from ..plan.subjects import requested_subjects
from . import listing

_SEARCHED = "the run first finds the number of users, about a minute per subject; this schedule assumes 8"


def print_schedule(study: Study, request: Request, json: bool) -> None:
    """Print the schedule that fits the budget, with its expected time; raises ConfigurationError where it cannot run here."""
    planned = fitted_schedule(study, request)
    compiles = expected_compiles(study, request)
    seconds = of_run(planned.schedule, compiles, engine_processors=request.engine_processors)
    require_available(requested_subjects(study, request), entries.service(study.service))
    for line in (*planned.messages, *([] if merge_parameters(study, request).users else [_SEARCHED])):
        console().print(line)
    if json:
        print(planned.schedule.model_dump_json())
    else:
        listing.schedule(planned.schedule, seconds, console(stderr=False))
