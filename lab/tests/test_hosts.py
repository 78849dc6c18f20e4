"""Subjects run on a host that the user's file declares: a network namespace of this machine, made for the run and gone with it."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import Ran, steelyard
from played import HOUSE, Run, records, study
from pydantic import ValidationError
from steelyard.base.errors import ConfigurationError, ProvisionError, StoreError
from steelyard.base.typed_rows import columns_of
from steelyard.hosts import namespace
from steelyard.hosts.cpus import Shares, as_declared, with_host_processors
from steelyard.hosts.executor import HERE
from steelyard.hosts.links import LinkObserver, LinkReading, interfaces, sent_again
from steelyard.hosts.placement import LOOPBACK, Link, Placement, open_placement
from steelyard.measure.trial.bring_up import start_all
from steelyard.measure.trial.context import TrialContext
from steelyard.models.hosts import EngineHosts, Host, Hosts
from steelyard.models.records import TrialPlan
from steelyard.results.setup import setup_differences
from steelyard.results.tables import LinkUse, read_network
from steelyard.results.tabular import known_tables

ROOT = Path(__file__).parents[2]
# Of this process alone: tests run beside each other.
NET = f"10.{64 + os.getpid() % 64}.{os.getpid() // 64 % 256}"
NEAR, FAR = f"{NET}.1", f"{NET}.2"
OWNED = {"reach": "ssh", "owned": True, "contact": "the laboratory's keeper"}
FILE = """
[hosts.desk]
reach = "here"
address = "{near}"
role = "engine"

[hosts.rack]
reach = "namespace"
address = "{far}"
role = "server"
{more}
"""
HELD = """
import sys, time
from ipaddress import IPv4Address
from steelyard.models.hosts import Host
from steelyard.hosts import namespace
host = Host.model_validate({"reach": "namespace", "address": sys.argv[2], "role": "server"})
with namespace.create_namespace("rack", host, IPv4Address(sys.argv[1])) as space:
    print(space.near_interface, flush=True)
    time.sleep(600)
"""


def may_make_hosts() -> bool:
    """Whether this user and this kernel can make a namespace with a link, asked without the code that is tested."""
    link = "ip link add probe0 type veth peer name probe1"
    rate = "tc qdisc add dev probe0 root tbf rate 1mbit burst 32kbit latency 50ms"
    asked = ["unshare", "--net", "sh", "-c", f"{link} && {rate}"]
    try:
        # In a network of its own, and only root can give a link's other end to this machine's.
        return os.geteuid() == 0 and subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


needs_rights = pytest.mark.skipif(
    not may_make_hosts(),
    reason="a network namespace and its link need root rights, and a kernel that supports them",
)


def hosts_file(folder: Path, more: str = "") -> str:
    (folder / "hosts.toml").write_text(FILE.format(near=NEAR, far=FAR, more=more))
    return "hosts.toml"


def far_host(**more: Any) -> Host:
    return Host.model_validate({"reach": "namespace", "address": FAR, "role": "server", **more})


def declared(**changed: dict[str, Any]) -> dict[str, Any]:
    """The tables of a good hosts file with some keys of a host changed."""
    known: dict[str, dict[str, Any]] = {
        "desk": {"reach": "here", "address": NEAR, "role": "engine"},
        "rack": {"reach": "namespace", "address": FAR, "role": "server"},
    }
    return {"hosts": {name: {**host, **changed.get(name, {})} for name, host in known.items()}}


def is_gone(interface: str) -> bool:
    """Whether the interface ends to be there; the kernel takes its time."""
    deadline = time.monotonic() + 60
    while Path(f"/sys/class/net/{interface}").exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_a_hosts_file_says_what_runs_where() -> None:
    hosts = Hosts.model_validate(declared(rack={"rate_mbit": 100, "cpus": [1]}))
    assert (hosts.engine[0], hosts.server[0]) == ("desk", "rack")
    assert hosts.server[1].rate_mbit == 100 and hosts.server[1].address == IPv4Address(FAR)


def test_another_machine_may_have_the_same_processors_and_an_address_of_any_range() -> None:
    hosts = Hosts.model_validate(
        declared(desk={"cpus": [0], "address": "198.51.100.1"}, rack={**OWNED, "cpus": [0], "address": "198.51.100.2"})
    )
    shares = with_host_processors(Shares([0, 1], [2], awake=[0, 1, 2]), [0, 1], hosts.server[1].cpus, [])
    assert (shares.server, shares.engine, shares.awake, shares.is_separate) == ([0], [0, 1, 2], [0, 1, 2], True)
    assert shares.of(None) == shares.of("engine") == [0]  # of the subjects' machine, where the engine is not
    with pytest.raises(ConfigurationError, match="gives a host processor 7, which is not there"):
        with_host_processors(shares, [0, 1], [7], [])


def test_the_guides_hosts_file_is_a_good_one() -> None:
    guide = (ROOT / "docs/guides/hosts.md").read_text()
    shown = guide.partition("<!-- hosts.toml -->")[2].partition("<!-- /hosts.toml -->")[0]
    content = tomllib.loads("\n".join(line.strip() for line in shown.splitlines()))
    jsonschema.validate(content, json.loads((ROOT / "contracts/hosts.schema.json").read_text()))
    assert Hosts.model_validate(content).server[1].rate_mbit == 100


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rack": {"address": "8.8.8.8"}}, "8.8.8.8 is not a private address"),
        ({"rack": {"address": "127.0.0.2"}}, "127.0.0.2 is not a private address"),
        ({name: {"address": "10.9.9.9"} for name in ("desk", "rack")}, "both hosts have the address 10.9.9.9"),
        ({"rack": {"role": "engine"}}, "one host must have the role 'engine', but 2 have it"),
        ({"rack": {"reach": "here"}}, "host 'rack' has the role 'server', so its reach must be 'namespace' or 'ssh'"),
        ({"desk": {"rate_mbit": 5}}, "rate_mbit and delay_ms belong to the remote host"),
        ({"rack": {"reach": "ssh"}}, "must be declared as yours to load: set owned = true and a contact"),
        ({"rack": {"reach": "ssh", "owned": True, "contact": " "}}, "set owned = true and a contact"),
        ({"rack": {**OWNED, "address": "127.0.0.2"}}, "127.0.0.2 cannot be a host's address on a link"),
        ({"rack": {**OWNED, "delay_ms": 3}}, "leave delay_ms out"),
        ({"rack": {**OWNED, "login": "-oProxyCommand=x"}}, "login"),
        ({"rack": {"owned": True}}, "login, owned and contact go with reach = 'ssh'"),
        ({"desk": {"cpus": [0]}, "rack": {"cpus": [0, 1]}}, "both hosts have processor 0"),
    ],
)
def test_a_hosts_file_that_cannot_be_meant_is_refused_in_a_sentence(
    changed: dict[str, dict[str, Any]], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Hosts.model_validate(declared(**changed))


def test_the_guides_hosts_of_engines_are_good_ones() -> None:
    guide = (ROOT / "docs/guides/hosts.md").read_text()
    shown = guide.partition("<!-- engines.toml -->")[2].partition("<!-- /engines.toml -->")[0]
    content = tomllib.loads("\n".join(line.strip() for line in shown.splitlines()))
    jsonschema.validate(content, json.loads((ROOT / "contracts/engine-hosts.schema.json").read_text()))
    assert list(EngineHosts.model_validate(content).others) == ["rack"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"rack": {"role": "server"}},
            "host 'rack' has the role 'server': the target of a load is in its service.toml",
        ),
        ({"rack": {"reach": "here"}}, "one engine drives from this machine, but 2 hosts have reach = 'here'"),
        ({"desk": OWNED}, "one engine drives from this machine, but 0 hosts have reach = 'here'"),
        ({"rack": {"reach": "namespace"}}, "host 'rack' is a namespace of this machine"),
        ({"rack": {**OWNED, "address": "127.0.0.2"}}, "127.0.0.2 cannot be a host's address on a link"),
        ({"rack": {**OWNED, "address": "10.203.0.1"}}, "two hosts have the address 10.203.0.1"),
        ({"rack": {"owned": False}}, "must be declared as yours to load"),
    ],
)
def test_hosts_of_engines_that_cannot_be_meant_are_refused_in_a_sentence(
    changed: dict[str, dict[str, Any]], sentence: str
) -> None:
    hosts = {
        "desk": {"reach": "here", "address": "10.203.0.1", "role": "engine"},
        "rack": {**OWNED, "address": "10.203.0.2", "role": "engine"},
    }
    for name, more in changed.items():
        hosts[name] = (
            hosts[name] if more.get("reach", "ssh") == "ssh" else {**hosts["desk"], "address": "10.203.0.2"}
        ) | more
    with pytest.raises(ValidationError, match=sentence):
        EngineHosts.model_validate({"hosts": hosts})


def test_an_engine_alone_needs_no_hosts() -> None:
    with pytest.raises(ValidationError, match="the file declares one host only"):
        EngineHosts.model_validate({"hosts": {"desk": {"reach": "here", "address": "10.203.0.1", "role": "engine"}}})


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "http://127.0.0.1:9 is a loopback address, which means a different machine on each host"),
        (("--engines", "2"), "--engines and --hosts exclude each other"),
        (("--otlp", "http://127.0.0.1:1/v1/metrics"), "telemetry needs one engine"),
        (("--users", "1"), "1 user cannot be shared by 2 engines"),
    ],
)
def test_a_load_that_hosts_cannot_drive_is_refused_before_any_is_asked(
    more: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    with listening() as port:
        rack = FILE.format(near=NEAR, far=FAR, more='owned = true\ncontact = "me"')
        rack = rack.replace('"namespace"', '"ssh"').replace('"server"', '"engine"')
        (tmp_path / "hosts.toml").write_text(rack)
        ran = told(tmp_path, "load", f"http://127.0.0.1:{port}/", "--hosts", "hosts.toml", *more)
    assert ran.code in (1, 64) and sentence.replace(":9 ", f":{port} ") in ran.err, ran.err
    assert not (tmp_path / "runs").exists()


@contextmanager
def listening() -> Iterator[int]:
    """The port of something that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "hosts.toml does not exist"),
        ("[hosts.rack]\nratembit = 3", "unknown key 'hosts.rack.ratembit'; did you mean 'rate_mbit'?"),
        ("hosts = 3 = 4", "hosts.toml is not valid TOML"),
        ("[hosts.Rack]\nreach = 'here'\naddress = '10.0.0.1'\nrole = 'engine'", "hosts.toml: key 'hosts.Rack"),
    ],
)
def test_a_broken_hosts_file_is_named_with_what_is_wrong_before_anything_starts(
    text: str | None, sentence: str, tmp_path: Path
) -> None:
    if text is not None:
        known = "reach = 'here'\naddress = '10.0.0.1'\nrole = 'engine'\n" if "ratembit" in text else ""
        (tmp_path / "hosts.toml").write_text(f"{text}\n{known}")
    ran = told(tmp_path, "run", study(tmp_path), "--hosts", "hosts.toml")
    assert ran.code == 64 and sentence in ran.err, ran.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "small.toml", "--hosts", "hosts.toml", "--cluster", "local:1"),
        ("run", "small.toml", "--hosts", "hosts.toml", "--dry-run"),
        ("run", "--resume", "runs", "--hosts", "hosts.toml"),
        ("compare", "http://127.0.0.1:1/a", "http://127.0.0.1:2/b", "--hosts", "hosts.toml"),
    ],
)
def test_hosts_are_refused_where_they_mean_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    study(tmp_path)
    hosts_file(tmp_path)
    ran = told(tmp_path, *words)
    assert ran.code == 64 and ran.err.startswith("error: ") and ran.err.count("\n") == 2, ran.err


def told(folder: Path, *words: str) -> Ran:
    return steelyard(*words, folder=folder, environment={"STEELYARD_PATH": str(HOUSE)})


@pytest.mark.parametrize(
    ("program", "said", "sentence", "hint"),
    [
        ("unshare", "unshare failed: Operation not permitted", "unshare reports: unshare failed", "root rights"),
        ("ip", "Error: Unknown device type.", "ip reports: Error: Unknown device type.", "veth"),
        ("tc", "Error: Specified qdisc kind is unknown.", "tc reports: Error: Specified qdisc", "netem"),
    ],
)
def test_a_host_that_cannot_be_made_is_refused_in_a_sentence_and_nothing_of_it_stays(
    program: str, said: str, sentence: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, monkeypatch, unshare='shift; exec "$@"', nsenter='shift; exec "$@"', ip="true", tc="true")
    deed = "link) echo '{}' >&2; exit 2" if program == "ip" else "*) echo '{}' >&2; exit 2"
    script(tmp_path / program, f'case "$1" in {deed.format(said)};; esac')
    with (
        pytest.raises(ProvisionError, match=f"host 'rack' cannot be made: {sentence}") as refused,
        namespace.create_namespace("rack", far_host(delay_ms=5), IPv4Address(NEAR)),
    ):
        pass
    assert hint in refused.value.hint
    assert not any("echo held" in line for line in commands().values())


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Programs of these names that do nothing to the machine."""
    for name, text in scripts.items():
        script(folder / name, text)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def commands() -> dict[int, str]:
    """What this process's children were started with."""
    own = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    told = {}
    for child in own:
        with suppress(OSError):  # it may end just now
            told[int(child)] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
    return told


def test_the_two_ends_are_given_their_addresses_for_each_other_alone_and_the_rate_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    fake(
        tmp_path,
        monkeypatch,
        unshare='shift; exec "$@"',
        nsenter='shift; exec "$@"',
        ip=f'echo "ip $*" >>{log}',
        tc=f'echo "tc $*" >>{log}',
    )
    with namespace.create_namespace("rack", far_host(rate_mbit=80), IPv4Address(NEAR)) as space:
        said = log.read_text().splitlines()
    assert f"ip address add {NEAR}/32 peer {FAR}/32 dev {space.near_interface}" in said
    assert f"ip address add {FAR}/32 peer {NEAR}/32 dev link0" in said
    shaped = [line for line in said if line.startswith("tc ")]
    assert len(shaped) == 2 and all("tbf rate 80000000bit" in line for line in shaped)


def test_an_address_of_a_network_that_this_machine_is_in_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(
        tmp_path, monkeypatch, ip=f"echo '2: eth9 inet {NET}.77/24 brd {NET}.255 scope global eth9'", tc="", nsenter=""
    )
    script(tmp_path / "unshare", "touch held")
    monkeypatch.setattr(namespace, "_FREE_SECONDS", 0.0)
    with (
        pytest.raises(ProvisionError, match=f"{FAR} belongs to the network of eth9 on this machine"),
        namespace.create_namespace("rack", far_host(), IPv4Address(NEAR)),
    ):
        pass


@needs_rights
def test_a_host_is_there_while_it_is_used_and_its_link_is_gone_afterwards() -> None:
    with open_placement(Hosts.model_validate(declared())) as site:
        assert site.link is not None
        assert (site.name, site.address, site.url(80, "/x")) == ("rack", FAR, f"http://{FAR}:80/x")
        assert set(interfaces(site.reach.network().devices)) == {"lo", "link0"}
        said = site.reach.begin(["ip", "-4", "address"], None, {}).communicate()[0]
        assert FAR in said and NEAR in said
        interface = site.link.near_interface
        assert Path(f"/sys/class/net/{interface}").exists()
    assert is_gone(interface)


@needs_rights
def test_not_even_a_killed_lab_leaves_a_host_and_the_next_one_finds_its_address_free() -> None:
    with subprocess.Popen([sys.executable, "-c", HELD, NEAR, FAR], stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        interface = lab.stdout.readline().strip()
        assert Path(f"/sys/class/net/{interface}").exists()
        lab.send_signal(signal.SIGKILL)
    with namespace.create_namespace("rack", far_host(), IPv4Address(NEAR)) as space:
        assert space.near_interface != interface
        assert is_gone(interface)


@needs_rights
def test_subjects_run_on_the_declared_host_and_what_its_link_carried_is_stored_and_shown(
    run: Run, tmp_path: Path
) -> None:
    ran = run("run", study(tmp_path, forks=1), "--hosts", hosts_file(tmp_path, "rate_mbit = 80"))
    (folder,) = tmp_path.glob("runs/*")
    job = json.loads((folder / "trials/01/job.json").read_text())
    assert {target["host"] for target in job["targets"]} == {FAR}, ran.err
    record = json.loads((folder / "trials/01/trial.json").read_text())
    jsonschema.validate(record, json.loads((ROOT / "contracts/trial.schema.json").read_text()))
    assert record["status"] == "complete", ran.err
    assert [process["host"] for subject in record["subjects"] for process in subject["processes"]] == ["rack", "rack"]
    environment = json.loads((folder / "environment.json").read_text())
    assert (environment["network"], environment["link"]["bytes_per_s"]) == ("link", 10e6)
    assert environment["hosts"]["rack"]["address"] == FAR and "loopback_bytes_per_s" not in environment
    with (folder / "trials/01/network.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {str(one["number"]) for one in record["slices"]}
    assert {number for row in rows for number in row["slices"].split("+")} == numbers
    far = [row for row in rows if row["interface"] == "link0"]
    assert all(int(row["bytes_in"]) > 0 and 0 < float(row["link_share"]) < 1 for row in far), far
    page = (folder / "report.html").read_text()
    assert "Network traffic" in page and f"{FAR}, 80 Mbit/s each way" in page
    assert (
        "is a network namespace of the engine&#39;s machine" in page or "is a network namespace of the engine's" in page
    )


@needs_rights
def test_a_server_that_listens_on_more_than_the_hosts_address_is_refused(run: Run, tmp_path: Path) -> None:
    everywhere = 'parts = [{ server = "odd", factors = { mode = "everywhere" } }]'
    ran = run("run", study(tmp_path, forks=1, b=everywhere), "--hosts", hosts_file(tmp_path))
    assert ran.code == 1
    assert f"but on host 'rack' it may only listen on {FAR}" in ran.err, ran.err


@needs_rights
def test_a_run_is_taken_up_again_on_the_hosts_that_it_began_with(run: Run, tmp_path: Path) -> None:
    run("run", study(tmp_path, forks=1), "--hosts", hosts_file(tmp_path), at=[[1, "a", 1, "interrupt"]])
    (folder,) = tmp_path.glob("runs/*")
    (tmp_path / "hosts.toml").unlink()
    resumed = run("run", "--resume", str(folder))
    record = json.loads((folder / "trials/01/trial.json").read_text())
    assert record["status"] == "complete", resumed.err
    assert {process["host"] for subject in record["subjects"] for process in subject["processes"]} == {"rack"}


@needs_rights
def test_a_host_that_is_lost_is_a_recorded_failure_and_what_was_measured_stays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost_before_the_second(setting: TrialContext, plan: TrialPlan, *rest: Any, **more: Any) -> Any:
        if plan.number == 2 and setting.site.link is not None:
            [holder] = [pid for pid, line in commands().items() if "echo held" in line]
            os.killpg(holder, signal.SIGKILL)
            while not setting.site.reach.is_lost():
                time.sleep(0.01)
        return start_all(setting, plan, *rest, **more)

    monkeypatch.setattr("steelyard.measure.trial.trial.start_all", lost_before_the_second)
    ran = run("run", study(tmp_path), "--hosts", hosts_file(tmp_path))
    first, *others = records(tmp_path)
    assert first["status"] == "complete" and {record["status"] for record in others} == {"failed"}
    assert others[0]["failure"]["kind"] == "host" and others[0]["failure"]["subject"] is None
    assert ran.code == 1 and "host 'rack' is gone" in ran.err, ran.err


def test_where_nothing_is_declared_all_stays_on_loopback() -> None:
    with open_placement(None) as site:
        assert site == LOOPBACK and site.url(80, "/x") == "http://127.0.0.1:80/x"


def test_other_hosts_make_another_setup() -> None:
    known = {name: {"role": "server"} for name in ("rack",)}
    assert list(setup_differences({}, {"hosts": known})) == ["hosts.rack.role was none and is server"]
    assert list(setup_differences({"hosts": known}, {"hosts": known})) == []


def test_what_went_over_a_link_is_the_difference_of_two_looks(tmp_path: Path) -> None:
    link = Link("desk", NEAR, "sy7", "link0", bytes_per_s=1000.0)
    names = ("bytes_in", "packets_in", "bytes_out", "packets_out")

    def look(at_s: int, counts: tuple[int, ...], again: int) -> LinkReading:
        far = {"lo": dict.fromkeys(names, 5), "link0": dict(zip(names, counts, strict=True))}
        return LinkReading(at_s * 10**9, {"rack": far}, {"rack": again})

    with LinkObserver(tmp_path, Placement("rack", FAR, link=link)) as links:
        links.record([3, 4], look(10, (100, 1, 200, 2), 1), look(12, (600, 4, 1200, 7), 3))
        links.record([5], look(12, (600, 4, 1200, 7), 3), None)
    lo, end = read_network(tmp_path / "network.csv", may_be_cut=False)
    assert (lo.interface, lo.bytes_in, lo.link_share, lo.sent_again) == ("lo", 0, None, None)
    assert (end.slices, end.host, end.bytes_in, end.packets_in, end.bytes_out, end.packets_out) == (
        "3+4",
        "rack",
        500,
        3,
        1000,
        5,
    )
    assert (end.link_share, end.sent_again) == (0.5, 2)


def test_every_column_of_what_went_over_a_link_is_known_with_its_meaning() -> None:
    assert tuple(known_tables.tables_by_name()["network"].columns) == columns_of(LinkUse)


def test_on_loopback_nothing_is_stored_of_a_link(tmp_path: Path) -> None:
    with LinkObserver(tmp_path, LOOPBACK) as links:
        links.record([1], links.look(), links.look())
    assert list(tmp_path.iterdir()) == [] and read_network(tmp_path / "network.csv", may_be_cut=False) == ()


def test_nonsense_about_a_link_is_named_with_its_line(tmp_path: Path) -> None:
    with LinkObserver(tmp_path, Placement("rack", FAR, link=Link("desk", NEAR, "sy7", "link0"))):
        pass
    with (tmp_path / "network.csv").open("a") as file:
        file.write("3+x,rack,link0,1,2,0,0,0,0,,\n")
    with pytest.raises(StoreError, match=r"network\.csv, line 2: it names no slices"):
        read_network(tmp_path / "network.csv", may_be_cut=False)


def test_this_processes_own_network_is_read_as_the_kernel_tells_it() -> None:
    counts = HERE.network()
    assert set(interfaces(counts.devices)["lo"]) == {"bytes_in", "packets_in", "bytes_out", "packets_out"}
    assert sent_again(counts.protocols) >= 0


def test_processors_are_shared_as_the_hosts_file_declares() -> None:
    ours = sorted(os.sched_getaffinity(0))
    shares = Shares(ours, ours[-1:], awake=ours)
    changed = as_declared(shares, ours[:1], [])
    assert (changed.server, changed.engine, changed.awake) == (ours[:1], ours[-1:], sorted({ours[0], ours[-1]}))
    assert as_declared(Shares(ours, ours), [], []).awake == []
    with pytest.raises(ConfigurationError, match="gives a host processor 4095, which is not there"):
        as_declared(shares, [4095], [])
