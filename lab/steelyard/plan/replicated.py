"""The schedule of one of several machines or sessions that measure the same comparison, fitted to its budget."""

from __future__ import annotations

from typing import Literal

from ..base.errors import ConfigurationError
from ..catalogue import entries
from ..models.records import Schedule
from ..models.study import Study
from .budget import Fitted, fit_to_budget
from .designs import design_named
from .fitting import expected_compiles
from .run_parameters import Request, RunParameters
from .schedule import schedule_of, schedule_only
from .stopping import forks_for_a_verdict

Replicate = Literal["machine", "session"]
_FLAGS: dict[Replicate, str] = {"machine": "--cluster", "session": "--sessions"}


def planned_for_one(
    study: Study,
    request: Request,
    settings: RunParameters,
    replicate: Replicate,
    shared_by: int = 1,
    rests: float = 0.0,
) -> Fitted:
    """The schedule of one machine or session, fitted to its budget; raises ConfigurationError if the comparison cannot
    be repeated on several.

    The budget, minus `rests` seconds of rest in total, is divided by `shared_by`.
    """
    planned, flag = schedule_only(study, request), _FLAGS[replicate]
    design = design_named(planned.design)
    if design.unbroken:
        raise ConfigurationError(
            f"as published, each subject is measured once, so several {replicate}s are not possible",
            hint=f"leave --as-published or {flag} out",
        )
    if design.cell_by_cell or planned.faults:
        raise ConfigurationError(
            f"this run compares nothing, so several {replicate}s are not possible",
            hint=f"leave {flag} out",
        )
    if settings.users is None:
        raise ConfigurationError(
            f"a search for the number of users runs on one {replicate}, and all need the same number",
            hint="give the number with --users",
        )
    schedule = schedule_of(study, entries.service(study.service).model, request, settings, settings.users)
    if schedule.budget_seconds is not None:
        each = (schedule.budget_seconds - rests) / shared_by
        if each <= 0:
            raise ConfigurationError(
                f"the rests between {shared_by} {replicate}s take {rests:g} s, and the budget is {schedule.budget_seconds:g} s",
                hint="raise --budget or lower --rest",
            )
        schedule = schedule.model_copy(update={"budget_seconds": each})
    return fit_to_budget(
        schedule,
        expected_compiles(study, request),
        slice_fixed=request.slice_seconds is not None,
        engine_processors=request.engine_processors,
    )


def forks_each(planned: Schedule, request: Request) -> int | None:
    """The number of forks that each drives; None: all planned ones. With a budget, as many as fit it."""
    return None if planned.budget_seconds is None or request.forks else forks_for_a_verdict(planned)
