"""A load that several engines share: whether it can be shared, the part of each engine, and how close together they began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...base.csvfiles import is_stored
from ...base.errors import ConfigurationError, TargetError
from ...base.text import plural, value_text
from ...hosts.placement import THIS_MACHINE, EngineHost, engine_hosts
from ...models.job import FixedWork, Profile, Rate
from ...models.outputs.loading import LoadedEngine, LoadOutput
from ...results.tables import SliceRow, read_slices, read_ticks
from ...workload.allowed_hosts import addresses_of_target, is_this_machine
from ...workload.load_spec import LoadSpec
from ...workload.load_target import LoadTarget
from ..trial.engines import Engines
from ..trial.merging import EnginePart

_APART_MS = 1.0


def require_shared(words: LoadSpec, profile: Profile) -> None:
    """Raise ConfigurationError where the requested engines cannot share the load."""
    if words.driving == 1 or isinstance(profile, Rate):
        return
    if isinstance(profile, FixedWork):
        raise ConfigurationError(
            "engines that share --max-requests or --iterations would not end together",
            hint="leave that option out, or use one engine",
        )
    most = max(words.users)
    if most < words.driving:
        raise ConfigurationError(
            f"{plural(most, 'user')} cannot be shared by {words.driving} engines",
            hint="at least as many --users as engines",
        )


@contextmanager
def driven_from(load_target: LoadTarget, words: LoadSpec) -> Iterator[Sequence[EngineHost]]:
    """The hosts of a load's engines, while the load lasts; nothing runs on other hosts afterwards.

    Raises ConfigurationError or TargetError where other hosts cannot drive the load, ProvisionError or ToolchainError where a
    host is not available.
    """
    if words.hosts is None:
        yield [THIS_MACHINE] * words.engines
        return
    if words.engines > 1:
        raise ConfigurationError(
            "--engines and --hosts exclude each other: one engine drives from each host", hint="leave one of them out"
        )
    if is_this_machine(addresses_of_target(load_target)):
        raise TargetError(
            f"{load_target.address} is a loopback address, which means a different machine on each host",
            hint="use an address that the other hosts can reach, in a service.toml that declares it as yours",
        )
    if load_target.tls.key is not None:
        raise ConfigurationError(
            "engines on other hosts would need the private key of the client's certificate, which stays on this machine",
            hint="leave --hosts out",
        )
    with engine_hosts(words.hosts) as hosts:
        yield hosts


def with_engines(output: LoadOutput, engines: Engines | None, row: SliceRow) -> LoadOutput:
    """The load's output with the part of each of several engines; unchanged where there was one. Raises StoreError."""
    if engines is None:
        return output
    loaded, apart_ms = engines_of(engines, row), began_apart_ms(engines, row)
    notes = [*output.notes, *sharing_notes(loaded, apart_ms)]
    return LoadOutput.model_validate({**dict(output), "engines": loaded, "began_apart_ms": apart_ms, "notes": notes})


def engines_of(engines: Engines, row: SliceRow) -> list[LoadedEngine]:
    """The part of each of several engines in the slice of `row`; raises StoreError."""
    return [_loaded_engine(place, part, engines, row) for place, part in enumerate(engines.parts)]


def _loaded_engine(place: int, part: EnginePart, engines: Engines, row: SliceRow) -> LoadedEngine:
    engine = {"engine": place + 1, "host": engines.hosts[place], "cpus": engines.cpus[place]}
    driven = part.folder / "slices.csv"
    own = read_slices(driven, True).get(row.slice) if is_stored(driven) else None
    if own is not None:
        busy = (own.engine_user_ns + own.engine_system_ns) / own.measured_ns * 100
        failed = sum(own.failures.values()) + own.wrong
        counts = {"sent": own.sent, "completed": own.completed, "failed": failed, "busy_percent": busy}
        return LoadedEngine.model_validate(engine | counts)
    ticks_file = part.folder / "ticks.csv"  # missing where the engine was lost with its host
    ticks = [tick for tick in read_ticks(ticks_file, True) if tick.slice == row.slice] if is_stored(ticks_file) else []
    completed = sum(tick.completed for tick in ticks)
    failed = sum(sum(tick.failures.values()) for tick in ticks)
    counts = {"sent": completed + failed, "completed": completed, "failed": failed}
    return LoadedEngine.model_validate(engine | counts | {"busy_percent": None, "lost": part.lost})


def began_apart_ms(engines: Engines, row: SliceRow) -> float | None:
    """The time in ms from the first to the last engine's readiness for the slice of `row`; None for fewer than two. Raises
    StoreError."""
    began = engines.began_ns(row.slice)
    return (max(began) - min(began)) / 1e6 if len(began) > 1 else None


def sharing_notes(engines: Sequence[LoadedEngine], apart_ms: float | None) -> list[str]:
    """Notes on engines that shared a load."""
    notes = []
    if apart_ms is not None:
        also = (
            "" if apart_ms <= _APART_MS else f", more than {_APART_MS:g} ms: the start of the load was not simultaneous"
        )
        notes.append(
            f"{len(engines)} engines shared the load and began within {value_text(apart_ms)} ms of one another{also}"
        )
    for host in dict.fromkeys(engine.host for engine in engines):
        there = [engine for engine in engines if engine.host == host]
        cpus = {cpu for engine in there for cpu in engine.cpus}
        if cpus and len(cpus) < len(there):
            notes.append(
                f"{len(there)} engines shared {plural(len(cpus), 'processor')}: engines without a processor of "
                "their own add no load and delay each other, which slows the slowest answers (docs/decisions/many-engines.md)"
            )
    return notes
