"""How each processor spent its time during a load on a subject that ran before."""

from __future__ import annotations

from collections.abc import Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import ran_already
from ...results.stored_run import Run
from ...results.tables import ProcessorTime
from ..section import Section

_HEADINGS = ("processor", "busy", "in the kernel", "taken by the host", "used by")


def content(analysis: Analysis) -> Mapping[str, object] | None:
    """None for a run that started its subjects, and without records."""
    run = analysis.run
    times = [time for trial in run.trials for rows in trial.machine.values() for time in rows]
    if not ran_already(run.schedule) or not times:
        return None
    cpus = sorted({time.cpu for time in times})
    return {
        "headings": _HEADINGS,
        "rows": [_row(run, cpu, [time for time in times if time.cpu == cpu]) for cpu in cpus],
        "throttled": sum(row.throttled_s for trial in run.trials for row in trial.throttled.values()),
    }


def _row(run: Run, cpu: int, times: list[ProcessorTime]) -> tuple[str, ...]:
    user, system, idle, steal = (
        sum(getattr(time, name) for time in times) for name in ("user_s", "system_s", "idle_s", "steal_s")
    )
    whole = max(1e-9, user + system + idle + steal)
    engine = any(cpu in trial.record_or_empty.engine_cpus for trial in run.trials)
    shares = (f"{part / whole:.1%}" for part in (user + system, system, steal))
    return f"{cpu}", *shares, "the load engine and others" if engine else "the target and others"


SECTION = Section("machine", content, of_running=True)
