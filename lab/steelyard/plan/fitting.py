"""The schedule that a run would begin with, fitted to its budget, without touching a server."""

from __future__ import annotations

from ..catalogue import entries
from ..models.study import Study
from .budget import Fitted, fit_to_budget
from .estimate import Compiles
from .run_parameters import Request
from .schedule import schedule_only
from .subjects import requested_subjects


def fitted_schedule(study: Study, request: Request) -> Fitted:
    """The schedule as a run would begin with it; raises ConfigurationError where it cannot be made or the budget is too small."""
    compiles = expected_compiles(study, request)
    return fit_to_budget(
        schedule_only(study, request),
        compiles,
        slice_fixed=request.slice_seconds is not None,
        engine_processors=request.engine_processors,
    )


def expected_compiles(study: Study, request: Request) -> Compiles:
    """Whether each subject compiles while it runs, by the descriptors of its servers."""
    return {
        spec.label: any(entries.server_of(part).model.jvm for part in spec.parts)
        for spec in requested_subjects(study, request)
    }
