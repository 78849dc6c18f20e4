"""The processor time, memory and request count of a target that was started for a load."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from ...base.errors import KeeperError, NoAnswerError, TargetError
from ...base.http_client import HttpClient
from ...hosts.keeper import Keeper
from ...models.outputs.loading import StartedTarget
from ...models.service import Service
from ...results.tables import SliceRow
from ...workload.allowed_hosts import loopback_of

ONE_START = "intervals cover this one start alone: `steelyard compare` starts each target several times"
_COUNT_SECONDS = 5.0
_COUNT_BYTES = 1000
_NO_COUNTER = "whether the service counted as many requests: its service.toml names no counter"
_RESTARTS = "how it differs from start to start: it was started once"
NOT_JUDGED_BY_SEARCH = ["whether the service counted as many requests: a search does not ask its counter", _RESTARTS]


@dataclass(frozen=True)
class TargetUse:
    """The use of a target since its start, all its processes together: CPU and JIT compilers in ns, resident memory in bytes, and
    the service's request count, None where it has no counter."""

    cpu_ns: int
    jit_ns: int
    rss_bytes: int
    counted: int | None


def read(model: Service, kept: Keeper, address: str) -> TargetUse:
    """The use now of the target at `address`; raises TargetError where the target has ended or cannot be read."""
    if kept.exit is not None:
        raise TargetError(f"{model.name} ended during its load ({kept.exit}): {kept.log_tail()}")
    try:
        used = kept.use()
    except KeeperError as error:
        raise TargetError(f"the use of {model.name} cannot be read: {error.message}") from None
    return TargetUse(
        sum(process.cpu_ns for process in used),
        sum(process.jit_ns for process in used),
        sum(process.rss_bytes for process in used),
        _service_count(model, address),
    )


def summarize_target(
    before: TargetUse, loaded: TargetUse, after: TargetUse, verification: SliceRow, row: SliceRow, beside: int
) -> StartedTarget:
    """The output about a started target: `before` is read before the verification, `loaded` before the load, `after` at the end
    of all. `beside` further requests were sent for challenges and redirects."""
    sent, unanswered = row.sent + verification.sent, row.maybe_served + verification.maybe_served
    counted = None if before.counted is None or after.counted is None else after.counted - before.counted
    cpu_s = (after.cpu_ns - loaded.cpu_ns) / 1e9
    return StartedTarget(
        cpu_s=cpu_s,
        cpu_ms_per_request=cpu_s * 1000 / row.sent if row.sent else None,
        jit_s=(after.jit_ns - loaded.jit_ns) / 1e9,
        memory_mib=after.rss_bytes / 2**20,
        counted=counted,
        # Requests without an answer may have reached the service, twice where they were sent again; refused ones need not have.
        counted_alike=None
        if counted is None
        else sent - unanswered - verification.rejected_requests - row.rejected_requests
        <= counted
        <= sent + unanswered + beside,
    )


def why_not(target: StartedTarget, sent: int) -> list[str]:
    """Reasons, from the target's count, why a load's figures are not valid."""
    if target.counted_alike is not False:
        return []
    return [f"the service counted {target.counted:,} requests where {sent:,} were sent"]


def not_judged(target: StartedTarget) -> list[str]:
    """Questions that the load does not answer."""
    return [_RESTARTS] if target.counted is not None else [_NO_COUNTER, _RESTARTS]


def _service_count(model: Service, address: str) -> int | None:
    if model.counter is None:
        return None
    talk = HttpClient(
        f"{address}{model.counter}",
        _COUNT_SECONDS,
        most_bytes=_COUNT_BYTES,
        addresses=loopback_of(address),
    )
    try:
        answer = talk.get(model.headers)
        if answer.status != HTTPStatus.OK:
            raise ValueError(f"HTTP status {answer.status}")
        return int(answer.body)
    except (NoAnswerError, ValueError) as error:
        raise TargetError(f"the request count of {model.name} cannot be read at {model.counter}: {error}") from None
    finally:
        talk.close()
