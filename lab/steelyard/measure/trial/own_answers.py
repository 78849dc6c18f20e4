"""Verification of a user's own service: each operation is sent once before any load, with its credentials."""

from __future__ import annotations

from pathlib import Path

from ...base.errors import TargetError
from ...catalogue.formats import http2_of
from ...hosts.running import RunningSubject
from ...models.job import Target
from ...models.records import Failure
from ...results.loads import VERIFICATION
from ...workload import answer_rules
from ..load.auth import Credentials
from ..load.driving import LoadContext
from ..load.driving import verify as verify_once
from ..load.session_figures import forget_private
from .context import TrialContext, TrialFailedError
from .engine import Secrets

_GIVE_UP_SECONDS = 10.0


def secrets(setting: TrialContext) -> Secrets | None:
    """The engine's secrets; None where the service has a contract or no secrets."""
    if setting.credentials is None:
        return None
    return setting.credentials.next_secrets(max(cell.users for cell in setting.schedule.cells))


def verify(setting: TrialContext, folder: Path, label: str, up: RunningSubject) -> int:
    """Send each loaded operation and session once to a subject, and judge the answers by all rules; returns the number of
    operations.

    Raises TrialFailedError on the first wrong answer.
    """
    assert setting.load_target is not None
    own = folder / f"{label}.verified"
    own.mkdir()
    ground = LoadContext(
        Target(
            subject=label,
            host=up.host,
            port=up.front.port,
            path=up.subject.path(),
            http2=http2_of(up.subject.in_own_format(setting.service)),
        ),
        setting.corpus,
        own,
        setting.credentials or Credentials(Secrets()),
        setting.shares.engine,
        setting.schedule.seed,
        setting.schedule.drain_limit_seconds,
        _GIVE_UP_SECONDS,
        setting.progress,
        sessions=setting.schedule.sessions,
    )
    try:
        _, answers = verify_once(ground, list(setting.load_target.weights))
        for operation, answer in answers.items():
            broken = answer_rules.broken_by(answer, setting.load_target, operation)
            if broken is not None:
                raise TargetError(f"verification of {operation} failed: {broken}", hint=f"its answer is in {own}")
        forget_private(setting.load_target, own / VERIFICATION)
    except TargetError as error:
        message = up.death() or f"{label}: {error.message}"
        raise TrialFailedError(Failure(kind="contract", subject=label, message=message), error.hint) from None
    return len(setting.load_target.operations)
