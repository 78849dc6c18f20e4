"""The limitations of this run's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analyse.analysis import Analysis
from ...analyse.as_it_runs import limit_of, load_of, ran_already
from ...analyse.by_processors import processor_series
from ...results.stored_run import Run
from ..section import Section


def content(analysis: Analysis) -> Mapping[str, object]:
    """Always shown."""
    return {"cannot_say": list(_limitations(analysis.run))}


def _limitations(run: Run) -> Iterator[str]:
    shared = run.environment.get("processors_shared")
    machine = run.environment.get("machine")
    processors = machine.get("processors") if isinstance(machine, Mapping) else None
    if run.environment.get("network", "loopback") == "loopback":
        yield (
            "Servers and load engine ran on one machine and communicated over its loopback device. A network's latency, its limits "
            "and the cost of its interrupts are not in these figures."
        )
    if run.environment.get("network") == "link" and _subjects_on_host(shared):
        yield (
            "The subjects ran on another machine than the engine. The intervals do not cover how much its processors, its disks "
            "or the network between the two vary from day to day. The checks before each trial are of the engine's machine."
        )
    elif run.environment.get("network") == "link":
        yield (
            "The host of the subjects is a network namespace of the engine's machine: both share its processors, memory and disks, "
            "and the link between them is the kernel's own work. The cost of network cards and interrupts is not in these figures."
        )
    if isinstance(processors, int) and not processor_series(run):
        yield (
            f"The machine has {processors} processors. What a server gains from more of them, or loses by their contention, "
            "was not measured."
        )
    if isinstance(shared, Mapping) and shared.get("apart") is False:
        yield "The engine and the servers shared a processor, so each slowed the other."
    if isinstance(shared, Mapping) and shared.get("same_core"):
        yield "Processors of the engine and of the servers are threads of one core, so each slowed the other."
    if isinstance(shared, Mapping) and isinstance(shared.get("quota"), int | float):
        yield (
            f"A quota of {shared['quota']:g} processors was in force for engine and servers together: "
            "without it, a server could be faster."
        )
    if isinstance(shared, Mapping):
        yield from _idle_processor_notes(shared)
    if all(cell.profile.kind != "rate" for cell in run.schedule.cells):
        yield (
            "The load was closed: each user waited for an answer before its next request. Response times are those at full load, "
            "not those at a given arrival rate, and throughput is that of saturation."
        )
    if ran_already(run.schedule):
        yield from _of_what_ran(run)
        return
    yield "Each ratio holds for these versions, flags, operations and sizes. Its first interval is for this machine at this hour."
    yield (
        "That interval covers chance between fresh starts on this machine. It does not cover a bias that all forks share, such as "
        "a setting that suits one server better."
    )


def _of_what_ran(run: Run) -> Iterator[str]:
    """The limitations of subjects that ran before."""
    yield (
        "No subject was started for this run. No interval covers how much a figure varies from start to start and from hour to "
        "hour: each interval holds for these processes and this hour only."
    )
    outcome = load_of(run) or limit_of(run)
    yield from (f"Not judged: {figure}." for figure in (outcome.not_judged if outcome is not None else ()))


def _subjects_on_host(shared: object) -> bool:
    return isinstance(shared, Mapping) and shared.get("elsewhere") is True


def _idle_processor_notes(shared: Mapping[str, object]) -> Iterator[str]:
    """The effects of keeping processors from halting; older runs have true for all of them."""
    awake = shared.get("awake")
    if isinstance(awake, list) and awake and awake == shared.get("engine") != shared.get("server"):
        yield (
            "The load engine's processor was kept from halting, by a thread that yields to everything else; the servers' "
            "processors were not, so the time to wake them is in the tails."
        )
    elif awake:
        yield (
            "The processors were kept from halting by threads that yield to everything else, as on a server that is never "
            "idle. The cost of waking a halted processor is not in these figures."
        )


SECTION = Section("cannot_say", content, of_running=True)
