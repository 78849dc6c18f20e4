"""Several engines on one target: what they wrote is merged without loss, one that dies voids what it drove, and the service has
counted what all of them sent."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command import steelyard
from fake_engine import SAMPLES, SLICES, TICKS
from hypothesis import given, settings
from hypothesis import strategies as st
from own_service import service, serving
from rich.console import Console
from steelyard.base import paths
from steelyard.base.errors import ConfigurationError, StoreError
from steelyard.base.histogram import MOST_US, Histogram, decode, encode, merge_histograms, read_log, read_seconds
from steelyard.base.progress import Progress
from steelyard.hosts.placement import THIS_MACHINE
from steelyard.measure.load.auth import with_auth
from steelyard.measure.load.driving import LoadContext, Stretches
from steelyard.measure.load.sharing import engines_of, require_shared
from steelyard.measure.trial.engines import TickSum, shared_out
from steelyard.measure.trial.merging import EnginePart, merge
from steelyard.models.job import BigBang, Job
from steelyard.models.service import Expect
from steelyard.results.tables import read_slices, read_ticks
from steelyard.workload.allowed_hosts import target_of
from steelyard.workload.load_spec import LoadSpec
from steelyard.workload.load_target import of_url
from steelyard.workload.planned_load import Stretch, profile_of
from steelyard.workload.request_files import write_requests

SCHEMA = json.loads((paths.root() / "contracts" / "load-output.schema.json").read_text())
BEGIN = 5_000_000_000
HEAD = "#[Histogram log format version 1.3]\n#[BaseTime: {base:.3f} (seconds since epoch)]\n"
Seconds = Sequence[Sequence[int]]


def histogram(times: Sequence[int]) -> Histogram:
    """These times in us, as HdrHistogram's equivalent ranges hold them."""
    bounds, counts = np.unique(np.array(times, np.int64), return_counts=True)
    return decode(encode(Histogram(bounds, bounds.astype(float), counts)))


def write_part(folder: Path, name: str, seconds: Seconds, *, base: float, whole: bool = True) -> EnginePart:
    """What an engine leaves whose slice 0 had these response times, second by second; one not `whole` died in the third."""
    part = EnginePart(name, folder / name, None if whole else "it was ended")
    (part.folder / "samples").mkdir(parents=True)
    times = [time for second in seconds for time in second]
    row = dict.fromkeys(SLICES.split(","), "1") | {
        **{"slice": "0", "subject": "a", "phase": "measure", "operation": "order", "begin_ns": str(BEGIN)},
        **{"end_ns": str(BEGIN + 10**9 * len(seconds)), "measured_ns": str(10**9 * len(seconds))},
        **{"completed": str(len(times)), "response_ns_sum": str(1000 * sum(times)), "lateness_p99_ns": str(len(times))},
        **{"cpu_own_ns": "", "cpu_other_ns": "", "cpu_between_ns": "", "why_not": ""},
    }
    (part.folder / "slices.csv").write_text(f"{SLICES}\n" + (f"{','.join(row.values())}\n" if whole else ""))
    ticks, logged = [TICKS], [HEAD.format(base=base)]
    for place, second in enumerate(seconds):
        tick = dict.fromkeys(TICKS.split(","), "0") | {
            **{"time_ns": str(BEGIN + 10**9 * (place + 1)), "subject": "a", "operation": "order", "users_active": "2"},
            **{"started": str(len(second)), "completed": str(len(second)), "response_ns_sum": str(1000 * sum(second))},
            **{"engine_cpu_share": "0.5000"},
        }
        ticks.append(",".join(tick.values()))
        logged.append(f"Tag=a/0/order/response,{place}.000,1.000,1.000,{encode(histogram(second))}\n")
    (part.folder / "ticks.csv").write_text("\n".join(ticks) + "\n" + ("" if whole else "70000,0,a,or"))
    (part.folder / "seconds.hlog").write_text("".join(logged))
    all_times = f"Tag=a/0/order/response,0.000,9.000,1.000,{encode(histogram(times))}\n" if whole else ""
    (part.folder / "intervals.hlog").write_text(HEAD.format(base=base) + all_times if whole else "")
    (part.folder / "samples" / "index.csv").write_text(
        f"{SAMPLES}\n0,0,a,order,0,right,1,1,1,1,200,\n" if whole else ""
    )
    (part.folder / "samples" / "0.answer").write_text(name)
    return part


def same(first: Histogram, second: Histogram) -> bool:
    return bool(np.array_equal(first.highest, second.highest) and np.array_equal(first.counts, second.counts))


SECOND = st.lists(st.integers(0, MOST_US), max_size=6)


@settings(max_examples=12)
@given(st.lists(st.lists(SECOND, min_size=2, max_size=2), min_size=1, max_size=3))
def test_what_is_merged_is_the_union_of_what_the_engines_wrote(
    tmp_path_factory: pytest.TempPathFactory, engines: list[list[list[int]]]
) -> None:
    folder = tmp_path_factory.mktemp("load")
    parts = [write_part(folder, f"e{place}", part, base=100.0 + place) for place, part in enumerate(engines)]
    merge(folder, parts)
    times = [time for part in engines for second in part for time in second]
    row = read_slices(folder / "slices.csv", False)[0]
    assert (row.completed, row.response_ns_sum, row.sent) == (len(times), 1000 * sum(times), len(parts))
    assert row.valid == 1 and row.cpu_own_ns is None and row.measured_ns == 2 * 10**9
    assert row.lateness_p99_ns == max(sum(map(len, part)) for part in engines)
    ticks = read_ticks(folder / "ticks.csv", False)
    assert [tick.time_ns for tick in ticks] == [BEGIN + 10**9, BEGIN + 2 * 10**9]
    assert [tick.users_active for tick in ticks] == [2 * len(parts)] * 2
    assert sum(tick.completed for tick in ticks) == len(times)
    assert same(decode(read_log(folder / "intervals.hlog")["a/0/order/response"]), histogram(times))
    seconds = [decode(encoded) for _, encoded in read_seconds(folder / "seconds.hlog")]
    for place, second in enumerate(seconds):
        assert same(second, merge_histograms(histogram(part[place]) for part in engines))
    kept = sorted(path.read_text() for path in (folder / "samples").glob("*.answer"))
    assert len(seconds) == 2 and kept == sorted(part.name for part in parts)


def test_an_engine_that_died_is_counted_until_its_last_second_and_voids_the_slice(tmp_path: Path) -> None:
    living = write_part(tmp_path, "e1", [[1], [2], [3, 4]], base=1)
    merge(tmp_path, [living, write_part(tmp_path, "e2", [[5, 5], [6]], base=1, whole=False)])
    row = read_slices(tmp_path / "slices.csv", False)[0]
    assert (row.completed, row.valid, row.why_not) == (7, 0, "e2 was lost: it was ended")
    assert row.sent == 1 + 3 and row.measured_ns == 3 * 10**9
    assert [tick.completed for tick in read_ticks(tmp_path / "ticks.csv", False)] == [3, 2, 2]


def test_engines_that_contradict_one_another_are_not_merged(tmp_path: Path) -> None:
    parts = [write_part(tmp_path, name, [[1], [2]], base=1) for name in ("e1", "e2")]
    rows = (parts[1].folder / "slices.csv").read_text()
    (parts[1].folder / "slices.csv").write_text(rows.replace(str(BEGIN), str(BEGIN + 1)))
    with pytest.raises(StoreError, match="different begin_ns"):
        merge(tmp_path, parts)
    (parts[1].folder / "slices.csv").write_text(rows.replace(f",{2 * 10**9},", f",{10**9},"))
    merge(tmp_path, parts)
    assert "measured for different times (2, 1 s)" in read_slices(tmp_path / "slices.csv", False)[0].why_not
    (parts[1].folder / "slices.csv").write_text(f"{SLICES}\n")
    with pytest.raises(StoreError, match="no slice 0, which other engines drove"):
        merge(tmp_path, parts)
    with pytest.raises(StoreError, match="were lost"):
        merge(tmp_path, [EnginePart("e1", parts[0].folder, "gone")])


def tick(elapsed: float, completed: int, response_ms: float | None) -> Mapping[str, object]:
    counts = {"completed": completed, "failed": 1, "wrong": 0, "users": 2}
    return {"slice": 0, "subject": "a", "elapsed_s": elapsed, "response_ms": response_ms, **counts}


def test_a_second_is_told_of_when_all_engines_that_live_have_told_of_it() -> None:
    together = TickSum()
    assert together.add(0, tick(1, 10, 2.0), {0, 1}) is None
    told = together.add(1, tick(1, 30, 4.0), {0, 1})
    assert told is not None and (told["completed"], told["failed"], told["users"]) == (40, 2, 4)
    assert told["response_ms"] == pytest.approx(3.5)
    assert together.add(0, tick(2, 11, 8.0), {0, 1}) is None and together.latest_s == 2
    told = together.add(
        0, tick(3, 11, None), {0}
    )  # the other is lost: what it has done stays counted, its users are gone
    assert told is not None and (told["completed"], told["users"], told["elapsed_s"]) == (41, 2, 3)


def test_engines_have_processors_in_turn_and_parts_of_what_is_kept() -> None:
    asked = {"seed": 1, "corpus": "c", "rules": {}, "targets": [{"subject": "a", "host": "h"}], "cpus": [1, 2, 3]}
    cut = {"number": 0, "subject": "a", "phase": "measure", "mix": {"order": 1}, "deck_seed": 1}
    job = Job.model_validate({**asked, "slices": [{**cut, "profile": {"kind": "big-bang", "users": 4, "seconds": 1}}]})
    assert [part.cpus for part in shared_out(job, [THIS_MACHINE] * 2)] == [[1, 3], [2]]
    assert [part.cpus for part in shared_out(job, [THIS_MACHINE] * 4)] == [[1], [2], [3], [1]]
    assert [(part.share.place, part.share.of) for part in shared_out(job, [THIS_MACHINE] * 2)] == [(0, 2), (1, 2)]
    assert sum(part.samples.most_right for part in shared_out(job, [THIS_MACHINE] * 4)) == job.samples.most_right


def test_what_engines_cannot_share_is_one_sentence() -> None:
    for words, said in (
        (LoadSpec(engines=5), "4 users cannot be shared by 5 engines"),
        (LoadSpec(engines=2, most_requests=9), "would not end together"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            require_shared(words, profile_of(words))
    rate = LoadSpec(engines=9, rates=(5.0, 5.0), most_requests=9)
    require_shared(rate, profile_of(rate))


def test_the_service_has_counted_what_all_engines_sent_together(tmp_path: Path) -> None:
    service(tmp_path, "own", 0.002, counter="/count")
    shared = ("--engines", "3", "--users", "4", "--for", "2s", "--json", "--out", "runs")
    ran = steelyard("load", "./own", *shared, folder=tmp_path)
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    jsonschema.validate(outcome, SCHEMA)
    engines = outcome["engines"]
    assert outcome["started"]["counted"] == outcome["sent"] == sum(each["sent"] for each in engines) + 1
    assert outcome["completed"] == sum(each["completed"] for each in engines) and outcome["valid"], outcome["why_not"]
    assert len(engines) == 3 and all(each["sent"] > 0 for each in engines)
    assert outcome["began_apart_ms"] >= 0 and "3 engines shared the load" in " ".join(outcome["notes"])


def test_an_engine_that_is_killed_ends_the_load_of_all_with_its_reason(tmp_path: Path) -> None:
    with serving(0.005) as url, Progress(Console(quiet=True)) as progress:
        asked, credentials = with_auth(of_url(url, None, b"", {}, Expect()), {})
        corpus = write_requests(asked, tmp_path / "corpus", {}, packed=False, chunked=False)
        ground = LoadContext(
            target_of(asked),
            corpus,
            tmp_path,
            credentials,
            [],
            1,
            30.0,
            30.0,
            progress,
            engine_hosts=[THIS_MACHINE] * 2,
        )
        stretch = Stretch(BigBang(users=2, seconds=600), {"request": 1.0}, lead_in_seconds=0.2)
        with Stretches(ground, [stretch], ground.folder / "load") as stretches:
            engines = stretches.engines
            assert engines is not None

            left = [engines.pids[1]]

            def kill_one(_: Mapping[str, object]) -> bool:
                if left:
                    os.kill(left.pop(), signal.SIGKILL)
                return False

            row = stretches.drive(0, lambda _: "", kill_one)
    lost = engines_of(engines, row)[1]
    assert not row.valid and "engine 2 of 2 was lost: the engine ended with code -9" in row.why_not
    assert lost.lost is not None and row.seconds < 600
    assert row.completed == sum(each.completed for each in engines_of(engines, row))
