"""A host that is a network namespace of this machine, with one link to it; it lives as long as the process that made it.

A holder process holds the namespace, and the kernel removes namespace and link when the holder and all processes in it have
ended. The holder ends at our end of file, so even a killed lab leaves nothing behind.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Interface

from ..base import children
from ..base.children import start_child
from ..base.errors import ProvisionError, ToolchainError
from ..models.hosts import Host
from .executor import Ends, Executor

FAR_INTERFACE = "link0"
_PROGRAMS = ("unshare", "nsenter", "ip", "tc")
_COMMAND_SECONDS = 20.0
_FREE_SECONDS = 10.0  # wait for the namespace of a killed lab to disappear
# Longer than the engine needs to end after its lab was killed: until then its connections still need the link.
_LINGER_SECONDS = 3
_HOLD = f"echo held; cat; sleep {_LINGER_SECONDS}"
_LEAST_BURST_BYTES = 32_768
_MOST_WAIT = "50ms"  # queue length of a link with a rate


@contextmanager
def create_namespace(name: str, host: Host, near: IPv4Address) -> Iterator[Ends]:
    """The namespace of the host `name`, whose link has the address `near` at this end; commands enter it by a prefix.

    Raises ToolchainError where a program is missing, ProvisionError where it cannot be made or its addresses are taken.
    """
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise ToolchainError(
                f"host '{name}' cannot be made: the program '{program}' is missing",
                hint="util-linux has unshare and nsenter, iproute2 has ip and tc",
            )
    _await_free(name, (host.address, near))
    with _hold_namespace(name) as holder:
        try:
            within = ("nsenter", f"--net=/proc/{holder.pid}/ns/net")
            end = f"sy{holder.pid}"
            for command in _commands(holder.pid, within, end, host, near):
                _carry_out(name, command)
            yield Ends(Executor(within, holder.pid), end, FAR_INTERFACE)
        finally:
            children.kill_group(holder)


def _commands(holder: int, within: Sequence[str], end: str, host: Host, near: IPv4Address) -> list[Sequence[str]]:
    """The commands that make the link and assign its ends their addresses, each for the other end alone."""
    far = str(host.address)
    return [
        ("ip", "link", "add", end, "type", "veth", "peer", "name", FAR_INTERFACE, "netns", str(holder)),
        ("ip", "address", "add", f"{near}/32", "peer", f"{far}/32", "dev", end),
        ("ip", "link", "set", end, "up"),
        (*within, "ip", "link", "set", "lo", "up"),
        (*within, "ip", "address", "add", f"{far}/32", "peer", f"{near}/32", "dev", FAR_INTERFACE),
        (*within, "ip", "link", "set", FAR_INTERFACE, "up"),
        *([("tc", *_shaping(end, host))] if _shaping(end, host) else []),
        *([(*within, "tc", *_shaping(FAR_INTERFACE, host))] if _shaping(end, host) else []),
    ]


def _shaping(interface: str, host: Host) -> tuple[str, ...]:
    """The `tc` arguments for the declared rate and delay of one end; empty without either."""
    root = ("qdisc", "add", "dev", interface, "root")
    rate = None if host.rate_mbit is None else f"{host.rate_mbit * 1e6:.0f}bit"
    if host.delay_ms is not None:
        return (*root, "netem", "delay", f"{host.delay_ms:g}ms", *(("rate", rate) if rate is not None else ()))
    if host.rate_mbit is None or rate is None:
        return ()
    burst = max(_LEAST_BURST_BYTES, round(host.rate_mbit * 1e6 / 8 / 250))
    return (*root, "tbf", "rate", rate, "burst", str(burst), "latency", _MOST_WAIT)


def _hold_namespace(name: str) -> subprocess.Popen[str]:
    """A process that holds a network namespace until our end of file; raises ProvisionError."""
    holder = start_child(
        lambda: subprocess.Popen(
            ["unshare", "--net", "sh", "-c", _HOLD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    )
    assert holder.stdout is not None and holder.stderr is not None
    if not holder.stdout.readline():
        children.kill_group(holder)
        raise _refusal(name, "unshare", holder.stderr.read())
    return holder


def _carry_out(name: str, command: Sequence[str]) -> None:
    try:
        done = children.run(command, seconds=_COMMAND_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise _refusal(name, command[0], str(error)) from None
    if done.returncode != 0:
        raise _refusal(name, "tc" if "qdisc" in command else "ip", done.stderr)


def _refusal(name: str, program: str, output: str) -> ProvisionError:
    """The reason why the host could not be made, as one sentence."""
    why = " ".join(output.split()) or "it gave no reason"
    if "not permitted" in why:
        hint = "a network namespace and its link need root rights (CAP_SYS_ADMIN and CAP_NET_ADMIN)"
    elif program == "tc":
        hint = "a rate needs the kernel's tbf, a delay its netem; leave out the one that this kernel lacks"
    else:
        hint = "the kernel must support network namespaces and veth"
    return ProvisionError(f"host '{name}' cannot be made: {program} reports: {why[:300]}", hint=hint)


def _await_free(name: str, addresses: Sequence[IPv4Address]) -> None:
    """Wait until no interface here has one of these addresses in its network: those of a killed lab disappear soon.

    Raises ProvisionError that names the interface.
    """
    deadline = time.monotonic() + _FREE_SECONDS
    while (taken := _address_conflict(addresses)) is not None:
        if time.monotonic() > deadline:
            raise ProvisionError(
                f"host '{name}' cannot be made: {taken}", hint="choose other addresses of a private range"
            )
        time.sleep(0.2)


def _address_conflict(addresses: Sequence[IPv4Address]) -> str | None:
    """The first of these addresses that lies in the network of an interface here, in words; None without a conflict."""
    done = children.run(["ip", "-4", "-oneline", "address", "show"], seconds=_COMMAND_SECONDS)
    for line in done.stdout.splitlines():
        words = line.split()  # 2: eth0 inet 10.0.0.7/24 brd ...; 3: sy12 inet 10.203.0.1 peer 10.203.0.2/32 ...
        interface, networks = words[1], [IPv4Interface(word).network for word in words[3:6:2] if word[:1].isdigit()]
        for address in addresses:
            if any(address in network for network in networks):
                return f"{address} belongs to the network of {interface} on this machine"
    return None
